import { label } from '#core/text/label.ts';
import type { Span } from '#core/time/span.ts';
import { numberOrNull, textOrNull, type Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';

/** The collection of Posts that were created through the interface, or added live. 1 is that of Posts from before there were collections. */
export const POSTED_HERE = 2;

/** The time for which the Posts of a removed collection can be restored. */
export const RESTORABLE_MS = 30 * 60_000;

/** Most collections of a file; more make every count slower. */
export const MOST_COLLECTIONS = 1000;

/** Most characters of a name: a query has room for several. */
export const MOST_NAME = 80;

/** Thrown when a collection cannot be as it is ordered to be; the message is for the user. */
export class CollectionError extends Error {
  override readonly name = 'CollectionError';
}

/** A named part of Your posts. */
export interface Collection {
  readonly id: number;
  readonly name: string;
  /** Names of the imported files; null if no file brought the Posts, or it is unknown. */
  readonly source: string | null;
  /** Kinds of the files; null as for `source`. */
  readonly kind: string | null;
  /** The time at which its last import last wrote to the store, epoch ms; null as for `source`. */
  readonly importedAt: number | null;
  /** Rows that the last import read; null as for `source`. */
  readonly read: number | null;
  /** Posts that its imports added to the store; null as for `source`. */
  readonly added: number | null;
  /** Contains every Post that it ever had. */
  readonly span: Span;
  /** True if its Posts count. */
  readonly included: boolean;
  /** The time at which it was removed, epoch ms; null if it was not. */
  readonly removedAt: number | null;
}

/** The collection of an import. */
export interface ImportSource {
  /** Names of the files. */
  readonly source: string;
  /** Name of the collection; that of the files if absent. */
  readonly name?: string | undefined;
  /** Number of the files; absent if there is only one. */
  readonly files?: number;
}

/** The name of a new collection: as chosen, else that of its file, or of the first of several. */
export function newCollectionName({ source, name, files = 1 }: ImportSource): string {
  const [first] = source.split(', ');
  return cleanName(name ?? (files > 1 ? `${first} and ${files - 1} more` : source));
}

/** Later than every Post. */
const END = 0x1_0000_0000 * 1000;

/** A name that a query can contain: without quotation marks and invisible characters. */
export function cleanName(name: string): string {
  const plain = name
    .replaceAll(/["\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const cut = Array.from(plain).slice(0, MOST_NAME).join('').trim();
  return /[\p{L}\p{N}_]/u.test(cut) ? cut : 'Import';
}

/** @throws {@link CollectionError} if a query could not contain the name. */
function checkName(name: string): void {
  if (name !== '' && name === cleanName(name)) return;
  throw new CollectionError(
    `A collection's name has a letter or a digit, at most ${MOST_NAME} characters and no quotation marks; ${JSON.stringify(name.slice(0, 200))} is not such a name.`,
  );
}

/** A name that is not taken: the wanted one, perhaps with a number. */
export function freeCollectionName(wanted: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) {
    const end = n === 1 ? '' : ` (${n})`;
    const cut = Array.from(wanted).slice(0, MOST_NAME - end.length);
    const name = cut.join('').trim() + end;
    if (!isTaken(name)) return name;
  }
}

export function tooManyCollections(): CollectionError {
  return new CollectionError(
    `There are ${MOST_COLLECTIONS} collections, which is the limit: remove one, or import into one of them.`,
  );
}

/** Collections of a file. Functions that change it run within write transactions. */
export function collectionTable(db: Db) {
  const meta = metaOf(db);
  const all = db.prepare(
    `SELECT id, name, source, kind, imported_at, read, added, first, last, included, removed_at
     FROM collection ORDER BY id`,
  );
  const insert = db.prepare(
    `INSERT INTO collection (id, name, folded, source, read, added, included) VALUES (?, ?, ?, ?, 0, 0, 1)`,
  );
  const extend = db.prepare(
    `UPDATE collection SET added = added + ?1, first = min(coalesce(first, ?2), ?2),
     last = max(coalesce(last, ?3), ?3), imported_at = ?4 WHERE id = ?5`,
  );
  const finish = db.prepare(
    'UPDATE collection SET read = ?, kind = ?, imported_at = ? WHERE id = ?',
  );
  const rename = db.prepare('UPDATE collection SET name = ?, folded = ? WHERE id = ?');
  const include = db.prepare('UPDATE collection SET included = ? WHERE id = ?');
  const remove = db.prepare('UPDATE collection SET removed_at = ? WHERE id = ?');
  const drop = db.prepare('DELETE FROM collection WHERE id = ?');
  const named = db.prepare(
    'SELECT id FROM collection WHERE folded = ? AND removed_at IS NULL AND id <> ?',
  );
  const imported = db.prepare(
    'SELECT id FROM collection WHERE source = ? AND removed_at IS NULL ORDER BY id DESC',
  );
  const count = db.prepare('SELECT count(*) FROM collection');

  const holder = (name: string, except = 0): number | null =>
    numberOrNull(named.get([label(name), except])?.[0]);
  const free = (wanted: string, except: number): string =>
    freeCollectionName(wanted, (name) => holder(name, except) !== null);
  const read = (): Collection[] =>
    all.all().map(([id, name, source, kind, at, rows, added, first, last, included, removed]) => ({
      id: Number(id),
      name: String(name),
      source: textOrNull(source),
      kind: textOrNull(kind),
      importedAt: numberOrNull(at),
      read: numberOrNull(rows),
      added: numberOrNull(added),
      span: { start: numberOrNull(first) ?? 0, end: (numberOrNull(last) ?? END - 1) + 1 },
      included: Number(included) === 1,
      removedAt: numberOrNull(removed),
    }));
  return {
    /** All collections, removed ones included, in the order of their numbers. */
    all: read,
    /** The collection that an import continues; null if it is a new one. */
    continued: ({ source, name }: ImportSource): number | null => {
      const id = name === undefined ? numberOrNull(imported.get([source])?.[0]) : holder(name);
      return id === null || id <= POSTED_HERE ? null : id;
    },
    /** Assigns the number of a new collection. @throws {@link CollectionError} if there are too many. */
    assign: (): number => {
      if (Number(count.get()?.[0]) >= MOST_COLLECTIONS) {
        throw tooManyCollections();
      }
      const id = meta.number('collections') + 1;
      meta.put('collections', id);
      return id;
    },
    /** Adds a collection, under another name if its name is taken. */
    create: (id: number, from: ImportSource) => {
      const given = free(newCollectionName(from), id);
      insert.run([id, given, label(given), from.source]);
    },
    /** Records Posts that an import put into a collection: how many are new, what contains them all, and when. */
    extend: (
      id: number,
      { added, span: { start, end } }: { readonly added: number; readonly span: Span },
      at: number,
    ): void => void extend.run([added, start, end - 1, at, id]),
    /** Records the end of an import. */
    finish: (id: number, rows: number, kind: string, at: number): void =>
      void finish.run([rows, kind, at, id]),
    /** @throws {@link CollectionError} if another collection has the name. */
    rename: (id: number, name: string) => {
      checkName(name);
      if (holder(name, id) !== null) {
        throw new CollectionError(`Another collection is named “${name}”.`);
      }
      rename.run([name, label(name), id]);
    },
    include: (id: number, included: boolean): void => void include.run([included ? 1 : 0, id]),
    remove: (id: number, at: number): void => void remove.run([at, id]),
    /** Undoes {@link CollectionTable.remove}, under another name if its name is taken. */
    restore: (id: number) => {
      const name = read().find((collection) => collection.id === id)?.name ?? '';
      const given = free(name, id);
      rename.run([given, label(given), id]);
      remove.run([null, id]);
    },
    /** Drops a removed collection, which has no Posts any more. */
    drop: (id: number): void => void drop.run([id]),
  };
}
