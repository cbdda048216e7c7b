import { grouped } from '#core/format/number-text.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import { lettersOver } from './dead-letters.ts';
import type { DeliveryLane, Lanes } from './lanes.ts';
import type { Replays } from './replays.ts';

/** Most bytes of the file of deliveries that are in use. */
export const MOST_BYTES = 2 ** 30;

/** Rows between two looks at the size. */
const ROWS = 100;
/** Least bytes to remove at a time: a page is free only once all of it is, and each look at the size takes a while. */
const LEAST_BYTES = 256 * 1024;
/** Looks of one call, so that no change waits long; the next call goes on. */
const LOOKS = 20;

/** The reason a pending delivery was given up early. */
export function noRoomFault(mostBytes: number): string {
  const size = grouped(Math.ceil(mostBytes / 2 ** 20));
  return `Deliveries took more than ${size} MiB, and this was one of the oldest that waited.`;
}

/** The first rows whose bodies, the lengths of which come first, have that many bytes. */
function enough(rows: readonly Cell[][], bytes: number): readonly Cell[][] {
  let sum = 0;
  const last = rows.findIndex(([length]) => (sum += Number(length)) >= bytes);
  return last < 0 ? rows : rows.slice(0, last + 1);
}

/**
 * Makes room in a file of deliveries, within a write transaction: while its content takes more than `mostBytes`, it
 * removes the oldest deliveries that arrived, then the bodies of the oldest dead letters, those of running replays last.
 * A replay of what is removed ends as incomplete. Only then the oldest pending deliveries become dead letters.
 *
 * @returns A function that makes room, and returns how many pending deliveries it gave up.
 */
export function roomOver(
  db: Db,
  { replays, lanes }: { readonly replays: Pick<Replays, 'advance'>; readonly lanes: Lanes },
  mostBytes: number,
): (now: number) => number {
  const pages = db.prepare('PRAGMA page_count');
  const unused = db.prepare('PRAGMA freelist_count');
  const pageBytes = Number(db.prepare('PRAGMA page_size').get()?.[0]);
  /** Bytes that are too many. */
  const excess = (): number =>
    (Number(pages.get()?.[0]) - Number(unused.get()?.[0])) * pageBytes - mostBytes;

  // A partial index is used only where its condition is repeated.
  const replayed = 'SELECT webhook FROM replay WHERE ended_at IS NULL';
  const settled = (where: string, isReplayed: boolean) =>
    db.prepare(
      `SELECT length(body), id, webhook, created_at FROM delivery WHERE ${where}
      AND webhook ${isReplayed ? 'IN' : 'NOT IN'} (${replayed}) ORDER BY settled_at LIMIT ${ROWS}`,
    );
  const remove = db.prepare('DELETE FROM delivery WHERE id = ?');
  const empty = db.prepare('UPDATE delivery SET body = NULL WHERE id = ?');
  const letter = 'state = 2 AND body IS NOT NULL';
  const stages = [false, true].flatMap((isReplayed) => [
    { found: settled('state > 0 AND state = 1', isReplayed), change: remove },
    { found: settled(letter, isReplayed), change: empty },
  ]);
  const trim = db.prepare(
    'INSERT INTO trimmed (webhook, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = max(at, excluded.at)',
  );
  const waiting = db.prepare(
    `SELECT length(body), id, webhook, subscription, event, created_at, queued_at, job FROM delivery
    WHERE state = 0 ORDER BY id LIMIT ${ROWS}`,
  );
  const letters = db.prepare(
    `DELETE FROM delivery WHERE id IN
    (SELECT id FROM delivery WHERE state > 0 AND state = 2 ORDER BY settled_at LIMIT ${ROWS})`,
  );
  const bury = lettersOver(db);
  const fault = noRoomFault(mostBytes);
  const least = Math.min(LEAST_BYTES, mostBytes / 64);

  const trimSettled = (bytes: number): boolean => {
    for (const { found, change } of stages) {
      const rows = enough(found.all(), bytes);
      for (const [, id, webhook, createdAt] of rows) {
        change.run([id!]);
        trim.run([webhook!, createdAt!]);
      }
      if (rows.length > 0) return true;
    }
    return false;
  };
  const giveUp = (bytes: number, now: number): number => {
    const rows = enough(waiting.all(), bytes);
    const touched = new Map<string, DeliveryLane>();
    const jobs = new Map<string, number>();
    for (const [, id, ...row] of rows) {
      const [webhook, subscription, event] = row.slice(0, 3).map(String) as [
        string,
        string,
        string,
      ];
      const [createdAt, queuedAt] = row.slice(3, 5).map(Number) as [number, number];
      const job = row[5];
      remove.run([id!]);
      // A delivery that a replay repeats is there already.
      if (typeof job === 'string') jobs.set(job, (jobs.get(job) ?? 0) + 1);
      else bury({ webhook, subscription, event, createdAt, queuedAt }, fault, now);
      touched.set(`${webhook} ${subscription}`, { webhook, subscription });
    }
    for (const [job, failed] of jobs) replays.advance(job, failed, now);
    // A lane keeps its next attempt: its receiver is probably away.
    for (const lane of touched.values()) lanes.removeEmpty(lane);
    return rows.length;
  };

  return (now) => {
    let given = 0;
    for (let look = 0; look < LOOKS; look++) {
      const over = excess();
      if (over <= 0) break;
      const bytes = Math.max(over, least);
      if (trimSettled(bytes)) continue;
      const some = giveUp(bytes, now);
      given += some;
      // Nothing else is left.
      if (some === 0 && letters.run() === 0) break;
    }
    return given;
  };
}
