import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventsIn, type BoardEvent } from '#app/events/event.ts';
import { eventsIcs } from '#app/events/event-ics.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import { expandItems } from '#server/calendars/expand.ts';
import { readCalendar } from '#server/calendars/items.ts';
import { namedZone, UTC_ZONE } from '#server/calendars/zones.ts';
import { events, LAST } from '#tests/support/data/events.ts';
import { runs } from '#tests/support/run/runs.ts';

const ALL = { start: ARCHIVE_START, end: LAST };
const EVENT: BoardEvent = {
  kind: 'note',
  id: 'a',
  start: Date.parse('2026-03-28T23:00:00Z'),
  end: Date.parse('2026-03-29T22:00:00Z'),
  title: 'Fair; tea, and more',
  detail: 'Hall 3',
  source: 'Fairs',
};

describe('the events of a board as a calendar', () => {
  it('are dates from one midnight of the zone to another, else times in UTC', () => {
    const lines = (zone: string): string[] =>
      eventsIcs([EVENT], ALL, zone, 0).split('\r\n').slice(3, -2);
    expect(lines('Europe/Berlin')).toEqual([
      'BEGIN:VEVENT',
      'UID:note a@groundswell',
      'DTSTAMP:19700101T000000Z',
      'DTSTART;VALUE=DATE:20260329',
      'DTEND;VALUE=DATE:20260330',
      'SUMMARY:Fair\\; tea\\, and more',
      'DESCRIPTION:Hall 3\\nFairs',
      'CATEGORIES:Note',
      'END:VEVENT',
    ]);
    expect(lines('UTC').slice(3, 5)).toEqual([
      'DTSTART:20260328T230000Z',
      'DTEND:20260329T220000Z',
    ]);
  });

  it('are read as they were, to the second, and no line is longer than 75 octets', () => {
    const zone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Tokyo');
    const second = (at: number): number => Math.floor(at / 1000) * 1000;
    fc.assert(
      fc.property(events, zone, (all, zone) => {
        const text = eventsIcs(all, ALL, zone, 0);
        expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
        const octets = text.split('\r\n').map((line) => new TextEncoder().encode(line).length);
        expect(Math.max(...octets)).toBeLessThanOrEqual(75);
        const { items, notes } = readCalendar(text, zone);
        expect(notes).toEqual([]);
        const board = namedZone(zone) ?? UTC_ZONE;
        // A bar may begin earlier and end later.
        const span = { start: 0, end: 2 * LAST };
        const { occurrences } = expandItems(items, { span, board, most: 100, onLine: () => {} });
        const timesOf = (start: number, end: number | null): string =>
          `${second(start)} ${end === null || second(end) === second(start) ? '' : second(end)}`;
        expect(occurrences.map(({ start, end }) => timesOf(start, end)).toSorted()).toEqual(
          eventsIn(all, ALL)
            .map(({ start, end }) => timesOf(start, end))
            .toSorted(),
        );
      }),
      { numRuns: runs(100) },
    );
  });
});
