import type { EventType } from '#contract/streams/events.ts';
import type { Json } from '#core/import/json.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';

/** Types of entries: those of events, and the edit of a Post, which no subscription names. */
export type LogType = EventType | 'post.edit';

/** Something that happened, before it is in the log. */
export interface NewEvent {
  readonly type: LogType;
  /** Ids of the accounts that it concerns, such as author and mentioned accounts, or source and target. */
  readonly users: readonly string[];
  /** Id of the Post that it is about. */
  readonly post: string | null;
  /** The data that cannot be read later, such as the former value. */
  readonly body: Json;
}

/** An event of the service's own file, by the random id that it has there. */
export interface OutboxEvent extends NewEvent {
  readonly origin: string;
}

/** The time for which entries stay (platform-facts-additions, section 5: recovery covers the last 24 hours). */
export const LOG_MS = DAY_MS;

/** Characters that the entries may have together, unless the file says otherwise. */
const DEFAULT_SIZE = 256 * 1024 * 1024;

/** Number in `meta`: how many characters the entries may have together. */
const SIZE = 'log_size';
/** Number in `meta` that the first entry's follows. */
export const BASE = 'log_base';

/** Most old entries that an append removes, so that no change waits for many. */
const REMOVED_PER_APPEND = 8;
const REMOVED_AT_ONCE = 5000;

/** Characters of an entry's row apart from its texts, approximately. */
const ROW = 32;

/** Changes of the log, within a write transaction. */
export type EventTable = ReturnType<typeof eventTable>;

/**
 * Appends to the log of a file of Posts.
 *
 * @param now - Epoch ms. If it is set back, entries have the time of the newest one until it has caught up.
 */
export function eventTable(db: Db, now: () => number) {
  const meta = metaOf(db);
  const newest = db.prepare('SELECT n, at, total FROM event ORDER BY n DESC LIMIT 1');
  const insert = db.prepare(
    'INSERT INTO event (n, at, total, type, users, post, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  // The newest entry always stays, because the next number follows from it.
  const prune = db.prepare(
    `DELETE FROM event WHERE n IN (SELECT n FROM event WHERE n < ? ORDER BY n LIMIT ?)
     AND (at < ? OR total <= ?)`,
  );
  const wasMoved = db.prepare('SELECT 1 FROM event_moved WHERE origin = ?');
  const moved = db.prepare('INSERT INTO event_moved (origin) VALUES (?)');
  const forget = db.prepare(
    'DELETE FROM event_moved WHERE origin NOT IN (SELECT value FROM json_each(?))',
  );
  // Its first append records it, in that transaction.
  const session = String(db.prepare('SELECT lower(hex(randomblob(8)))').get()?.[0]);
  const begin = db.prepare(
    `INSERT INTO event_session (first, id) SELECT ?, ?
     WHERE NOT EXISTS (SELECT 1 FROM event_session WHERE id = ?)`,
  );
  const forgetSessions = db.prepare(
    `DELETE FROM event_session WHERE first <
     (SELECT max(first) FROM event_session WHERE first <= (SELECT min(n) FROM event))`,
  );
  const end = (): { n: number; at: number; total: number } => {
    const row = newest.get();
    if (!row) return { n: meta.number(BASE), at: 0, total: 0 };
    return { n: Number(row[0]), at: Number(row[1]), total: Number(row[2]) };
  };
  let size = meta.number(SIZE) || DEFAULT_SIZE;
  const remove = (last: ReturnType<typeof end>, limit: number): number =>
    prune.run([last.n, limit, now() - LOG_MS, last.total - size]);
  const append = (events: readonly NewEvent[]): void => {
    let { n, at, total } = end();
    at = Math.max(at, now());
    const isFirst = begin.run([n + 1, session, session]) > 0;
    for (const { type, users, post, body } of events) {
      const texts = [JSON.stringify(users), JSON.stringify(body)] as const;
      n++;
      total += ROW + type.length + texts[0].length + (post?.length ?? 0) + texts[1].length;
      insert.run([n, at, total, type, texts[0], post, texts[1]]);
    }
    if (isFirst) forgetSessions.run();
    remove({ n, at, total }, Math.max(REMOVED_PER_APPEND, 2 * events.length));
  };
  return {
    /** Appends events, and removes a few entries that are too old or exceed the size. */
    append: (events: readonly NewEvent[]): void => {
      if (events.length > 0) append(events);
    },
    /**
     * Appends the events of the outbox that are not in the log yet.
     *
     * @param events - The oldest ones of the outbox; others count as gone from it.
     */
    moveIn: (events: readonly OutboxEvent[]): void => {
      forget.run([JSON.stringify(events.map(({ origin }) => origin))]);
      const fresh = events.filter(({ origin }) => !wasMoved.get([origin]));
      for (const { origin } of fresh) moved.run([origin]);
      if (fresh.length > 0) append(fresh);
    },
    /** Removes entries that are too old or exceed the size; returns whether some may remain. */
    prune: (): boolean => remove(end(), REMOVED_AT_ONCE) === REMOVED_AT_ONCE,
    /** Sets how many characters the entries may have together. */
    setSize: (characters: number): void => {
      size = characters;
      meta.put(SIZE, characters);
    },
    /** Makes the first entry of a log without entries come after that number. */
    startAfter: (number: number): void => {
      if (end().n < number) meta.put(BASE, number);
    },
  };
}

/** Changes of the log, each one transaction or part of a surrounding one. */
export function eventChanges(db: Db, events: EventTable) {
  return {
    append: (list: readonly NewEvent[]): void => db.write('append', () => events.append(list)),
    moveIn: (list: readonly OutboxEvent[]): void => db.write('move-in', () => events.moveIn(list)),
    prune: (): boolean => db.write('prune', () => events.prune()),
  };
}
