import { Semaphore } from '#core/semaphore.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { thread } from '#server/threads.ts';
import type { Timer } from '#server/timer.ts';
import type { HolidayPlace } from './holidays.ts';
import { CALENDAR_READER, type ExpandOrder } from './reader-thread.ts';
import type { TaskHost } from '#server/thread-task.ts';

/** The time that reading or repeating one event may take, ms: thousands of times what any event needs that ends. */
const EVENT_MS = 10 * SECOND_MS;
/** Most lines that may take too long at a time. */
const MOST_SLOW = 5;
/** The line that leaves out all others, of a calendar with more of them. */
export const ALL_LINES = 0;

/** Reads calendars in a thread, without the events that take too long. */
export function patientReader({ host, timer }: { readonly host: TaskHost; readonly timer: Timer }) {
  const { methods, terminate } = thread(host, CALENDAR_READER, null);
  // An event that takes too long ends the thread, and nothing else may be in it.
  const turns = new Semaphore(1);

  /**
   * Does work in the thread, again without the lines that take too long.
   *
   * @returns Its result, null if {@link ALL_LINES} are left out; and the lines that are left out.
   */
  const patient = <T>(
    known: readonly number[],
    work: (skipped: readonly number[], onLine: (line: number) => void) => Promise<T>,
  ): Promise<{ readonly result: T | null; readonly skipped: readonly number[] }> =>
    turns.take(async () => {
      const skipped = [...known];
      while (!skipped.includes(ALL_LINES)) {
        let last = 0;
        let isLate = false;
        const end = (): void => {
          isLate = true;
          void terminate();
        };
        // From the first line on: the start of the thread takes as long as the machine is busy.
        let cancel = (): void => {};
        const onLine = (line: number): void => {
          last = line;
          cancel();
          cancel = timer(EVENT_MS, end);
        };
        try {
          return { result: await work(skipped, onLine), skipped };
        } catch (error) {
          if (!isLate) throw error;
          skipped.push(skipped.length - known.length < MOST_SLOW ? last : ALL_LINES);
        } finally {
          cancel();
        }
      }
      return { result: null, skipped };
    });

  return {
    read: (text: string) => patient([], async (skip, onLine) => methods.read(text, skip, onLine)),
    /** @param known - The lines that are left out. */
    expand: (text: string, order: ExpandOrder, known: readonly number[]) =>
      patient(known, async (skip, onLine) => methods.expand(text, order, skip, onLine)),
    holidays: (place: HolidayPlace, now: number) => turns.take(() => methods.holidays(place, now)),
    countries: () => turns.take(() => methods.countries()),
    terminate,
  };
}
