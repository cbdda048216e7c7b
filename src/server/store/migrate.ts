import { openDb, StoreError } from './db.ts';
import type { Db, DbOptions } from './db.ts';
import { metaOf } from './meta.ts';

/** What makes the files of one kind: a mark in the header, and the steps from one format to the next. */
export interface Kind {
  /** SQLite's application id, by which a file tells whose it is. */
  readonly application: number;
  /** Step i leads from format i to format i + 1. */
  readonly steps: readonly string[];
}

function pragma(db: Db, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[0] ?? 0);
}

/**
 * Opens a store file of a kind, made if it is absent, brought to the newest format if it is older.
 *
 * @param made - called once, in the transaction that makes the file.
 * @throws {@link StoreError} `not-a-store` if the file is another program's; `newer-version` if its
 *   format is newer than this program knows; else as {@link openDb}.
 */
export function openStore(
  file: string,
  kind: Kind,
  made: (db: Db) => void,
  options: DbOptions = {},
): Db {
  const db = openDb(file, options);
  const newest = kind.steps.length;
  const format = (): number => {
    const application = pragma(db, 'application_id');
    if (application === kind.application) return metaOf(db).number('format');
    if (application !== 0 || pragma(db, 'schema_version') !== 0) {
      throw new StoreError('not-a-store', file);
    }
    return 0;
  };
  try {
    if (format() < newest) {
      db.write('migrate', () => {
        const from = format();
        for (const step of kind.steps.slice(from)) db.exec(step);
        metaOf(db).put('format', newest);
        if (from === 0) {
          db.exec(`PRAGMA application_id = ${kind.application}`);
          made(db);
        }
      });
    }
    if (format() > newest) throw new StoreError('newer-version', file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
