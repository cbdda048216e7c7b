import { expect, test } from 'vitest';
import { recordsOf } from '#core/counts/ledger.ts';
import { stitch, stitchCell } from '#core/counts/stitch.ts';
import { summarise } from '#core/counts/summary.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, cellSpan } from '#core/time/span.ts';

const MOST = 2 ** 32 - 1;
const CELL = 100;
const { start, end } = cellSpan(CELL);
const RULES = { settleMs: DAY_MS, invalidated: [] };

test.each<[Granularity, number, Granularity]>([
  ['hour', 24, 'day'],
  ['minute', 60, 'hour'],
  ['minute', 1440, 'day'],
])('the greatest counts by the %s are summed exactly, %i per %s', (granularity, n, width) => {
  const counts = Array.from({ length: (end - start) / BUCKET_MS[granularity] }, () => MOST);
  const note = { at: end + 3 * DAY_MS, generation: 0, endpoint: 'all' } as const;
  const [record] = recordsOf('s', granularity, { start, end, counts, receipt: 'r', note });
  if (!record) throw new Error('expected a record');
  const { days, hours } = summarise(record);
  const sums = (width === 'day' ? days : hours)?.sum ?? new Uint8Array();
  expect(new Set(sums)).toEqual(new Set([n * MOST]));
  const { segments, receipts } = record;
  const known = { granularity, segments, receipts };
  const read = { ...known, width: granularity, counts: record.counts };
  const summary = { ...known, width, counts: sums };
  // From the record, from its summary, and from a summary compared with something coarser.
  for (const parts of [[read], [summary], [summary, { ...summary, granularity: width }]]) {
    const cell = stitchCell(CELL, width, parts, RULES);
    const untold = { covered: [{ start, end }], failed: [], reach: start };
    const series = stitch({ start, end }, width, new Map([[CELL, cell]]), untold);
    expect(new Set(series.counts)).toEqual(new Set([n * MOST]));
  }
});
