import { label } from '#core/text/label.ts';
import { intersect, type Span } from '#core/time/span.ts';
import {
  newCollectionName,
  freeCollectionName,
  MOST_COLLECTIONS,
  POSTED_HERE,
  tooManyCollections,
  type Collection,
  type ImportSource,
} from '#server/posts/store/collections.ts';
import {
  importCoverage,
  type ImportedInto,
  type ImportEnd,
  type ImportTarget,
} from '#server/posts/editor/collection-import.ts';
import {
  coverageOf,
  coveredSince,
  extended,
  NO_COLLECTION,
  type CoveredPart,
} from '#server/posts/store/coverage.ts';

/** The collections of a store. */
export interface Collections {
  /** Removed ones included, in the order of their numbers. */
  readonly collections: readonly Collection[];
  /** The highest number that was assigned. */
  readonly lastCollection: number;
  /** The times that imports cover. */
  readonly covered: readonly CoveredPart[];
  /** The first {@link MAX_CREATED} Posts that were created through the interface and exist, by time. */
  readonly created: readonly CreatedIn[];
}

/** A Post that was created through the interface. */
export interface CreatedIn {
  readonly collection: number;
  readonly id: string;
  /** Epoch ms. */
  readonly createdAt: number;
}

/**
 * The number of created Posts that a state lists. Once all are deleted, coverage starts at the next one, so that missing
 * data never shows as zero.
 */
export const MAX_CREATED = 64;

/** The times that the store has data for, as `coverageOf`. */
export function coverageIn({ collections, covered, created }: Collections): Span[] {
  const counting = new Set(
    collections.flatMap(({ id, included, removedAt }) =>
      included && removedAt === null ? [id] : [],
    ),
  );
  const since = created.map(({ collection, createdAt }) => coveredSince(collection, createdAt));
  return coverageOf([...covered, ...since], (id) => counting.has(id));
}

/** The coverage of a state of an earlier program, which kept the ends of imports only. */
export function coverageBefore(
  collections: readonly Collection[],
  { first, last, posted }: { first: number | null; last: number | null; posted: boolean },
): Pick<Collections, 'covered' | 'created'> {
  if (first === null || last === null) return { covered: [], created: [] };
  const whole = { start: first, end: last + 1 };
  const imports = collections.filter(({ id }) => id !== POSTED_HERE);
  const of = imports.length === 0 ? [{ id: NO_COLLECTION, span: whole }] : imports;
  return {
    covered: of.flatMap(({ id, span }) => {
      const within = intersect(span, whole);
      return within ? extended([], id, [within]) : [];
    }),
    // The Posts that were created are not known; the newest one is surely none before the first of them.
    created: posted ? [{ collection: POSTED_HERE, id: '', createdAt: last }] : [],
  };
}

/** The collections of a new store: that of Posts made here. */
export const FIRST_COLLECTIONS: Collections = {
  collections: [
    {
      id: POSTED_HERE,
      name: 'Posted here',
      source: null,
      kind: null,
      importedAt: null,
      read: null,
      added: null,
      span: { start: 0, end: 0x1_0000_0000 * 1000 },
      included: true,
      removedAt: null,
    },
  ],
  lastCollection: POSTED_HERE,
  covered: [],
  created: [],
};

/** The collection with a name, as queries compare names. */
export function collectionNamed(all: readonly Collection[], name: string): Collection | null {
  const folded = label(name);
  return all.find((each) => each.removedAt === null && label(each.name) === folded) ?? null;
}

/** The collection that an import continues; null if it is a new one. */
function continued(all: readonly Collection[], { source, name }: ImportSource): Collection | null {
  const found =
    name === undefined
      ? all.findLast((each) => each.removedAt === null && each.source === source)
      : collectionNamed(all, name);
  return found && found.id > POSTED_HERE ? found : null;
}

/** A function that makes the collections after a change of those before it. */
export type CollectionChange = (before: Collections) => Collections;

/**
 * The collection that an import fills.
 *
 * @param next - Gives a number that no collection has.
 * @throws {@link CollectionError} if there are too many collections.
 */
export function openedCollection(
  { collections }: Collections,
  into: ImportTarget,
  next: () => number,
) {
  const { now, source } = into;
  const before = continued(collections, into);
  if (!before && collections.length >= MOST_COLLECTIONS) throw tooManyCollections();
  const id = before?.id ?? next();
  /** The collection as the last batch left it; null before the first one. */
  let current = before;
  const changed =
    (
      change: (found: Collection | null, all: readonly Collection[]) => Collection,
      spans: readonly Span[],
    ) =>
    ({ collections: all, lastCollection, covered, created }: Collections): Collections => {
      const others = all.filter((each) => each.id !== id);
      current = change(all.find((each) => each.id === id) ?? null, others);
      return {
        collections: [...others, current].sort((a, b) => a.id - b.id),
        lastCollection: Math.max(lastCollection, id),
        covered: extended(covered, id, spans),
        created,
      };
    };
  return {
    id,
    /**
     * The change when Posts come, at instants in epoch ms. The first ones create the collection.
     *
     * @param read - From the first to the last Post of each file so far.
     */
    extended: (
      added: number,
      instants: readonly number[],
      read: readonly Span[],
    ): CollectionChange => {
      const start = instants.reduce((least, instant) => Math.min(least, instant), Infinity);
      const end = instants.reduce((most, instant) => Math.max(most, instant), -Infinity) + 1;
      return changed(
        (found, others) =>
          found
            ? {
                ...found,
                added: (found.added ?? 0) + added,
                span: {
                  start: Math.min(found.span.start, start),
                  end: Math.max(found.span.end, end),
                },
                importedAt: now(),
              }
            : {
                id,
                name: freeCollectionName(
                  newCollectionName(into),
                  (wanted) => collectionNamed(others, wanted) !== null,
                ),
                source,
                kind: null,
                importedAt: now(),
                read: 0,
                added,
                span: { start, end },
                included: true,
                removedAt: null,
              },
        importCoverage(into, read, false),
      );
    },
    /** The change at the end of the import; null if no Post came. */
    finished: (
      { read, kinds, isWhole }: ImportEnd,
      files: readonly Span[],
    ): CollectionChange | null => {
      const filled = current;
      if (!filled) return null;
      return changed(
        (found) => ({
          ...(found ?? filled),
          read,
          kind: [...kinds].sort().join(', '),
          importedAt: now(),
        }),
        importCoverage(into, files, isWhole),
      );
    },
    /** Null if no Post came. */
    info: (): ImportedInto | null => current && { id, name: current.name },
  };
}

/** A collection that an import fills. */
export type OpenCollection = ReturnType<typeof openedCollection>;
