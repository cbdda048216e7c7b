import { existsSync, rmSync } from 'node:fs';
import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import { openDb, textOrNull, type Db } from '#server/db/driver.ts';
import type { FeedPlace } from './product-file.ts';
import { productId, type ProductRow } from './product-row.ts';

/** A row of a feed that may have to be written. */
export interface SpooledRow {
  /** From 1 on. */
  readonly number: number;
  readonly row: ProductRow;
  /** See {@link packed}; '' for a malformed row. */
  readonly text: string;
  /** Of its text. */
  readonly digest: string;
}

/** A row whose id the feed has more than once. */
export interface RepeatedRow {
  readonly number: number;
  readonly line: number;
  readonly id: string;
}

/** Rows that are written in one transaction. */
export interface SpooledBatch {
  /** The number of rows of the feed that it covers: those that follow the batch before. */
  readonly count: number;
  /** Those of them that are not known to be as the catalog has them. */
  readonly rows: readonly SpooledRow[];
  readonly repeated: readonly RepeatedRow[];
}

/** The end of reading a feed. */
export interface SpoolEnd {
  /** The reason the feed cannot be read to its end, without its name; null if it was. */
  readonly fault: string | null;
  /** Names of columns or elements that are no attributes. */
  readonly ignored: readonly string[];
}

/**
 * The content of a feed, in a file on this disk: all ids, and the rows to write. A feed of several gigabytes has too
 * much of both for memory. The file survives the end of the process, so that reading continues where it was.
 */
export type FeedSpool = ReturnType<typeof openFeedSpool>;

/** Separates the values of a row. */
const SEPARATOR = '\u007f';

/** The characters that a text column does not give back as they were. */
const UNSTORED = /[\0\ud800-\udfff]/;

/** Values of a row as one text, different for different values, that a text column gives back. */
export function packed(values: readonly string[]): string {
  const text = values.join(SEPARATOR);
  const isPlain = !UNSTORED.test(text) && !values.some((value) => value.includes(SEPARATOR));
  return isPlain ? text : JSON.stringify(values).replaceAll(SEPARATOR, '\\u007f');
}

function unpacked(text: string): readonly string[] {
  const values = text.split(SEPARATOR);
  return values.length === ATTRIBUTES.length ? values : (JSON.parse(text) as string[]);
}

/** A row as stored, apart from its text; its fault is '' unless it is malformed. */
type Cells = readonly [number: number, line: number, length: number, digest: string, fault: string];

/** Rows of a batch from their cells and from their texts, one after the other. */
function spooledRows(cells: readonly Cells[], texts: string): SpooledRow[] {
  let from = 0;
  return cells.map(([number, line, length, digest, fault]) => {
    const text = texts.slice(from, (from += length));
    const values = fault === '' ? unpacked(text) : null;
    return { number, row: { line, values, fault }, text, digest };
  });
}

const SUFFIXES = ['', '-wal', '-shm'];

/** Removes the file of a spool, if there is one. */
export function removeSpool(file: string): void {
  for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
}

function openFile(file: string): Db {
  const db = openDb(file, { flushed: false });
  // Ids are sorted in a file, too.
  db.exec('PRAGMA temp_store = FILE; PRAGMA cache_size = -16384;');
  // Each move of the log to the file waits for the disk.
  db.exec('PRAGMA wal_autocheckpoint = 8000;');
  return db;
}

/** The file of a process that ended before; null if it has another feed, or cannot be read. */
function earlierFile(file: string, source: string): Db | null {
  if (!existsSync(file)) return null;
  let db: Db | null = null;
  try {
    db = openFile(file);
    if (db.prepare('SELECT source FROM state').get()?.[0] === source) return db;
  } catch {
    // It is as good as none, and is made again.
  }
  db?.close();
  return null;
}

