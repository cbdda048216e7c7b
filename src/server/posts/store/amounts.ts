import type { ChangedAmount } from '#core/query/condition.ts';
import type { Amount } from '#core/text/engagement.ts';
import { SECOND_MS } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { RELATION_KINDS } from './relation-kinds.ts';

/** Rows of id, creation time and change, by change, then time. Of an edited Post, the newest version counts. */
const RELATED = `
  SELECT p.id, p.created_at, c.made FROM relation_count c JOIN post p ON p.id = c.id
  WHERE c.kind = ? AND c.side = 1 AND c.made <> 0 ORDER BY c.made, p.created_at`;
const REPLIED = `
  SELECT p.id, p.created_at, sum(n) AS made FROM (
    SELECT ifnull((
      SELECT b.post FROM version a JOIN version b ON b.first = a.first WHERE a.post = target ORDER BY b.n DESC LIMIT 1
    ), target) AS id, count(*) AS n
    FROM answer WHERE kind = 'reply' GROUP BY target
  ) JOIN post p USING (id) GROUP BY p.id ORDER BY made, p.created_at`;

function changesIn(rows: readonly (readonly unknown[])[]): ChangedAmount[] {
  const groups = new Map<number, { ids: bigint[]; seconds: number[] }>();
  for (const [id, createdAt, by] of rows) {
    const group = groups.get(Number(by)) ?? { ids: [], seconds: [] };
    groups.set(Number(by), group);
    group.ids.push(id as bigint);
    group.seconds.push(Math.floor(Number(createdAt) / SECOND_MS));
  }
  return [...groups].map(([by, { ids, seconds }]) => ({
    by,
    posts: { ids: BigInt64Array.from(ids), seconds: Uint32Array.from(seconds) },
  }));
}

/**
 * The numbers of likes, reposts and replies that were made here: the part of `public_metrics` that the index does not
 * have. Reading them takes about a microsecond for each Post and reply concerned, and happens only after a change.
 *
 * @param revision - The current one, which every such change raises.
 */
export function amountsIn(db: Db, revision: () => number) {
  const related = db.prepare(RELATED, 'exact');
  const replied = db.prepare(REPLIED, 'exact');
  const read: Readonly<Record<Amount, () => unknown[][]>> = {
    likes: () => related.all([RELATION_KINDS.like]),
    reposts: () => related.all([RELATION_KINDS.repost]),
    replies: () => replied.all(),
  };
  const known = new Map<Amount, readonly ChangedAmount[]>();
  let asOf: number | null = null;
  return (name: Amount): readonly ChangedAmount[] => {
    const now = revision();
    if (now !== asOf) known.clear();
    asOf = now;
    const changed = known.get(name) ?? changesIn(read[name]());
    known.set(name, changed);
    return changed;
  };
}
