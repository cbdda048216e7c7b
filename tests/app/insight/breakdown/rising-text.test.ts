import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rising } from '#app/api/breakdown-api.ts';
import { Formatter } from '#app/format/formatter.ts';
import { risingLists, searchedSpan } from '#app/insight/breakdown/rising-text.ts';
import { MOST_RISING_DAYS } from '#contract/counts/breakdown.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

const START = Date.UTC(2026, 2, 1);
const format = new Formatter('en-GB', 'Europe/Berlin');
const table = zoneTable('Europe/Berlin', {
  start: START - 900 * DAY_MS,
  end: START + 900 * DAY_MS,
});
const iso = (at: number): string => new Date(at).toISOString();

type Item = Rising['words'][number];
const item = (name: string, peak: Partial<Item['peak']>, alone = true): Item => ({
  name,
  clause: name,
  alone,
  posts: 40,
  share: 0.1,
  peak: { start: iso(START), end: iso(START + DAY_MS), posts: 30, expected: 3, ...peak },
  score: 9,
  counts: [1, 30, 2],
});
const EMPTY: Rising = {
  posts: 400,
  bucket_ms: DAY_MS,
  start: iso(START),
  words: [],
  hashtags: [],
  authors: [],
};
const linesOf = (data: Partial<Rising>): string[] =>
  risingLists({ ...EMPTY, ...data }, table, format).flatMap(({ heading, lines }) =>
    lines.map(({ name, text }) => `${heading}: ${name}, ${text}`),
  );

describe('the lists of what rises', () => {
  it('say how high the peak is above the usual, and when it was', () => {
    expect(
      linesOf({
        words: [item('launch', {})],
        authors: [item('ann', { posts: 1200, expected: 0.2 })],
      }),
    ).toEqual([
      'Words: launch, 10× the usual · 1 Mar 2026',
      'Accounts: @ann, 1,200 Posts, usually hardly any · 1 Mar 2026',
    ]);
  });

  it('name days of the zone, although days of 24 hours drift by an hour when clocks change', () => {
    // Midnight in Berlin in winter; on 5 April these days of 24 hours begin at one o’clock.
    const from = Date.UTC(2026, 3, 4, 23);
    const days = { start: iso(from), end: iso(from + 2 * DAY_MS) };
    expect(linesOf({ words: [item('spring', days)] })).toEqual([
      'Words: spring, 10× the usual · 5–6 Apr 2026',
    ]);
    // The running day ends now.
    const running = { start: iso(from), end: iso(from + 10 * HOUR_MS) };
    expect(linesOf({ words: [item('spring', running)] })).toEqual([
      'Words: spring, 10× the usual · 5 Apr 2026',
    ]);
    const hours = { start: iso(from), end: iso(from + 2 * HOUR_MS) };
    expect(linesOf({ words: [item('spring', hours)], bucket_ms: HOUR_MS })).toEqual([
      'Words: spring, 10× the usual · 5 Apr 2026, 01:00–03:00',
    ]);
  });

  it('leave out what is no query by itself', () => {
    expect(linesOf({ hashtags: [item('#x', {}, false)] })).toEqual([]);
  });
});

describe('the time searched', () => {
  const time = fc.integer({ min: -800 * 24, max: 800 * 24 }).map((h) => START + h * HOUR_MS);
  it('lies in the window and has Posts, and is short enough', () => {
    fc.assert(
      fc.property(time, time, time, time, (a, b, c, d) => {
        const window = { start: Math.min(a, b), end: Math.max(a, b) + HOUR_MS };
        const source = { first: iso(Math.min(c, d)), last: iso(Math.max(c, d)) };
        const span = searchedSpan(window, source, table);
        const apart =
          Date.parse(source.last) < window.start || Date.parse(source.first) >= window.end;
        if (!span) return apart;
        return (
          !apart &&
          span.start < span.end &&
          span.start >= window.start &&
          span.end <= window.end &&
          span.end - span.start <= MOST_RISING_DAYS * DAY_MS
        );
      }),
    );
  });

  it('is unknown until the source is', () => {
    const window = { start: START, end: START + DAY_MS };
    expect(searchedSpan(window, null, table)).toBeNull();
    expect(searchedSpan(window, { first: null, last: null }, table)).toBeNull();
  });
});
