import type { Db } from '#server/db/driver.ts';

/** Sessions of a log that are known at most: those of some months. */
const MOST_SESSIONS = 1000;

/** The progress of a reader of a log. */
export interface LogPlace {
  readonly name: string;
  /** Number of the last entry that was read. */
  readonly cursor: number;
  /** Ids of the sessions of the log that it has read from since the last time. */
  readonly sessions?: readonly string[];
}

/** The positions of readers of logs, stored with what they read. */
export function logCursors(db: Db) {
  const cursorOf = db.prepare('SELECT value FROM cursor WHERE name = ?');
  const putCursor = db.prepare('INSERT OR REPLACE INTO cursor (name, value) VALUES (?, ?)');
  const sessions = db.prepare('SELECT id FROM log_session WHERE name = ?');
  const addSession = db.prepare(
    'INSERT INTO log_session (name, id) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const forgetSessions = db.prepare(
    `DELETE FROM log_session WHERE name = ? AND n NOT IN
    (SELECT n FROM log_session WHERE name = ? ORDER BY n DESC LIMIT ${MOST_SESSIONS})`,
  );

  const cursor = (name: string): number => Number(cursorOf.get([name])?.[0] ?? 0);
  return {
    /** The progress of a reader of the log; 0 at first. */
    cursor,
    /** Ids of the sessions of a log that its reader has read from. */
    sessions: (name: string): ReadonlySet<string> =>
      new Set(sessions.all([name]).map(([id]) => String(id))),
    /** Sets the cursor of a log back: its file was restored from a backup. */
    rewind: (name: string, cursor: number): void =>
      void db.write('rewind', () => putCursor.run([name, cursor])),
    /** Moves a cursor, within a write transaction. @throws {@link RangeError} if it does not increase. */
    move: ({ name, cursor: to, sessions: read = [] }: LogPlace): void => {
      const before = cursor(name);
      if (to <= before) {
        throw new RangeError(`expected a cursor of ${name} above ${before}, got ${to}`);
      }
      putCursor.run([name, to]);
      for (const id of read) addSession.run([name, id]);
      if (read.length > 0) forgetSessions.run([name, name]);
    },
  };
}
