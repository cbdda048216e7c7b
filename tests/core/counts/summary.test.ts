import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { summarise } from '#core/counts/summary.ts';
import { BUCKET_MS, bucketCount } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, HOUR_MS, cellSpan } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { merge } from '#core/counts/merge-records.ts';

const CELL = cellSpan(200);

interface Answer {
  /** In hours from the start of the cell. */
  readonly from: number;
  /** In buckets. */
  readonly length: number;
  readonly cut: number;
  readonly at: number;
}

const answers = fc.array(
  fc.record({
    from: fc.integer({ min: 0, max: 700 }),
    length: fc.integer({ min: 1, max: 200 }),
    cut: fc.constantFrom(0, 0, 1, 30_000),
    at: fc.integer({ min: 0, max: 900 }),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The answers as one record, of minutes or of hours. */
function recordOf(list: readonly Answer[], granularity: 'minute' | 'hour'): CellRecord {
  const width = BUCKET_MS[granularity];
  const records = list.flatMap((a, id) => {
    const start = CELL.start + a.from * HOUR_MS;
    const end = Math.min(CELL.end, start + a.length * width) - a.cut;
    const counts = Array.from(
      { length: bucketCount(start, end, granularity) },
      (_, i) => (id + i) % 400,
    );
    const note = { at: CELL.start + a.at * HOUR_MS, generation: 0, endpoint: 'all' } as const;
    return recordsOf('s', granularity, { start, end, counts, receipt: `r${id}`, note });
  });
  return records.reduce((all, record) => merge(all, record));
}

describe('summarise', () => {
  test('sums the known buckets of each hour and day, and the minimum and maximum of the whole ones', () => {
    fc.assert(
      fc.property(answers, fc.constantFrom('minute', 'hour'), (list, granularity) => {
        const record = recordOf(list, granularity);
        const width = BUCKET_MS[record.key[1]];
        const summary = summarise(record);
        for (const [tier, unit] of [
          [summary.hours, HOUR_MS],
          [summary.days, DAY_MS],
        ] as const) {
          const sums = Array.from({ length: CELL_MS / unit }, () => 0);
          const least = Array.from({ length: CELL_MS / unit }, () => Infinity);
          const most = Array.from({ length: CELL_MS / unit }, () => 0);
          for (const { from, to } of record.segments) {
            for (let t = from; t < to; t += width) {
              const at = Math.floor((t - CELL.start) / unit);
              const count = record.counts[(t - CELL.start) / width] ?? 0;
              sums[at] = (sums[at] ?? 0) + count;
              if (t + width > to && unit !== width) continue;
              least[at] = Math.min(least[at] ?? 0, count);
              most[at] = Math.max(most[at] ?? 0, count);
            }
          }
          expect([...(tier?.sum ?? [])]).toEqual(sums);
          expect([...(tier?.min ?? [])]).toEqual(least.map((x) => (x === Infinity ? 0 : x)));
          expect([...(tier?.max ?? [])]).toEqual(most);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('has no hours for a record of days', () => {
    const note = { at: CELL.end, generation: 0, endpoint: 'all' } as const;
    const [record] = recordsOf('s', 'day', {
      start: CELL.start,
      end: CELL.start + DAY_MS,
      counts: [7],
      receipt: 'r',
      note,
    });
    const summary = summarise(record as CellRecord);
    expect(summary.hours).toBeNull();
    expect(summary.days.sum[0]).toBe(7);
  });
});
