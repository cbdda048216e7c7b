import { expect, it } from 'vitest';
import { completenessWords } from '#app/insight/summary/completeness.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { STATE } from '#core/series/series.ts';
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
