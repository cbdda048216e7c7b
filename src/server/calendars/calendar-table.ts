import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

const CALENDAR = columns({
  id: column.text,
  name: column.text,
  /** Null for a file. */
  url: column.textOrNull,
  /** Events, each once however often it repeats. */
  events: column.number,
  /** The parts that could not be used as they are, a sentence each. */
  notes: column.json<readonly string[]>(),
  /** Lines of the parts that are left out because they take too long. */
  skipped: column.json<readonly number[]>(),
  /** Epoch ms. */
  readAt: column.number,
  /** The reason the last download failed; null if it did not. */
  fault: column.textOrNull,
});

/** A calendar without its text. */
export type StoredCalendar = RowOf<typeof CALENDAR>;

/** The last reading of a calendar. */
export type CalendarReading = Omit<StoredCalendar, 'id' | 'url' | 'fault'>;

/** The calendars whose events are on boards. Changes are durable when a method returns. */
export type CalendarTable = ReturnType<typeof calendarTable>;

export function calendarTable(db: Db) {
  const there = 'removed_at IS NULL';
  const list = CALENDAR.select(db, `calendar WHERE ${there} ORDER BY id`);
  const find = CALENDAR.select(db, `calendar WHERE id = ? AND ${there}`);
  const content = db.prepare('SELECT content FROM calendar WHERE id = ?');
  const due = CALENDAR.select(
    db,
    `calendar WHERE url IS NOT NULL AND ${there}
    AND tried_at <= CASE WHEN fault IS NULL THEN ? ELSE ? END ORDER BY tried_at LIMIT 1`,
  );
  const add = db.prepare(
    `INSERT INTO calendar (name, url, events, notes, skipped, read_at, tried_at, content)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  );
  const read = db.prepare(
    `UPDATE calendar SET name = ?, events = ?, notes = ?, skipped = ?, read_at = ?, tried_at = ?, content = ?,
      fault = NULL WHERE id = ?`,
  );
  const fail = db.prepare('UPDATE calendar SET tried_at = ?, fault = ? WHERE id = ?');
  const skip = db.prepare('UPDATE calendar SET notes = ?, skipped = ? WHERE id = ?');
  const remove = db.prepare(`UPDATE calendar SET removed_at = ? WHERE id = ? AND ${there}`);
  const restore = db.prepare(
    `UPDATE calendar SET removed_at = NULL WHERE id = ? AND removed_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM calendar AS other WHERE other.url = calendar.url AND other.${there})`,
  );
  const over = db.prepare('SELECT 1 FROM calendar WHERE removed_at < ? LIMIT 1');
  const purge = db.prepare('DELETE FROM calendar WHERE removed_at < ?');
  return {
    list: (): StoredCalendar[] => list.all(),
    find: (id: string): StoredCalendar | undefined => find.get([Number(id)]),
    /** The text of a calendar; empty if there is none. */
    content: (id: string): string => String(content.get([Number(id)])?.[0] ?? ''),
    /** @returns The id. */
    add: (
      { name, events, notes, skipped, readAt }: CalendarReading,
      url: string | null,
      text: string,
    ): string =>
      db.write('add-calendar', () => {
        const lists = [JSON.stringify(notes), JSON.stringify(skipped)];
        const row = add.get([name, url, events, ...lists, readAt, readAt, text]);
        return String(row?.[0]);
      }),
    /** Replaces the text of a calendar. */
    read: (
      id: string,
      { name, events, notes, skipped, readAt }: CalendarReading,
      text: string,
    ): void => {
      const lists = [JSON.stringify(notes), JSON.stringify(skipped)];
      db.write('read-calendar', () =>
        read.run([name, events, ...lists, readAt, readAt, text, Number(id)]),
      );
    },
    /** Records a download that failed. */
    fail: (id: string, at: number, fault: string): void => {
      db.write('fail-calendar', () => fail.run([at, fault, Number(id)]));
    },
    /** Leaves out further lines. */
    skip: (id: string, { notes, skipped }: Pick<CalendarReading, 'notes' | 'skipped'>): void => {
      db.write('skip-calendar', () =>
        skip.run([JSON.stringify(notes), JSON.stringify(skipped), Number(id)]),
      );
    },
    /** One that is to be downloaded. @param read - Epoch ms; those read until then. @param failed - Those that failed until then. */
    due: (read: number, failed: number): StoredCalendar | undefined => due.get([read, failed]),
    /** @returns False if there is no such calendar. */
    remove: (id: string, at: number): boolean =>
      db.write('remove-calendar', () => remove.run([at, Number(id)]) > 0),
    /** @returns False if none of that id was removed, or its address was added again. */
    restore: (id: string): boolean =>
      db.write('restore-calendar', () => restore.run([Number(id)]) > 0),
    /** Deletes what was removed before a time, epoch ms. */
    purge: (before: number): void => {
      // Asked each second; a transaction would be written also for nothing.
      if (over.get([before])) db.write('purge-calendars', () => purge.run([before]));
    },
  };
}