function newFile(file: string, source: string): Db {
  removeSpool(file);
  const db = openFile(file);
  db.write('spool', () => {
    db.exec(`
      CREATE TABLE state (source TEXT NOT NULL, rows INTEGER NOT NULL, place TEXT, end TEXT);
      CREATE TABLE seen (number INTEGER PRIMARY KEY, line INTEGER NOT NULL, id TEXT NOT NULL);
      CREATE TABLE repeated (id TEXT PRIMARY KEY) WITHOUT ROWID;
      CREATE TABLE batch (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, rows TEXT NOT NULL, texts TEXT NOT NULL);
    `);
    db.prepare('INSERT INTO state (source, rows) VALUES (?, 0)').run([source]);
  });
  return db;
}

/**
 * Opens a spool.
 *
 * @param file - Is replaced, unless a process that ended before has left the spool of the same feed there.
 * @param source - Identifies the feed and how it is read.
 */
export function openFeedSpool(file: string, source: string) {
  const db = earlierFile(file, source) ?? newFile(file, source);
  const addSeen = db.prepare(
    "INSERT INTO seen (number, line, id) SELECT ? + key, value ->> 0, value ->> 1 FROM json_each(?) WHERE value ->> 1 <> ''",
  );
  const addBatch = db.prepare('INSERT INTO batch (first, count, rows, texts) VALUES (?, ?, ?, ?)');
  const batches = db.prepare(
    'SELECT first, count, rows, texts FROM batch WHERE first > ? ORDER BY first LIMIT 1',
  );
  const some = db.prepare('SELECT 1 FROM repeated LIMIT 1');
  const repeated = db.prepare(
    'SELECT number, line, id FROM seen WHERE number >= ? AND number < ? AND id IN (SELECT id FROM repeated) ORDER BY number',
  );
  const state = db.prepare('SELECT rows, place, end FROM state');
  const move = db.prepare('UPDATE state SET rows = rows + ?, place = ?');
  const end = db.prepare('UPDATE state SET end = ?');
  const rowCount = (): number => Number(state.get()?.[0]);
  const parsed = (column: number): unknown => {
    const text = textOrNull(state.get()?.[column]);
    return text === null ? null : JSON.parse(text);
  };
  return {
    /** The number of rows that it has. */
    rows: rowCount,
    /** The last place of the feed that is not after them; null for its beginning. */
    place: (): FeedPlace | null => parsed(1) as FeedPlace | null,
    /** Null until the feed was read. */
    end: (): SpoolEnd | null => parsed(2) as SpoolEnd | null,
    /**
     * Adds a batch.
     *
     * @param of - All rows that it covers.
     * @param rows - Those to write.
     */
    add: (of: readonly ProductRow[], rows: readonly SpooledRow[], place: FeedPlace | null): void =>
      db.write('batch', () => {
        const first = rowCount() + 1;
        addSeen.run([first, JSON.stringify(of.map((row) => [row.line, productId(row)]))]);
        const cells = rows.map(({ number, row, text, digest }): Cells => [
          number,
          row.line,
          text.length,
          digest,
          row.fault,
        ]);
        const texts = rows.map(({ text }) => text).join('');
        addBatch.run([first, of.length, JSON.stringify(cells), texts]);
        move.run([of.length, place && JSON.stringify(place)]);
      }),
    /** Finds the repeated ids, after the last batch. */
    finish: (ended: SpoolEnd): void =>
      db.write('repeated', () => {
        db.exec('INSERT INTO repeated SELECT id FROM seen GROUP BY id HAVING count(*) > 1');
        end.run([JSON.stringify(ended)]);
      }),
    /** The batches in the order in which they were added; after `finish`. @param after - Rows that are left out. */
    batches: function* (after: number): Generator<SpooledBatch> {
      const isRepeated = some.get() !== undefined;
      for (let row = batches.get([after]); row; row = batches.get([row[0] ?? 0])) {
        const [first, count] = [Number(row[0]), Number(row[1])];
        const found = isRepeated ? repeated.all([first, first + count]) : [];
        yield {
          count,
          rows: spooledRows(JSON.parse(String(row[2])) as Cells[], String(row[3])),
          repeated: found.map(([number, line, id]) => ({
            number: Number(number),
            line: Number(line),
            id: String(id),
          })),
        };
      }
    },
    /** @param isOver - True to remove the file. */
    close: (isOver: boolean): void => {
      db.close();
      if (isOver) removeSpool(file);
    },
  };
}
