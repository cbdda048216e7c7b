import { rmSync } from 'node:fs';
import { ATTRIBUTES } from '#core/catalog/attribute.ts';
import { openDb, type Db } from '#server/db/driver.ts';
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

/**
 * The content of a feed, in a file on this disk: all ids, and the rows to write. A feed of several gigabytes has too
 * much of both for memory.
 */
export interface FeedSpool {
  /** Adds rows whose products are written already. @param first - The number of the first one. */
  addIds(first: number, rows: readonly ProductRow[]): void;
  /** Adds a batch. @param rows - Those to write; @param of - all that it covers. */
  add(first: number, of: readonly ProductRow[], rows: readonly SpooledRow[]): void;
  /** Finds the repeated ids, after the last batch. */
  finish(): void;
  /** The batches in the order in which they were added; after `finish`. */
  batches(): Generator<SpooledBatch>;
  /** Removes the file. */
  close(): void;
}

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

const SUFFIXES = ['', '-journal', '-wal', '-shm'];

function openFile(file: string): Db {
  const db = openDb(file, { logged: false, flushed: false });
  // Ids are sorted in a file, too. Nothing of it is needed after a failure.
  db.exec('PRAGMA temp_store = FILE; PRAGMA cache_size = -16384;');
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  db.exec(`
    CREATE TABLE seen (number INTEGER PRIMARY KEY, line INTEGER NOT NULL, id TEXT NOT NULL);
    CREATE TABLE repeated (id TEXT PRIMARY KEY) WITHOUT ROWID;
    CREATE TABLE batch (first INTEGER PRIMARY KEY, count INTEGER NOT NULL, rows TEXT NOT NULL, texts TEXT NOT NULL);
  `);
  return db;
}

/** @param file - Is replaced; it need not survive a crash. */
export function openFeedSpool(file: string): FeedSpool {
  const remove = (): void => {
    for (const suffix of SUFFIXES) rmSync(file + suffix, { force: true });
  };
  remove();
  const db = openFile(file);
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
  const addIds = (first: number, rows: readonly ProductRow[]): void => {
    addSeen.run([first, JSON.stringify(rows.map((row) => [row.line, productId(row)]))]);
  };
  return {
    addIds: (first, rows) => db.write('ids', () => addIds(first, rows)),
    add: (first, of, rows) =>
      db.write('batch', () => {
        addIds(first, of);
        const cells = rows.map(({ number, row, text, digest }): Cells => [
          number,
          row.line,
          text.length,
          digest,
          row.fault,
        ]);
        const texts = rows.map(({ text }) => text).join('');
        addBatch.run([first, of.length, JSON.stringify(cells), texts]);
      }),
    finish: () =>
      db.write('repeated', () =>
        db.exec('INSERT INTO repeated SELECT id FROM seen GROUP BY id HAVING count(*) > 1'),
      ),
    batches: function* () {
      const isRepeated = some.get() !== undefined;
      for (let row = batches.get([0]); row; row = batches.get([row[0] ?? 0])) {
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
    close: () => {
      db.close();
      remove();
    },
  };
}
