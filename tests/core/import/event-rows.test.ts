import { describe, expect, it } from 'vitest';
import { readEvents } from '#core/import/event-rows.ts';
import type { Row } from '#core/readers/row.ts';
import { DAY_MS } from '#core/time/span.ts';
import { looksLikeEvents, planEvents, type EventChoice } from '#core/import/event-plan.ts';

const NOW = Date.UTC(2026, 10, 21);
const ZONE = 'Europe/Berlin';

function rowsOf(...lines: readonly (readonly string[])[]): Row[] {
  return lines.map((fields, i) => ({ kind: 'columns', line: i + 1, fields }));
}

function read(rows: readonly Row[], choice: EventChoice = {}) {
  const plan = planEvents(rows, choice, ZONE);
  return { plan, ...readEvents(rows, plan) };
}

const day = (text: string): number => Date.parse(text);

describe('the columns of a table of events', () => {
  it.each([
    [['Date', 'Title'], { start: 1, title: 2 }],
    [
      ['Subject', 'Start Date', 'Start Time', 'End Date', 'End Time', 'Description'],
      { title: 1, start: 2, start_clock: 3, end: 4, end_clock: 5, detail: 6 },
    ],
    [
      ['kind', 'start_utc', 'end_utc', 'start_local', 'title', 'detail', 'source', 'id'],
      { start: 2, end: 3, title: 5, detail: 6 },
    ],
    [['Beginn', 'Ende', 'Titel', 'Ort'], { start: 1, end: 2, title: 3, detail: 4 }],
    [['Name', 'Start Time', 'End Time'], { title: 1, start: 2, end: 3 }],
  ])('are found by the names %j', (names, found) => {
    const { plan } = read(rowsOf(names, []));
    const at = Object.entries(plan.at).flatMap(([field, n]) => (n === -1 ? [] : [[field, n + 1]]));
    expect(Object.fromEntries(at)).toEqual(found);
  });

  it('are found by their values without a header', () => {
    const { events } = read(rowsOf(['Fair', '2026-03-01'], ['Launch', '2026-03-02']));
    expect(events.map(({ title }) => title)).toEqual(['Fair', 'Launch']);
  });

  it('can be chosen', () => {
    const rows = rowsOf(['a', 'b', 'c'], ['2026-03-01', '2026-03-02', 'Fair']);
    const { events } = read(rows, { columns: { start: 2, title: 3 } });
    expect(events[0]?.time).toMatchObject({ start: day('2026-03-02') });
  });

  it.each([
    [['date', 'title'], ['2026-03-01', 'Fair'], true],
    [['date', 'title', 'description'], ['2026-03-01', 'Fair', 'Hall 3'], true],
    [['date', 'title', 'text'], ['2026-03-01', 'Fair', 'oat milk in my tea'], false],
    [['date', 'title', 'author'], ['2026-03-01', 'Fair', '@ann'], false],
    [['date', 'text'], ['2026-03-01', 'oat milk in my tea today'], false],
    [['date', 'what'], ['2026-03-01', 'Fair'], true],
    [['created_at', 'text'], ['2026-03-01', 'oat milk in my tea today'], false],
  ])('%j are of events: %j', (names, row, is) => {
    expect(looksLikeEvents(rowsOf(names, row), ZONE, NOW)).toBe(is);
  });
});

describe('the time of an event in a table', () => {
  const one = (start: string, end = '', choice: EventChoice = {}) =>
    read(rowsOf(['start', 'end', 'title'], [start, end, 'Fair']), choice);
  const timeOf = (start: string, end = '', choice: EventChoice = {}) =>
    one(start, end, choice).events[0]?.time;

  it('is its day, or the days to the last one, of no zone', () => {
    const start = day('2026-03-29');
    expect(timeOf('2026-03-29')).toEqual({ kind: 'days', start, end: start + DAY_MS });
    expect(timeOf('29.03.2026', '31.03.2026')).toEqual({
      kind: 'days',
      start,
      end: start + 3 * DAY_MS,
    });
  });

  it('without a zone is of the board’s, unless one is chosen', () => {
    expect(one('2026-03-29 09:00').plan.times.isLocal).toBe(true);
    expect(timeOf('2026-03-29 09:00', '2026-03-29 10:00')).toEqual({
      kind: 'instants',
      start: Date.parse('2026-03-29T07:00Z'),
      end: Date.parse('2026-03-29T08:00Z'),
    });
    expect(timeOf('2026-03-28 09:00', '', { zone: 'America/New_York' })).toEqual({
      kind: 'instants',
      start: Date.parse('2026-03-28T13:00Z'),
      end: null,
    });
    expect(one('2026-03-29').plan.times.isLocal).toBe(false);
    expect(one('2026-03-29T09:00:00Z').plan.times.isLocal).toBe(false);
  });

  it('to a day lasts to the end of that day, also one of 23 hours', () => {
    expect(timeOf('2026-03-28 18:00', '2026-03-29')).toEqual({
      kind: 'instants',
      start: Date.parse('2026-03-28T17:00Z'),
      end: Date.parse('2026-03-29T22:00Z'),
    });
  });

  it('may have its times of day in their own columns', () => {
    const names = ['Subject', 'Start Date', 'Start Time', 'End Date', 'End Time'];
    const { events } = read(
      rowsOf(names, ['Fair', '03/28/2026', '9:00 AM', '03/28/2026', '5:00 PM']),
    );
    expect(events[0]?.time).toEqual({
      kind: 'instants',
      start: Date.parse('2026-03-28T08:00Z'),
      end: Date.parse('2026-03-28T16:00Z'),
    });
  });

  it('needs an order that no date shows', () => {
    expect(one('03/04/2026').plan.missing).toEqual(['dates']);
    expect(one('03/04/2026', '13/04/2026').plan.order).toBe('DMY');
    expect(timeOf('03/04/2026', '', { dates: 'MDY' })).toMatchObject({ start: day('2026-03-04') });
  });

  it.each([
    ['2026-02-31', '', 'the start "2026-02-31" is not a date such as 2026-01-31, 2026-01-31 08:00'],
    ['soon', '', 'the start "soon" is not a date such as'],
    ['2026-03-01', 'never', 'the end "never" is not a date such as'],
    ['2026-03-02', '2026-03-01', 'the end "2026-03-01" is before the start "2026-03-02"'],
    ['2026-03-02 10:00', '2026-03-02 09:00', 'the end "2026-03-02 09:00" is before the start'],
    ['', '2026-03-01', 'has no start'],
  ])('from %j to %j is refused with its line, its value and the rule', (start, end, reason) => {
    const rows = rowsOf(
      ['start', 'end', 'title'],
      ['2026-01-01', '', 'Fair'],
      [start, end, 'Launch'],
      ['2026-01-03', '', 'Party'],
    );
    const { events, refused } = read(rows);
    expect(events.map(({ line }) => line)).toEqual([2, 4]);
    expect(refused).toEqual([{ line: 3, reason: expect.stringContaining(reason) as string }]);
  });

  it('is of a row with a title; a row without a value is none', () => {
    const rows = rowsOf(['start', 'title'], ['2026-01-01', ' '], ['', ' '], ['2026-01-01', 'Fair']);
    expect(read(rows)).toMatchObject({
      events: [{ line: 4 }],
      refused: [{ line: 2, reason: 'has no title' }],
    });
  });
});
