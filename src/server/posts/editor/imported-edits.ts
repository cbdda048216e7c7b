import { readId } from '#core/import/id.ts';
import { object } from '#core/import/json.ts';
import type { Db } from '#server/db/driver.ts';
import {
  collectionsOf,
  postTable,
  SUPERSEDED,
  type NewPost,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { changedSpans, revisions } from '#server/posts/store/revision.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import { versionTable } from '#server/posts/store/versions.ts';
import { collectionMove, postPlaces } from './collection-import.ts';

/** More than one id: most Posts name only themselves, and parsing each would take longer than the rest of an import. */
const EDITED = /"edit_history_tweet_ids":\["\d+","/;

/** Maximum number of edited Posts that wait for a commit. */
const MAX_WAITING = 16_384;

/** The ids of all versions that an imported Post names; none if it was never edited. */
function namedVersions({ id, rest }: NewPost): bigint[] {
  if (rest === null || !EDITED.test(rest)) return [];
  const history = object(JSON.parse(rest))?.edit_history_tweet_ids;
  const ids = Array.isArray(history) ? history.map((each) => readId(String(each))) : [];
  return ids.includes(id) ? ids.filter((each) => each !== null) : [];
}

const byTime = (a: PostRow, b: PostRow): number => a.createdAt - b.createdAt;

/** The edits that imported Posts name, until their Posts are in the file. */
export function importedEdits(db: Db) {
  const table = postTable(db);
  const versions = versionTable(db);
  const placesOf = postPlaces(db);
  const tombstones = tombstoneTable(db);
  const revision = revisions(db);
  const move = collectionMove(db);
  let named: bigint[][] = [];

  /** Posts of which a later version exists do not count any more. */
  const supersede = (rows: readonly PostRow[]): void => {
    if (rows.length === 0) return;
    const places = placesOf(rows);
    for (const { id } of rows) table.supersede(id);
    const raised = revision.raise(changedSpans(rows.map(({ createdAt }) => createdAt)));
    for (const place of places) tombstones.add(place, raised);
  };

  return {
    isEmpty: () => named.length === 0,
    /** True once they need a commit. */
    isFull: () => named.length >= MAX_WAITING,
    add: (posts: readonly NewPost[]): void => {
      for (const post of posts) {
        const ids = namedVersions(post);
        if (ids.length > 1) named.push(ids);
      }
    },
    /** Forgets the waiting ones. */
    drop: (): void => {
      named = [];
    },
    /**
     * Lets only the latest existing version of each edited Post count, within a write transaction. It is in the
     * collections of all versions, as after an edit here.
     *
     * @param ids - Posts that were added, or put into a collection.
     */
    settle: (ids: readonly bigint[]): void => {
      const united = named;
      named = [];
      for (const chain of united) versions.unite(chain);
      const chains = versions.chains([...ids, ...united.flat()]);
      if (chains.length === 0) return;
      const rows = new Map(table.rows(chains.flat()).map((row) => [row.id, row]));
      const outdated: PostRow[] = [];
      const moved: { row: PostRow; collections: string }[] = [];
      for (const chain of chains) {
        const existing = chain.flatMap((id) => rows.get(id) ?? []);
        const latest = existing.pop();
        if (!latest) continue;
        outdated.push(...existing.filter(({ flags }) => (flags & SUPERSEDED) === 0));
        const all = new Set([latest, ...existing].flatMap(collectionsOf));
        if (all.size === collectionsOf(latest).length) continue;
        moved.push({ row: latest, collections: [...all].sort((a, b) => a - b).join(' ') });
      }
      supersede(outdated.sort(byTime));
      move(moved.sort((a, b) => byTime(a.row, b.row)));
    },
  };
}
