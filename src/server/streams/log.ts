import { EVENT_TYPES } from '#contract/streams/events.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import { metaOf } from '#server/db/meta.ts';
import type { Json } from '#core/import/json.ts';
import { BASE, type LogType, type NewEvent } from './event-table.ts';

export interface LogEntry extends NewEvent {
  /** Each entry's is higher than that of the entry before, whatever the clock does. */
  readonly number: number;
  /** The time at which it was appended, epoch ms; never before the entry before. */
  readonly at: number;
}

const KNOWN: ReadonlySet<string> = new Set<string>([...EVENT_TYPES, 'post.edit']);

/** Entries that one connection appended, and what others appended in between. */
export interface LogSession {
  readonly id: string;
  /** Number of its first entry. */
  readonly first: number;
}

/** Reads entries. */
type EventReader = ReturnType<typeof eventReader>;

function entryOf([n, at, type, users, post, body]: readonly Cell[]): LogEntry {
  if (typeof type !== 'string' || !KNOWN.has(type)) {
    throw new TypeError(`expected a type of event, got ${String(type)}`);
  }
  return {
    number: Number(n),
    at: Number(at),
    type: type as LogType,
    users: JSON.parse(String(users)) as string[],
    post: post === null ? null : String(post),
    body: JSON.parse(String(body)) as Json,
  };
}

/** Reads the log of a file of Posts. All functions throw {@link StoreError} if the file cannot be read. */
function eventReader(db: Db) {
  const meta = metaOf(db);
  const after = db.prepare(
    'SELECT n, at, type, users, post, body FROM event WHERE n > ? ORDER BY n LIMIT ?',
  );
  const ends = db.prepare('SELECT (SELECT min(n) FROM event), (SELECT max(n) FROM event)');
  const sessions = db.prepare('SELECT id, first FROM event_session ORDER BY first');
  const atOf = db.prepare('SELECT at FROM event WHERE n = ?');
  const last = (): number => {
    const n = ends.get()?.[1];
    return typeof n === 'number' ? n : meta.number(BASE);
  };
  return {
    /** Entries with a higher number, ascending, at most `limit`. */
    after: (number: number, limit: number): LogEntry[] => after.all([number, limit]).map(entryOf),
    /** The lowest number of an entry at or after an instant, epoch ms; the one after the newest if there is none. */
    // Numbers have no gaps, and times never decrease.
    from: (at: number): number =>
      db.read(() => {
        const [first, newest] = ends.get() ?? [];
        if (typeof first !== 'number' || typeof newest !== 'number') return last() + 1;
        let [low, high] = [first, newest + 1];
        while (low < high) {
          const middle = Math.floor((low + high) / 2);
          if (Number(atOf.get([middle])?.[0]) < at) low = middle + 1;
          else high = middle;
        }
        return low;
      }),
    /** The number of the newest entry; that which the first one follows if there is none. */
    last,
    /** Sessions of the entries, ascending. A file that was restored from a backup continues with another session. */
    sessions: (): LogSession[] =>
      sessions.all().map(([id, first]) => ({ id: String(id), first: Number(first) })),
  };
}

/**
 * The events in a source: Posts, relations, profiles, stories, and what the command `emit` adds. Entries stay for
 * 24 hours, or less if they exceed the size that is set. Imports add none.
 */
export type EventLog = Pick<OpenLog, keyof EventReader | 'onAppend'>;

/** A log whose file can be replaced, as that of the sample is. Listeners stay. */
export type OpenLog = ReturnType<typeof openLog>;

/** @param connect - Opens a connection to the file of Posts, which the log closes. */
export function openLog(connect: () => Db) {
  let db = connect();
  let reader = eventReader(db);
  let seen = reader.last();
  const listeners = new Set<() => void>();
  return {
    after: (...of: Parameters<EventReader['after']>) => reader.after(...of),
    from: (at: number) => reader.from(at),
    last: () => reader.last(),
    sessions: () => reader.sessions(),
    /**
     * Calls a listener after entries were appended, once for any number of them. It must not throw.
     *
     * @returns Ends that.
     */
    onAppend: (listener: () => void): (() => void) => {
      // Each has an identity of its own, so that the same function may listen twice.
      const entry = (): void => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    /** Calls the listeners if there are new entries. */
    wake: (): void => {
      const last = reader.last();
      if (last === seen) return;
      seen = last;
      for (const listener of listeners) listener();
    },
    /** Closes the file; reading throws until `open`. */
    close: (): void => db.close(),
    open: (): void => {
      db = connect();
      reader = eventReader(db);
    },
  };
}
