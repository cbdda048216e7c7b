import { label } from '#core/text/label.ts';
import {
  cleanName,
  CollectionError,
  MOST_COLLECTIONS,
  MOST_NAME,
  POSTED_HERE,
} from '#server/posts/collections.ts';
import type { Collection, ImportSource } from '#server/posts/collections.ts';
import type { ImportedInto, ImportEnd, ImportTarget } from '#server/posts/collection-import.ts';

/** The collections of a store. */
export interface Collections {
  /** Removed ones included, in the order of their numbers. */
  readonly collections: readonly Collection[];
  /** The highest number that was assigned. */
  readonly lastCollection: number;
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
};

/** The collection with a name, as queries compare names. */
export function collectionNamed(all: readonly Collection[], name: string): Collection | null {
  const folded = label(name);
  return all.find((each) => each.removedAt === null && label(each.name) === folded) ?? null;
}

/** A name that no collection has. */
function freeName(all: readonly Collection[], wanted: string): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? '' : ` (${n})`;
    const cut = Array.from(wanted).slice(0, MOST_NAME - end.length);
    const name = cut.join('').trim() + end;
    if (!collectionNamed(all, name)) return name;
  }
}

/** The collection that an import continues; null if it is a new one. */
function continued(all: readonly Collection[], { source, name }: ImportSource): Collection | null {
  const found =
    name === undefined
      ? all.findLast((each) => each.removedAt === null && each.source === source)
      : collectionNamed(all, name);
  return found && found.id > POSTED_HERE ? found : null;
}

/** The collection that an import fills. */
export interface OpenedCollection {
  readonly id: number;
  /** The collections after Posts came, at instants in epoch ms. The first ones create the collection. */
  extended(added: number, instants: readonly number[]): Collections;
  /** The collections after the import; null if no Post came. */
  finished(end: ImportEnd): Collections | null;
  /** Null if no Post came. */
  info(): ImportedInto | null;
}

/** @throws {@link CollectionError} if there are too many collections. */
export function openedCollection(state: Collections, into: ImportTarget): OpenedCollection {
  const { now, source, name } = into;
  const before = continued(state.collections, into);
  if (!before && state.collections.length >= MOST_COLLECTIONS) {
    throw new CollectionError(
      `There are ${MOST_COLLECTIONS} collections, which is the limit: remove one, or import into one of them.`,
    );
  }
  const id = before?.id ?? state.lastCollection + 1;
  let current = before;
  const all = (): Collections => {
    const others = state.collections.filter((each) => each.id !== id);
    const collections = [...others, ...(current ? [current] : [])].sort((a, b) => a.id - b.id);
    return { collections, lastCollection: Math.max(state.lastCollection, id) };
  };
  return {
    id,
    extended: (added, instants) => {
      const start = instants.reduce((least, instant) => Math.min(least, instant), Infinity);
      const end = instants.reduce((most, instant) => Math.max(most, instant), -Infinity) + 1;
      current = current
        ? {
            ...current,
            added: (current.added ?? 0) + added,
            span: {
              start: Math.min(current.span.start, start),
              end: Math.max(current.span.end, end),
            },
            importedAt: now(),
          }
        : {
            id,
            name: freeName(state.collections, cleanName(name ?? source)),
            source,
            kind: null,
            importedAt: now(),
            read: 0,
            added,
            span: { start, end },
            included: true,
            removedAt: null,
          };
      return all();
    },
    finished: ({ read, kinds }) => {
      if (!current) return null;
      current = { ...current, read, kind: [...kinds].sort().join(', '), importedAt: now() };
      return all();
    },
    info: () => current && { id, name: current.name },
  };
}
