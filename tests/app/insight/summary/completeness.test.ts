import { expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { completenessWords, gapWords } from '#app/insight/summary/completeness.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/curves.ts';

const { never, uncovered, partial, provisional, settled } = STATE;
const SIZE = 400;
const WIDTH = 10;

/** The word for a curve of settled buckets, but for those given by number. */
function wordOf(states: Readonly<Record<number, number>>): string {
  const stateAt = (i: number): number => states[i] ?? settled;
  const counts = Array.from({ length: SIZE }, (_, i) => (stateAt(i) < partial ? Number.NaN : 1));
  const curve = curveOf(counts, { width: WIDTH, states: counts.map((_, i) => stateAt(i)) });
  const end = SIZE * WIDTH;
  const summary = summarize(curve, end);
  const series = { kind: 'query', curve, summary, pending: null } as const;
  return completenessWords([series], { window: { start: 0, end }, now: end }).word;
}

it.each([
  ['Complete', {}],
  ['Complete', { 0: partial, [SIZE - 1]: partial }],
  ['Complete', { [SIZE - 1]: provisional }],
  ['Complete but for small gaps', { 200: partial }],
  ['Some counts are missing', { 200: never }],
  [
    'No data for this time',
    Object.fromEntries(Array.from({ length: SIZE }, (_, i) => [i, uncovered])),
  ],
  [
    'No data for part of this time',
    Object.fromEntries(Array.from({ length: 9 }, (_, i) => [i, uncovered])),
  ],
])('%s', (word, states) => {
  expect(wordOf(states)).toBe(word);
});

it('is the same by weeks, of which the range cuts the outer ones, as by days', () => {
  const wordBy = (width: number, lastState: number, end = 400): string => {
    const states = Array.from({ length: 400 / width }, () => settled as number);
    states[states.length - 1] = lastState;
    const curve = curveOf(
      states.map(() => 1),
      { width, states },
    );
    // The basis knows that the source covers no more than this of either.
    const summary = { ...summarize(curve, 400), covered: 0.9995 };
    const view = { window: { start: 0, end }, now: 400, cut: { first: true, last: true } };
    return completenessWords([{ kind: 'query', curve, summary, pending: null }], view).word;
  };
  expect([wordBy(1, partial), wordBy(100, partial)]).toEqual([
    'Complete but for small gaps',
    'Complete but for small gaps',
  ]);
  // The last minutes of a time that still runs are no gap.
  expect(wordBy(100, partial, 401)).toBe('Complete');
});

it('names the gaps of what a source covers, and counts them if there are many', () => {
  const format = new Formatter('en-GB');
  const start = Date.UTC(2018, 4, 1);
  const view = { start, end: start + 30 * DAY_MS };
  const wordsOf = (...hours: readonly (readonly [number, number])[]): string =>
    gapWords(
      view,
      start + 20 * DAY_MS,
      hours.map(([from, to]) => ({ start: start + from * HOUR_MS, end: start + to * HOUR_MS })),
      format,
    );
  expect(wordsOf([-9, Infinity])).toBe('');
  expect(wordsOf([-9, -5])).toBe('');
  expect(wordsOf([-9, 470])).toBe('No data after 20 May 2018, 14:00');
  expect(wordsOf([2, 5], [6, Infinity])).toBe(
    'No data before 1 May 2018, 02:00 or from 1 May 2018, 05:00 to 1 May 2018, 06:00',
  );
  expect(wordsOf([2, 5], [6, 7], [8, 9], [10, Infinity])).toBe(
    'No data before 1 May 2018, 02:00, from 1 May 2018, 05:00 to 1 May 2018, 06:00 or in 2 more gaps',
  );
});
