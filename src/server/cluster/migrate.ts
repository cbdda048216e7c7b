import { termsOf } from '#core/text/terms.ts';
import { answerTable } from '#server/posts/json/answers.ts';
import { collectionTable, type Collection } from '#server/posts/store/collections.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import { factsOf, restIsBare } from '#server/posts/json/facts.ts';
import { coverageTable } from '#server/posts/store/coverage.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import {
  collectionsOf,
  postTable,
  SUPERSEDED,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import { versionTable } from '#server/posts/store/versions.ts';
import { MAX_CREATED } from './collections.ts';
import { answerTerm } from './columns.ts';
import { ClusterError } from './error.ts';
import { COUNTED, GONE, REPLACED, type StoredState } from './post-row.ts';
import type { ClusterWriter } from './writer.ts';
import type { AddedPost, ChangeBatch } from './change-rows.ts';

/** Posts of a batch. */
const BATCH = 32_768;
const OBJECTS = 65_536;

/** The work of a copy so far. */
interface Copied {
  readonly added: number;
  /** Posts that the cluster had before. */
  readonly already: number;
  readonly total: number;
}

/** Makes what a cluster stores of a Post from its row in a file. */
function copier(db: Db) {
  const { object } = postTable(db);
  const answers = answerTable(db);
  const versions = versionTable(db);
  const copy = (row: PostRow, generation: number): AddedPost => {
    const post = storedPost(row, object);
    const { id, createdAt, authorId, username, text, lang, rest } = row;
    // A row of an older format has no facts; its terms are then only in what it refers to.
    const facts = row.facts === null && !restIsBare(rest) ? factsOf(post, row) : row.facts;
    const columns = { id, createdAt, authorId, username, text, lang, rest, facts };
    return {
      post: { ...columns, terms: termsOf(post) },
      collections: collectionsOf(row),
      generation,
      versions: versions.of(id),
      answers: answers.of(id).map(({ kind, target, author }) => answerTerm(kind, target, author)),
    };
  };
  return {
    /** The changes that add the Posts of rows. */
    changes: (rows: readonly PostRow[], known: ReadonlyMap<bigint, StoredState>): ChangeBatch => {
      const generation = ({ id }: PostRow): number => {
        const before = known.get(id);
        return before ? before.generation + 1 : 0;
      };
      const isReplaced = ({ flags }: PostRow): boolean => (flags & SUPERSEDED) !== 0;
      return {
        added: rows.filter((row) => !isReplaced(row)).map((row) => copy(row, generation(row))),
        replaced: rows.filter(isReplaced).map((row) => {
          const { id, collections } = row;
          const by = versions.of(id);
          const stored = { id, generation: generation(row), state: REPLACED, collections };
          return { ...stored, row, versions: by, answers: [], by };
        }),
      };
    },
  };
}

/**
 * Copies Posts, what they refer to and their collections from a file into a cluster; those that the cluster has stay as
 * they are. Relations, lists, polls' votes and accounts stay in the data folder.
 *
 * @param db - The file, which no other process may change meanwhile.
 */
export async function copyPosts(
  db: Db,
  writer: ClusterWriter,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (copied: Copied) => void },
): Promise<Copied> {
  const table = postTable(db);
  const copies = copier(db);
  const total = table.count();
  const collections = collectionTable(db).all();
  const lastCollection = metaOf(db).number('collections');
  const before = writer.state;
  const numbers = (list: readonly Collection[]): string =>
    list.map(({ id, name }) => `${id} ${name}`).join();
  if (before.posts > 0 && numbers(before.collections) !== numbers(collections)) {
    const message =
      'The ClickHouse database has other collections than the data folder; copy into a new database.';
    throw new ClusterError('failed', message);
  }
  const coverage = coverageTable(db);
  const created = coverage
    .firstCreated(MAX_CREATED)
    .map(({ id, ...at }) => ({ ...at, id: String(id) }));
  await writer.write({
    collections: () => ({ collections, lastCollection, covered: coverage.imported(), created }),
  });
  let object: Pick<StoredObject, 'kind' | 'key'> = { kind: '', key: '' };
  for (;;) {
    const objects = table.objectsAfter(object, OBJECTS);
    const last = objects.at(-1);
    if (!last || signal.aborted) break;
    await writer.write({ objects });
    object = last;
  }
  let copied = { added: 0, already: 0, total };
  let after = -1n;
  while (!signal.aborted) {
    const rows = table.after(after, BATCH);
    const last = rows.at(-1);
    if (!last) break;
    after = last.id;
    const ids = rows.map(({ id }) => id);
    const known = new Map((await writer.reader().states(ids)).map((each) => [each.id, each]));
    const missing = rows.filter(({ id }) => (known.get(id)?.state ?? GONE) === GONE);
    if (missing.length > 0) {
      await writer.write(copies.changes(missing, known));
    }
    const already = copied.already + rows.length - missing.length;
    copied = { total, already, added: copied.added + missing.length };
    onProgress(copied);
  }
  return copied;
}

/** True if a Post's row exists in both stores alike. */
export function isSame(row: PostRow, stored: StoredState & { readonly row: PostRow }): boolean {
  const isReplaced = (row.flags & SUPERSEDED) !== 0;
  if (stored.state !== (isReplaced ? REPLACED : COUNTED)) return false;
  const other = stored.row;
  return (
    row.createdAt === other.createdAt &&
    row.authorId === other.authorId &&
    row.username === other.username &&
    row.text === other.text &&
    row.lang === other.lang &&
    row.flags === other.flags &&
    row.rest === other.rest &&
    row.collections === other.collections
  );
}
