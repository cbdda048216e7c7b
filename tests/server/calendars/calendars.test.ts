import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openCalendars } from '#server/calendars/calendars.ts';
import type { CalendarReader } from '#server/calendars/reader-thread.ts';
import type { StreamAnswer } from '#server/fetcher/fetcher.ts';
import { DAY_MS } from '#core/time/span.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { threadEntry } from '#tests/support/service/threads.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { ics } from './calendar-texts.ts';
import type { TaskHost } from '#server/thread-task.ts';

const file = temporaryFolder();
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

let count = 0;

type Deps = Parameters<typeof openCalendars>[0];

function open(deps: Pick<Deps, 'host' | 'timer'> & Partial<Deps>) {
  const service = openService(file(`${(count += 1)}.sqlite`), { random: (n) => randomBytes(n) });
  const calendars = openCalendars({
    table: service.calendars,
    fetcher: { check: () => {}, stream: () => Promise.reject(new Error('sent')) },
    every: () => () => {},
    now: () => Date.parse('2026-06-01T00:00:00Z'),
    log: () => {},
    ...deps,
  });
  opened.push(async () => {
    await calendars.close();
    service.close();
  });
  return calendars;
}

/** Calendars whose thread is ended as soon as an event takes longer than a second. */
function openHasty() {
  return open({ host: threadEntry(), timer: (ms, task) => machineTimer(ms / 5, task) });
}

/** Calendars that a thread reads which does as a function says, and is ended as soon as it names a line. */
function openWith(expand: CalendarReader['expand'], log: string[] = []) {
  let end = (): void => {};
  const reader: CalendarReader & { close(): void } = {
    read: async (text) => ({ name: text, notes: [], events: 1 }),
    expand: (...order) =>
      Promise.race([
        expand(...order),
        new Promise<never>((_, reject) => (end = () => reject(new Error('The thread ended.')))),
      ]),
    countries: () => Promise.resolve([]),
    holidays: () => Promise.resolve(''),
    close: () => end(),
  };
  return open({
    host: (() => reader) as unknown as TaskHost,
    timer: (_, task) => {
      queueMicrotask(task);
      return () => {};
    },
    log: (line) => log.push(line),
  });
}

const JUNE = { start: Date.parse('2026-06-01'), end: Date.parse('2026-07-01') };

describe('an event that repeats on a day that no month has', () => {
  it('is left out with its line, and all others are there', async () => {
    const calendars = openHasty();
    const text = ics(
      ['UID:a', 'DTSTART:20260601T090000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31'],
      ['UID:b', 'DTSTART:20260602T090000Z'],
    );
    await calendars.addFile('a.ics', text);
    const { events, lacks } = await calendars.between(JUNE, 'UTC');
    expect([events.map(({ id }) => id), lacks]).toEqual([['1 b'], []]);
    expect(calendars.list()).toMatchObject([
      {
        skipped: [4],
        notes: ['Line 4: this takes too long to read or to repeat, so it was left out.'],
      },
    ]);
  });
});

describe('a calendar', () => {
  it('of which many lines take too long is given up once, not at each request', async () => {
    let calls = 0;
    const calendars = openWith((_text, _order, skipped, onLine) => {
      calls += 1;
      onLine(skipped.length + 1);
      return new Promise(() => {});
    });
    await calendars.addFile('a.ics', 'slow');
    const lacks = ['slow: The calendar takes too long to read.'];
    expect(await calendars.between(JUNE, 'UTC')).toEqual({ events: [], lacks });
    const first = calls;
    expect(await calendars.between(JUNE, 'UTC')).toEqual({ events: [], lacks });
    expect(calls).toBe(first);
    expect(calendars.list()[0]?.notes.at(-1)).toBe('The calendar takes too long to read.');
  });

  it('that cannot be read leaves the events of the others, and the log says why', async () => {
    const log: string[] = [];
    const found = { id: 'a', start: JUNE.start, end: null, title: 'A', detail: '', url: null };
    const calendars = openWith(async (text) => {
      if (text === 'large') throw new Error('The task needed more memory than allowed.');
      return { occurrences: [found], isCut: false, failed: [], far: [7] };
    }, log);
    await calendars.addFile('a.ics', 'large');
    await calendars.addFile('b.ics', 'good');
    expect(await calendars.between(JUNE, 'UTC')).toEqual({
      events: [{ ...found, id: '2 a', calendar: 'good' }],
      lacks: [
        'large: The task needed more memory than allowed.',
        'good, line 7: this event repeats too often before this time, so it is missing.',
      ],
    });
    expect(log).toEqual(['The task needed more memory than allowed.']);
  });

  it('whose download is in progress does not delay the end of the service, which is no fault of its address', async () => {
    let refresh: () => unknown = () => {};
    let isEnded = false;
    let at = JUNE.start;
    const body = async function* () {
      yield Buffer.from(ics());
    };
    const answer: StreamAnswer = { status: 200, headers: {}, body: body(), discard: () => {} };
    const calendars = open({
      host: threadEntry(),
      timer: machineTimer,
      now: () => at,
      every: (_, task) => {
        refresh = task;
        return () => {};
      },
      fetcher: {
        check: () => {},
        stream: async ({ signal }) => {
          if (at === JUNE.start) return answer;
          return await new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              isEnded = true;
              reject(signal.reason as Error);
            });
          });
        },
      },
    });
    await calendars.addAddress('https://example.com/a.ics');
    at += DAY_MS;
    const refreshed = refresh();
    await calendars.close();
    await refreshed;
    expect(isEnded).toBe(true);
    expect(calendars.list()).toMatchObject([{ fault: null }]);
  });
});
