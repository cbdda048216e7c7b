import { describe, expect, it } from 'vitest';
import { UNREACHABLE } from '#app/api/answer-fault.ts';
import type { CalendarsApi } from '#app/api/calendars-api.ts';
import { CalendarEvents } from '#app/events/calendar-events.svelte.ts';
import { Fault } from '#contract/fault.ts';
import { DAY_MS } from '#core/time/span.ts';

const SEARCH = {
  on: true,
  window: { start: 0, end: DAY_MS },
  zone: 'Europe/Berlin',
  revision: 0,
  offline: false,
};
const FAIR = {
  id: '1 a',
  start: 0,
  end: null,
  title: 'Fair',
  detail: 'Hall 3',
  url: null,
  calendar: 'Fairs',
};

/** Calendars whose requests the test sees. */
function watched(over: Partial<CalendarsApi> = {}) {
  const asked: string[] = [];
  const calendars = new CalendarEvents({
    any: (signal) => {
      asked.push('any');
      return over.any?.(signal) ?? Promise.resolve(true);
    },
    events: (span, zone, signal) => {
      asked.push(`${span.start / DAY_MS}-${span.end / DAY_MS} ${zone}`);
      return over.events?.(span, zone, signal) ?? Promise.resolve({ events: [FAIR], lacks: [] });
    },
  });
  return { calendars, asked };
}

describe('the events of calendars', () => {
  it('are asked for once for each time, and again when the calendars change', async () => {
    const { calendars, asked } = watched();
    await calendars.load(SEARCH);
    await calendars.load(SEARCH);
    expect(calendars.events).toEqual([
      { ...FAIR, kind: 'calendar', source: 'Fairs', url: undefined, calendar: undefined },
    ]);
    await calendars.load({ ...SEARCH, window: { start: 0, end: 2 * DAY_MS } });
    await calendars.load({ ...SEARCH, revision: 1 });
    expect(asked).toEqual([
      'any',
      '0-1 Europe/Berlin',
      '0-2 Europe/Berlin',
      'any',
      '0-1 Europe/Berlin',
    ]);
  });

  it('are not asked for while there is no calendar, or the kind is off', async () => {
    const none = watched({ any: () => Promise.resolve(false) });
    await none.calendars.load(SEARCH);
    await none.calendars.load({ ...SEARCH, window: { start: 0, end: 2 * DAY_MS } });
    expect([none.asked, none.calendars.lack]).toEqual([['any'], '']);
    const off = watched();
    await off.calendars.load({ ...SEARCH, on: false });
    expect(off.asked).toEqual([]);
  });

  it('stay while the service is away, and say which are missing', async () => {
    const lacks = ['Fairs has too many events in this time. Zoom in for all.'];
    const { calendars, asked } = watched({
      events: () => Promise.resolve({ events: [FAIR], lacks }),
    });
    await calendars.load(SEARCH);
    await calendars.load({ ...SEARCH, zone: 'UTC', offline: true });
    expect([calendars.events.length, calendars.lack, asked.length]).toEqual([1, lacks[0], 2]);
  });

  it('say that the service does not answer', async () => {
    const fault = new Fault(0, { title: 'No', type: UNREACHABLE, status: 0 });
    const { calendars } = watched({ any: () => Promise.reject(fault) });
    await calendars.load(SEARCH);
    expect(calendars.lack).toBe('Calendars could not be read: the service doesn’t answer.');
  });
});
