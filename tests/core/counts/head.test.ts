import { describe, expect, test } from 'vitest';
import { boundsOf, headOf, lengthenHead, reachOf } from '#core/counts/head.ts';
import { DAY_MS } from '#core/time/span.ts';
import { dayOf, type DayWindow } from '#core/counts/day-windows.ts';

const day = (text: string): number => dayOf(Date.parse(text));

describe('the newest counts', () => {
  test.each([
    ['2026-11-20T00:00:05Z', '2026-11-19', null],
    ['2026-11-20T00:00:11.999Z', '2026-11-19', null],
    ['2026-11-20T00:00:12Z', '2026-11-19', '2026-11-20T00:00:00Z'],
    ['2026-11-20T00:01:59.999Z', '2026-11-19', '2026-11-20T00:00:00Z'],
    ['2026-11-20T00:02:00Z', '2026-11-20', null],
    ['2026-11-20T15:00:00Z', '2026-11-20', null],
  ])('at %s are of %s, with the end %s in the request', (now, of, send) => {
    const head = headOf(Date.parse(now));
    expect(head.day).toBe(day(of));
    expect(head.send).toBe(send === null ? null : Date.parse(send));
    expect(head.end).toBeLessThanOrEqual(Date.parse(now) - 12_000);
  });

  test('recent reaches back to a whole bucket a minute inside its seven days', () => {
    const now = Date.parse('2026-11-20T15:30:20Z');
    const start = (granularity: 'minute' | 'hour' | 'day'): string =>
      new Date(reachOf('recent', now, granularity).start).toISOString();
    expect(start('minute')).toBe('2026-11-13T15:32:00.000Z');
    expect(start('hour')).toBe('2026-11-13T16:00:00.000Z');
    expect(start('day')).toBe('2026-11-14T00:00:00.000Z');
  });

  test('a window begins no earlier than the reach, and the newest one sends no end', () => {
    const now = Date.parse('2026-11-20T15:30:20Z');
    const head = headOf(now);
    const reach = reachOf('recent', now, 'hour');
    const window = { from: day('2026-11-13'), to: day('2026-11-21') };
    expect(boundsOf(window, reach, head)).toEqual({ start: reach.start, end: null });
    const older = { from: day('2026-11-01'), to: day('2026-11-15') };
    expect(boundsOf(older, reach, head)).toEqual({
      start: reach.start,
      end: Date.parse('2026-11-15'),
    });
    expect(boundsOf({ from: 1, to: 2 }, reach, head)).toBeNull();
  });

  test.each<[string, 'page' | 'seam', DayWindow[], DayWindow[]]>([
    ['a full page', 'page', [{ from: 100, to: 101 }], [{ from: 70, to: 101 }]],
    ['one day as a seam', 'seam', [{ from: 100, to: 101 }], [{ from: 99, to: 101 }]],
    [
      'never over a neighbour',
      'page',
      [
        { from: 100, to: 101 },
        { from: 60, to: 90 },
      ],
      [
        { from: 90, to: 101 },
        { from: 60, to: 90 },
      ],
    ],
    ['only where it is the head', 'page', [{ from: 60, to: 90 }], [{ from: 60, to: 90 }]],
    ['never past the reach', 'page', [{ from: 100, to: 101 }], [{ from: 70, to: 101 }]],
  ])('have a longer window: %s', (_, length, windows, longer) => {
    const head = { day: 100, end: 100.5 * DAY_MS, send: null };
    expect(lengthenHead(windows, head, length, 70, 31)).toEqual(longer);
  });
});
