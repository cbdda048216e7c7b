import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { openCalendars } from '#server/calendars/calendars.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { threadEntry } from '#tests/support/service/threads.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { ics } from './calendar-texts.ts';

const file = temporaryFolder();
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

/** Calendars whose thread is ended as soon as an event takes longer than a second. */
function openHasty() {
  const service = openService(file('service.sqlite'), { random: (n) => randomBytes(n) });
  const calendars = openCalendars({
    table: service.calendars,
    fetcher: { check: () => {}, stream: () => Promise.reject(new Error('sent')) },
    host: threadEntry(),
    timer: (ms, task) => machineTimer(ms / 5, task),
    every: () => () => {},
    now: () => Date.parse('2026-06-01T00:00:00Z'),
    log: () => {},
  });
  opened.push(async () => {
    await calendars.close();
    service.close();
  });
  return calendars;
}

describe('an event that repeats on a day that no month has', () => {
  it('is left out with its line, and all others are there', async () => {
    const calendars = openHasty();
    const text = ics(
      ['UID:a', 'DTSTART:20260601T090000Z', 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31'],
      ['UID:b', 'DTSTART:20260602T090000Z'],
    );
    await calendars.addFile('a.ics', text);
    const span = { start: Date.parse('2026-06-01'), end: Date.parse('2026-07-01') };
    const { events, lacks } = await calendars.between(span, 'UTC');
    expect([events.map(({ id }) => id), lacks]).toEqual([['1 b'], []]);
    expect(calendars.list()).toMatchObject([
      {
        skipped: [4],
        notes: ['Line 4: this takes too long to read or to repeat, so it was left out.'],
      },
    ]);
  });
});
