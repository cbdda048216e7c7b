import type { Db } from '#server/db/driver.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { chunkTable, type PostPlace } from '#server/posts/index/chunks.ts';
import { intersect, type Span } from '#core/time/span.ts';
import { collectionTable, type ImportSource } from '#server/posts/store/collections.ts';
import { indexPosts, openPostTable } from './open-posts.ts';
import {
  collectionsOf,
  postTable,
  SUPERSEDED,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { changedSpans, revisions } from '#server/posts/store/revision.ts';
import { storedTerms } from '#server/posts/store/stored-post.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import { StoreError } from '#server/db/store-error.ts';

/** The collection that an import fills. */
export interface ImportTarget extends ImportSource {
  /** The time that its files cover, as the user says, epoch ms; absent: each from its first to its last Post. */
  readonly covers?: Span | undefined;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The end of an import. */
export interface ImportEnd {
  /** Rows that it read. */
  readonly read: number;
  /** Kinds of its files. */
  readonly kinds: ReadonlySet<string>;
  /** True if it read its files to their ends. */
  readonly isWhole: boolean;
}

/** The times that an import covers by its files, as far as they were read. */
export function importCoverage(
  { covers }: Pick<ImportTarget, 'covers'>,
  read: readonly Span[],
  isWhole: boolean,
): Span[] {
  if (!covers) return [...read];
  return isWhole ? [covers] : read.flatMap((span) => intersect(span, covers) ?? []);
}

/** The collection that an import filled. */
export interface ImportedInto {
  readonly id: number;
  readonly name: string;
}

/**
 * The places of Posts that count.
 *
 * @throws {@link StoreError} `unindexed` if one is nowhere in the index.
 */
export function postPlaces(db: Db) {
  const open = openPostTable(db);
  const chunks = chunkTable(db);
  return (rows: readonly PostRow[]): PostPlace[] => {
    const inChunks = chunks.findAll(rows);
    return rows.map(({ id }) => {
      const n = open.find(id);
      const place = n === null ? inChunks.get(id) : { c: 0, o: n };
      if (!place) throw new StoreError('unindexed', db.file);
      return place;
    });
  };
}

/**
 * Puts Posts into other collections, within a write transaction. Each that counts is indexed again: a chunk never changes.
 *
 * @throws {@link StoreError} `unindexed` if one counts but is nowhere in the index.
 */
export function collectionMove(db: Db) {
  const posts = postTable(db);
  const open = openPostTable(db);
  const chunks = chunkTable(db);
  const tombstones = tombstoneTable(db);
  const revision = revisions(db);
  const placesOf = postPlaces(db);
  /** @param changed - By the time of the Posts. */
  return (changed: readonly { readonly row: PostRow; readonly collections: string }[]): void => {
    const counted = changed.filter(({ row }) => (row.flags & SUPERSEDED) === 0);
    const places = placesOf(counted.map(({ row }) => row));
    const builder = new ChunkBuilder();
    for (const { row, collections } of counted) {
      builder.add(row.id, row.createdAt, storedTerms({ ...row, collections }, posts.object));
    }
    for (const { row, collections } of changed) posts.setCollections(row, collections);
    if (builder.size === 0) return;
    const chunk = builder.build();
    indexPosts({ open, chunks }, chunk, builder);
    const raised = revision.raise(changedSpans(counted.map(({ row }) => row.createdAt)));
    for (const place of places) tombstones.add(place, raised);
  };
}

/**
 * The collection of an import; all functions but `info` run within write transactions.
 *
 * @throws {@link CollectionError} if there are too many collections.
 */
export function openCollection(db: Db, { now, ...source }: ImportTarget) {
  const table = collectionTable(db);
  const posts = postTable(db);
  const move = collectionMove(db);
  const id = table.continued(source) ?? db.write('collection', () => table.assign());

  const extend = (added: number, instants: ArrayLike<number>): void => {
    if (instants.length === 0) return;
    // Also where it was removed for good during the import.
    if (!table.all().some((collection) => collection.id === id)) table.create(id, source);
    const span = { start: instants[0]!, end: instants[instants.length - 1]! + 1 };
    table.extend(id, { added, span }, now());
  };

  /** The collections of a row, with this one. */
  const joined = (row: PostRow): string =>
    [...collectionsOf(row), id].sort((a, b) => a - b).join(' ');
  const join = (ids: readonly bigint[]): bigint[] => {
    const rows = posts
      .rows(ids)
      .filter((row) => !collectionsOf(row).includes(id))
      .sort((a, b) => a.createdAt - b.createdAt);
    if (rows.length === 0) return [];
    extend(
      0,
      rows.map(({ createdAt }) => createdAt),
    );
    move(rows.map((row) => ({ row, collections: joined(row) })));
    return rows.map((row) => row.id);
  };

  return {
    id,
    /** Records new Posts, at instants in epoch ms, ascending. The first ones create the collection. */
    extend,
    /**
     * Puts Posts that exist into the collection. Each is indexed again: a chunk never changes. Those that do not exist any
     * more, or are in it, are left out.
     *
     * @returns The ids of the others.
     * @throws {@link StoreError} `unindexed` if one counts but is nowhere in the index.
     */
    join,
    finish: ({ read, kinds }: ImportEnd): void =>
      table.finish(id, read, [...kinds].sort().join(', '), now()),
    /** Null if it does not exist: nothing came. */
    info: (): ImportedInto | null => {
      const found = table.all().find((collection) => collection.id === id);
      return found ? { id, name: found.name } : null;
    },
  };
}
