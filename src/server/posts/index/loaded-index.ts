import { extent } from '#server/index/counting.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { OpenSegments } from '#server/index/segments.ts';
import type { Db } from '#server/db/driver.ts';
import { openPostTable } from '#server/posts/editor/open-posts.ts';
import { collectionTable } from '#server/posts/store/collections.ts';
import { coverageOf, coverageTable } from '#server/posts/store/coverage.ts';
import { revisions } from '#server/posts/store/revision.ts';
import { sourceCollections } from '#server/posts/store/source-collections.ts';
import { tombstoneTable } from '#server/posts/store/tombstones.ts';
import type { Span } from '#core/time/span.ts';
import type { StoredChunk } from './chunk-reader.ts';
import { chunkTable } from './chunks.ts';
import { deadSum } from './sums.ts';
import { StoreError } from '#server/db/store-error.ts';

/**
 * The index of a file as far as it is in memory, where it changes by `refresh` alone.
 *
 * @param version - Changes with everything that any connection commits.
 * @throws {@link StoreError} `index-damaged` from `refresh` if what was loaded is not all that was written.
 */
export function loadedIndex(db: Db, version: () => unknown) {
  const table = chunkTable(db);
  const openTable = openPostTable(db);
  const tombstones = tombstoneTable(db);
  const known = revisions(db);
  const collectionRows = collectionTable(db);
  const coverage = coverageTable(db);

  const open = new OpenSegments();
  let sealed = new Map<number, StoredChunk>();
  let lastOpen = 0;
  let shape = -1;
  let loaded: unknown;
  let revision = -1;
  let mark = '';
  /** Checksums of the rows of the open set, by number. */
  let rowSums = new Map<number, number>();
  /** Sum of these checksums. */
  let rowSum = 0;
  /** Sum of the checksums of the open set's tombstones. */
  let openDead = 0;
  let collections = sourceCollections([], [], new Map());
  /** Chunks without the Posts that do not count for now. */
  let chunks: readonly WholeChunk[] = [];
  let facts = extent(chunks);
  let covered: readonly Span[] = [];

  /** Loads the list of live chunks; a chunk itself never changes, except for its deleted Posts. */
  const reshape = (): void => {
    const live = table.counting();
    sealed = new Map(live.map((c) => [c, sealed.get(c) ?? table.read(c)]));
    const last = openTable.sealed();
    open.drop(last);
    rowSums = new Map([...rowSums].filter(([n]) => n > last));
    rowSum = [...rowSums.values()].reduce((total, sum) => total + sum, 0);
    lastOpen = Math.max(lastOpen, last);
  };

  /** Applies the tombstones since the last loaded revision; a newly read chunk already has its own. */
  const applyTombstones = (): void => {
    if (revision === -1) return;
    const died = new Map<number, number[]>();
    for (const { c, o } of tombstones.since(revision)) {
      const of = died.get(c);
      if (of) of.push(o);
      else died.set(c, [o]);
    }
    for (const [c, ordinals] of died) {
      if (c === 0) {
        open.markDeleted(ordinals);
        openDead = ordinals.reduce((sum, o) => sum + deadSum(0, o), openDead);
      } else {
        const chunk = sealed.get(c)?.withDeleted(ordinals.sort((a, b) => a - b));
        if (chunk) sealed.set(c, chunk);
      }
    }
  };

  /** @throws {@link StoreError} `index-damaged` if what was loaded is not all that was written. */
  const verify = (): void => {
    const sums = tombstones.sums();
    const ofOpen = sums.get(0) ?? 0;
    if (openDead !== ofOpen) {
      // At the start, and after tombstones of sealed Posts were removed.
      const all = tombstones.of(0);
      openDead = all.reduce((sum, o) => sum + deadSum(0, o), 0);
      open.markDeleted(all);
    }
    const isWhole =
      openDead === ofOpen &&
      known.mark(known.current()) !== null &&
      rowSum === openTable.sum() &&
      [...sealed.values()].every((chunk) => chunk.deadSum === (sums.get(chunk.c) ?? 0));
    if (!isWhole) throw new StoreError('index-damaged', db.file);
  };

  const refresh = (): void => {
    const now = version();
    if (now === loaded) return;
    db.read(() => {
      const [latest, latestShape] = [known.current(), table.shape()];
      if (latestShape !== shape) reshape();
      if (latest !== revision) {
        const added = openTable.after(lastOpen);
        open.add(added);
        lastOpen = added.at(-1)?.n ?? lastOpen;
        for (const { n, sum } of added) {
          rowSums.set(n, sum);
          rowSum += sum;
        }
        applyTombstones();
      }
      verify();
      if (latestShape === shape && latest === revision) return;
      mark = known.mark(latest) ?? '';
      [revision, shape] = [latest, latestShape];
      const all = [...sealed.values(), ...open.chunks];
      collections = sourceCollections(collectionRows.all(), all, collections.hidden);
      chunks = collections.shown;
      facts = extent(chunks);
      covered = coverageOf(coverage.parts(), (id) => collections.counts([id]));
    });
    loaded = now;
  };
  return {
    /** Loads what was committed since; cheap if there is nothing. */
    refresh,
    get chunks() {
      return chunks;
    },
    get facts() {
      return facts;
    },
    get covered() {
      return covered;
    },
    get collections() {
      return collections;
    },
    get revision() {
      return revision;
    },
    get mark() {
      return mark;
    },
    /** The version as of the last refresh. */
    get version() {
      return loaded;
    },
    /** Numbers of the sealed chunks. */
    sealed: (): number[] => [...sealed.keys()],
    /** True if chunks are still in the file; one that is no longer live is being removed, row by row. */
    areLive: (numbers: readonly number[]): boolean => {
      const live = new Set(table.live());
      return numbers.every((c) => live.has(c));
    },
    /** Revision of the file, whether loaded or not. */
    current: known.current,
    changes: known.changes,
  };
}
