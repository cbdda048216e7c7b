import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { heatTable, hourName, weekdays } from '#app/insight/heat/heat-rows.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import type { Span } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

const format = new Formatter('en-GB');
const days = weekdays(1, (utc) => format.weekday(utc));

function hours(zone: string, span: Span, count: (i: number) => number): Curve {
  const bounds = boundaries(span, 'hour', zoneTable(zone, span), 1);
  const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) => count(i));
  return {
    bounds,
    counts,
    states: Uint8Array.from(counts, (n) => (Number.isNaN(n) ? STATE.never : STATE.settled)),
    fetchedAt: new Float64Array(counts.length),
  };
}
const at = (text: string): number => Date.parse(text);
function tableOf(zone: string, span: Span, count: (i: number) => number, window = span) {
  const table = zoneTable(zone, span);
  const of = { window, table, weekStart: 1, now: span.end } as const;
  return heatTable(hours(zone, span, count), of, days, format);
}

describe('the heat map as a table', () => {
  it.each([
    ['back', '2026-10-05T00:00+02:00', '2026-11-02T00:00+01:00', '5 times'],
    ['on', '2026-03-09T00:00+01:00', '2026-04-06T00:00+02:00', '3 times'],
    ['nowhere', '2026-06-01T00:00+02:00', '2026-06-29T00:00+02:00', '4 times'],
  ])(
    'counts how often an hour of Sunday night occurred when the clock went %s',
    (_, start, end, times) => {
      const { rows } = tableOf('Europe/Berlin', { start: at(start), end: at(end) }, () => 1200);
      const sunday = rows[6];
      expect(sunday?.day).toBe('Sun');
      expect(sunday?.cells[2]).toMatchObject({
        text: '1,200',
        times,
        title: `Sun 02–03: 1,200 Posts a time, ${times}`,
        level: 1,
      });
      expect(sunday?.cells[3]?.times).toBe('4 times');
    },
  );

  it('has the same total over rows and columns', () => {
    const span = { start: at('2026-06-01T00:00Z'), end: at('2026-06-15T00:00Z') };
    const { rows, sums, total, leftOut } = tableOf('UTC', span, (i) => i % 5);
    expect(leftOut).toBe('');
    const number = (text: string): number => Number(text.replaceAll(',', ''));
    const all = Array.from({ length: 14 * 24 }, (_, i) => i % 5).reduce((a, b) => a + b, 0);
    expect(number(total)).toBe(all);
    expect(rows.reduce((sum, row) => sum + number(row.sum), 0)).toBe(all);
    expect(sums.reduce((sum, each) => sum + number(each), 0)).toBe(all);
  });

  it('covers the window only, and says which hours it excludes', () => {
    const span = { start: at('2026-06-01T00:00Z'), end: at('2026-06-15T00:00Z') };
    const window = { start: span.start, end: at('2026-06-08T00:00Z') };
    const { rows, leftOut } = tableOf('UTC', span, (i) => (i === 9 ? Number.NaN : 2), window);
    expect(leftOut).toBe('1 hour is left out, because it is not complete.');
    expect(tableOf('UTC', span, (i) => (i < 1200 ? Number.NaN : 2)).leftOut).toBe(
      '336 hours are left out, because they are not complete.',
    );
    expect(rows[0]?.cells[9]).toMatchObject({ text: '–', title: 'Mon 09–10: never complete' });
    expect(rows[0]?.cells[10]).toMatchObject({ text: '2.00', times: '1 time' });
    const whole = tableOf('UTC', span, (i) => (i === 9 ? Number.NaN : 2));
    expect(whole.rows[0]?.cells[9]?.title).toBe(
      'Mon 09–10: 2 Posts a time, 1 time, 1 more not complete',
    );
  });

  it('uses local hours in a zone with a half-hour offset', () => {
    const span = { start: at('2026-06-01T00:00+05:30'), end: at('2026-06-08T00:00+05:30') };
    const { rows } = tableOf('Asia/Kolkata', span, (i) => (i < 24 ? 5 : 0));
    expect(rows.map(({ sum }) => sum)).toEqual(['120', '0', '0', '0', '0', '0', '0']);
  });
});

it('lists weekdays from the first day of the week, and names hours by both ends', () => {
  expect(days).toEqual(['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']);
  expect(weekdays(7, (utc) => format.weekday(utc))[0]).toBe('Sun');
  expect(hourName(23)).toBe('23–24');
});
