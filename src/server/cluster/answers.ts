import { ALL_TIME } from '#core/time/span.ts';
import { answerTerm } from './columns.ts';
import type { RowReader } from './row-binary.ts';
import type { Tables } from './schema.ts';
import { minutesOf } from './scope.ts';
import type { ClusterState } from './state.ts';
import { committed, literal, living } from './sql-terms.ts';

/** A Post, with the ids of all its versions, which count together. */
export type VersionedPost = readonly [id: bigint, versions: readonly bigint[]];

/** Counts replies to Posts, and accounts that quoted them, that were posted here. */
export async function countAnswers(
  posts: readonly VersionedPost[],
  read: (query: string) => Promise<RowReader>,
  tables: Tables,
  state: ClusterState,
): Promise<Map<bigint, { replies: number; quotes: number }>> {
  const counts = new Map(posts.map(([id]) => [id, { replies: 0, quotes: 0 }]));
  const of = new Map(posts.flatMap(([id, versions]) => versions.map((each) => [each, id])));
  if (of.size === 0) return counts;
  const { first, last } = minutesOf(ALL_TIME);
  const scope = { tables, state, first, last, sizes: new Map<string, number>() };
  const ranges = [...of.keys()].flatMap((id) =>
    (['reply', 'quote'] as const).map((kind) => {
      const prefix = answerTerm(kind, id, '');
      return `(term >= ${literal(prefix)} AND term < ${literal(`${prefix.slice(0, -1)};`)})`;
    }),
  );
  const rows = await read(
    `SELECT term, toUInt32(uniqExact(id)) FROM ${tables.all.posting} WHERE (${ranges.join(' OR ')})
     AND ${committed(state)}${state.hasDead ? ` AND ${living(scope)}` : ''} GROUP BY term`,
  );
  const authors = new Map<bigint, Set<string>>();
  while (!rows.done) {
    const [, kind, version = '', author = ''] = rows.text().split(':');
    const n = rows.u32();
    const id = of.get(BigInt(version));
    const count = id === undefined ? undefined : counts.get(id);
    if (id === undefined || !count) continue;
    if (kind === 'reply') count.replies += n;
    else authors.set(id, (authors.get(id) ?? new Set()).add(author));
  }
  for (const [id, each] of authors) counts.set(id, { ...counts.get(id)!, quotes: each.size });
  return counts;
}
