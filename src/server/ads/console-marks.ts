import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { openDb } from '#server/db/driver.ts';

/** The kind of the figures of an import: metrics, or a reach. */
export type FigureKind = 'metrics' | 'reach';

/** The content of the rows of an import so far. Beyond 32 MB on disk, because an export may have millions of rows. */
export type ConsoleMarks = ReturnType<typeof openConsoleMarks>;

/** No figure is longer, even if its zone repeats a part of the day. */
const LONGEST_MS = 2 * DAY_MS;

/** @throws {@link StoreError} if the disk has no space for it. */
export function openConsoleMarks() {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-ads-'));
  const db = openDb(join(folder, 'marks.sqlite'), { logged: false, flushed: false });
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
  db.exec(`
    CREATE TABLE repeated (hour TEXT PRIMARY KEY, rows INTEGER NOT NULL, taken INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE time (
      entity INTEGER NOT NULL, kind TEXT NOT NULL, start INTEGER NOT NULL, until INTEGER NOT NULL,
      PRIMARY KEY (entity, kind, start, until)
    ) WITHOUT ROWID;
    CREATE TABLE said (entity INTEGER PRIMARY KEY, fields TEXT NOT NULL);
  `);
  // Never committed: pages go to the file only when memory is full.
  db.exec('BEGIN');
  const count = db.prepare(
    'INSERT INTO repeated VALUES (?, 1, 0) ON CONFLICT DO UPDATE SET rows = rows + 1',
  );
  const take = db.prepare(
    'UPDATE repeated SET taken = taken + 1 WHERE hour = ? RETURNING rows, taken - 1',
  );
  const overlapping = db.prepare(
    'SELECT 1 FROM time WHERE entity = ? AND kind = ? AND start > ? AND start < ? AND until > ? LIMIT 1',
  );
  const same = db.prepare(
    'SELECT 1 FROM time WHERE entity = ? AND kind = ? AND start = ? AND until = ?',
  );
  const add = db.prepare('INSERT OR IGNORE INTO time VALUES (?, ?, ?, ?)');
  const said = db.prepare('SELECT fields FROM said WHERE entity = ?');
  const say = db.prepare('INSERT OR REPLACE INTO said VALUES (?, ?)');
  const fields = (entity: number): readonly string[] => {
    const [names] = said.get([entity]) ?? [];
    return names === undefined ? [] : String(names).split(',');
  };
  return {
    /** Notes a row at a local hour that occurs twice. @param hour - Names its entity and the hour. */
    countRepeated: (hour: string): void => void count.run([hour]),
    /** Takes a row at such an hour. @returns The number of rows, and of those that came before. */
    takeRepeated: (hour: string): { readonly rows: number; readonly before: number } => {
      const [row] = take.all([hour]);
      if (!row) throw new RangeError(`expected an hour that was counted, got ${hour}`);
      return { rows: Number(row[0]), before: Number(row[1]) };
    },
    /** Forgets the hours, before the next file. */
    forgetRepeated: (): void => db.exec('DELETE FROM repeated'),
    /** True if a row had metrics of a time that overlaps the span, or a reach of exactly the span. */
    hasTime: (entity: number, kind: FigureKind, { start, end }: Span): boolean => {
      const found =
        kind === 'reach'
          ? same.get([entity, kind, start, end])
          : overlapping.get([entity, kind, start - LONGEST_MS, end, start]);
      return found !== undefined;
    },
    addTime: (entity: number, kind: FigureKind, { start, end }: Span): void =>
      void add.run([entity, kind, start, end]),
    /** Names of the fields of an entity that rows have set. */
    fields,
    addFields: (entity: number, names: readonly string[]) => {
      const known = fields(entity);
      const more = names.filter((name) => !known.includes(name));
      if (more.length > 0) say.run([entity, [...known, ...more].join(',')]);
    },
    close: () => {
      db.close();
      rmSync(folder, { recursive: true });
    },
  };
}
