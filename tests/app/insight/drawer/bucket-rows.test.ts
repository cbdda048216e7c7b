import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import { bucketCell, bucketColumns, copiedBucketRows } from '#app/insight/drawer/bucket-rows.ts';
import { pagesMissing } from '#app/insight/summary/hourly-series.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { summarize } from '#app/insight/summary/summary.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf as sharedCurve } from '#tests/core/series/curves.ts';

const { never, partial, provisional, settled } = STATE;
const NONE = Number.NaN;
const format = new Formatter('en-GB');
const curveOf = (counts: number[], states: number[]): Curve =>
  sharedCurve(counts, { width: DAY_MS, states });
const curve = curveOf([100, NONE, 30, 7, NONE], [settled, never, provisional, partial, never]);
const now = 3.5 * DAY_MS;
const series: InsightSeries = {
  id: 1,
  name: 'Matcha',
  kind: 'query',
  queried: true,
  style: seriesStyle(0),
  hidden: false,
  curve,
  summary: summarize(curve, now),
  pending: null,
  run: { upperBounds: false },
  before: {
    curve: curveOf([80, 5, 0, 9, 9], [settled, settled, settled, settled, settled]),
    change: { ok: false, why: 'missing' },
  },
};
const of = { bounds: curve.bounds, per: 'day' as const, now, format };

describe('the table of buckets', () => {
  it('qualifies every count by its state', () => {
    const [column] = bucketColumns([series], []);
    if (!column) throw new Error('expected a column');
    const cells = [0, 1, 2, 3, 4].map((at) => bucketCell(column, at, of));
    expect(cells.map(({ text, note }) => `${text} ${note}`.trim())).toEqual([
      '100',
      '– not known',
      '30 may change',
      '7 unfinished',
      '– not yet',
    ]);
  });

  it('shows the earlier counts and, for whole buckets, the change if a comparison is chosen', () => {
    const columns = bucketColumns([series, { ...series, id: 2, kind: 'file' }], ['Year']);
    expect(columns.map(({ head }) => head)).toEqual(['Matcha', 'Year', 'Change', 'Matcha']);
    expect(copiedBucketRows(columns.slice(0, 3), 'day', 0, 4, of)).toEqual([
      ['day', 'Matcha', 'Year', 'Change', 'unfinished'],
      ['Sun, 4 Jan 1970', 7, 9, Number.NaN, 'Matcha'],
      ['Sat, 3 Jan 1970', 30, 0, 'new', ''],
      ['Fri, 2 Jan 1970', Number.NaN, 5, Number.NaN, ''],
      ['Thu, 1 Jan 1970', 100, 80, 0.25, ''],
    ]);
  });

  it('shows the counts of each of several earlier periods', () => {
    const older = { ...series.before!, curve: curveOf([70, 6, 1, 8, 8], [settled, never]) };
    const columns = bucketColumns(
      [{ ...series, befores: [series.before, older] }],
      ['2025', '2024'],
    );
    expect(copiedBucketRows(columns, 'day', 0, 2, of)).toEqual([
      ['day', 'Matcha', '2025', '2024', 'unfinished'],
      ['Fri, 2 Jan 1970', Number.NaN, 5, 6, ''],
      ['Thu, 1 Jan 1970', 100, 80, 70, ''],
    ]);
  });
});

it.each([
  [5, 8, true],
  [5, 50, false],
  [0, 0, true],
  [0, 50, false],
  [50_000, 50_300, true],
  [50_000, 52_000, false],
  [0, 5000, false],
])('compares the change from %i to %i with the noise of counting', (was, count, noise) => {
  const curve = curveOf([count], [settled]);
  const before = {
    curve: curveOf([was], [settled]),
    change: { ok: false, why: 'missing' },
  } as const;
  const column = bucketColumns([{ ...series, curve, before }], ['Year'])[2];
  expect(column && bucketCell(column, 0, of).why !== '').toBe(noise);
});

it('computes the pages needed for missing counts from their stretches', () => {
  const states = Array.from({ length: 80 }, (_, i) => (i === 0 || i > 40 ? never : settled));
  const counts = states.map((state) => (state === never ? NONE : 1));
  expect(pagesMissing([curveOf(counts, states)], 80 * DAY_MS)).toBe(3);
});
