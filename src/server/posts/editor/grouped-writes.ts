import type { Attempt, Db } from '#server/db/driver.ts';
import { StoreError } from '#server/db/store-error.ts';

/** Most writes of a transaction, so that none of them waits long for the others. */
const MOST = 64;

interface Waiting {
  readonly work: () => unknown;
  readonly settle: (attempt: Attempt<unknown>) => void;
}

/** Makes those writes that wait at the same time in one transaction, because a commit takes longer than most changes. */
export type GroupedWrites = ReturnType<typeof groupedWrites>;

function alone(work: () => unknown): Attempt<unknown> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    return { ok: false, error };
  }
}

function together(db: Db, works: readonly (() => unknown)[]): Attempt<unknown>[] {
  if (works.length === 1) return works.map(alone);
  try {
    return db.write('group', () => works.map((work) => db.attempt(work)));
  } catch (error) {
    // A write that is smaller than the group may still find room.
    if (error instanceof StoreError && error.reason === 'full') return works.map(alone);
    return works.map(() => ({ ok: false, error }));
  }
}

/** @param later - Calls back soon, once other writes had time to arrive. */
export function groupedWrites(db: Db, later: (task: () => void) => void) {
  let waiting: Waiting[] = [];
  const flush = (): void => {
    while (waiting.length > 0) {
      const group = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
      const attempts = together(
        db,
        group.map(({ work }) => work),
      );
      group.forEach(({ settle }, i) => settle(attempts[i]!));
    }
  };
  return {
    /**
     * Adds a write. It is durable when the promise resolves.
     *
     * @param work - Makes changes. If it throws, they are undone, and those of the others are not; the promise rejects
     *   with what it threw, or with {@link StoreError} if the file cannot be written.
     */
    add: <T>(work: () => T): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        waiting.push({
          work,
          settle: (attempt) => {
            // Its value is that of its work.
            if (attempt.ok) resolve(attempt.value as T);
            else reject(attempt.error as Error);
          },
        });
        if (waiting.length === 1) later(flush);
      }),
    /** Makes all that wait. */
    flush,
  };
}
