import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refuses } from '#core/counts/check.ts';
import { driftFaults, driftOf } from '#core/counts/granularity-drift.ts';
import { SETTLE_MS, recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { BUCKET_MS, bucketCount, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, cellSpan } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { merge } from '#core/counts/merge-records.ts';

const CELL = cellSpan(200);
const LATE = CELL.end + 2 * DAY_MS;

interface Part {
  readonly start?: number;
  readonly end?: number;
  readonly at?: number;
  readonly generation?: number;
  readonly receipt?: string;
}

function record(
  granularity: Granularity,
  count: (bucket: number) => number,
  { start = CELL.start, end = CELL.end, at = LATE, generation = 0, receipt = 'r' }: Part = {},
): CellRecord {
  const first = (start - CELL.start) / BUCKET_MS[granularity];
  const counts = Array.from({ length: bucketCount(start, end, granularity) }, (_, i) =>
    count(first + i),
  );
  const note = { at, generation, endpoint: 'all' as const };
  return recordsOf('s', granularity, { start, end, counts, receipt, note })[0] as CellRecord;
}

/** Hours with one count at bucket 5, and minutes that add up to `sum` there and agree elsewhere. */
function compared(coarse: number, sum: number): ReturnType<typeof driftOf> {
  const hours = record('hour', (i) => (i === 5 ? coarse : 60));
  const minutes = record('minute', (i) => {
    if (Math.floor(i / 60) !== 5) return 1;
    return Math.floor(sum / 60) + (i % 60 < sum % 60 ? 1 : 0);
  });
  return driftOf(minutes, hours);
}

describe('driftOf', () => {
  test('finds nothing if the sums are equal', () => {
    expect(compared(1234, 1234)).toEqual({ noted: [], contradicted: [] });
    expect(driftFaults(compared(0, 0))).toEqual([]);
  });

  test.each([
    ['one Post', 1000, 999],
    ['two Posts of three', 3, 1],
    ['two Posts instead of none', 0, 2],
    ['two in a hundred', 1000, 980],
    ['more, short of a factor of two', 1000, 501],
    ['nine Posts instead of none', 0, 9],
    ['none instead of nine', 9, 0],
  ])('notes a difference of %s: %i then %i', (_, was, now) => {
    const found = compared(was, now);
    expect(found).toEqual({
      noted: [{ start: CELL.start + 5 * HOUR_MS, was, now }],
      contradicted: [],
    });
    const [fault, ...more] = driftFaults(found);
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ kind: 'drift', expected: was, got: now, times: 1 });
    expect(fault && refuses(fault)).toBe(false);
  });

  test.each([
    ['none instead of ten', 10, 0],
    ['ten instead of none', 0, 10],
    ['half', 1000, 500],
    ['double', 10, 20],
    ['three Posts of four', 4, 1],
  ])('contradicts: %s, %i then %i', (_, was, now) => {
    const found = compared(was, now);
    expect(found).toEqual({
      noted: [],
      contradicted: [{ start: CELL.start + 5 * HOUR_MS, was, now }],
    });
    const [fault, ...more] = driftFaults(found);
    expect(more).toEqual([]);
    expect(fault).toMatchObject({ kind: 'contradicts-coarser', expected: was, got: now });
    expect(fault && refuses(fault)).toBe(true);
  });

  test.each<[string, Part, Part]>([
    ['the coarser is provisional', {}, { at: CELL.start }],
    ['the finer is provisional', { at: CELL.start + HOUR_MS }, {}],
    ['the generations differ', { generation: 1 }, {}],
    ['the finer tells other days', { end: CELL.start + DAY_MS }, { start: CELL.start + DAY_MS }],
    [
      'the finer tells a part of the hour',
      { start: CELL.start + MINUTE_MS, end: CELL.start + HOUR_MS },
      {},
    ],
    ['the coarser is cut', {}, { end: CELL.start + 59 * MINUTE_MS }],
    ['the finer is cut', { end: CELL.start + HOUR_MS - 1 }, {}],
  ])('reports nothing if %s', (_, fine, coarse) => {
    const [minutes, hours] = [record('minute', () => 7, fine), record('hour', () => 1, coarse)];
    expect(driftOf(minutes, hours)).toEqual({ noted: [], contradicted: [] });
  });

  test('compares every bucket that is whole, settled and of one generation in both, across receipts', () => {
    const parts = fc.array(
      fc.record({
        from: fc.integer({ min: 0, max: 90 }),
        length: fc.integer({ min: 1, max: 60 }),
        at: fc.integer({ min: 0, max: 200 }),
        generation: fc.constantFrom(0, 0, 0, 1),
      }),
      { minLength: 1, maxLength: 4 },
    );
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const built = (list: Parts, granularity: Granularity, count: number): CellRecord => {
      const unit = granularity === 'minute' ? 30 * MINUTE_MS : HOUR_MS;
      return list
        .map(({ from, length, at, generation }, i) => {
          const start = CELL.start + from * unit;
          const receipt = `${granularity}${i}`;
          const more = { at: CELL.start + at * HOUR_MS, generation, receipt };
          return record(granularity, () => count, { start, end: start + length * unit, ...more });
        })
        .reduce((a, b) => merge(a, b));
    };
    const settledBy = (of: CellRecord, start: number, end: number): number | null => {
      const by = of.segments.filter(({ from, to }) => from < end && to > start);
      const reported = by.reduce(
        (sum, { from, to }) => sum + Math.min(to, end) - Math.max(from, start),
        0,
      );
      const notes = by.map(({ receipt }) => of.receipts[receipt]);
      const due = Math.floor(start / DAY_MS) * DAY_MS + DAY_MS + SETTLE_MS;
      const generations = new Set(notes.map((note) => note?.generation));
      const settled = notes.every((note) => (note?.at ?? 0) >= due);
      if (reported < end - start || !settled || generations.size !== 1) return null;
      return [...generations][0] ?? null;
    };
    fc.assert(
      fc.property(parts, parts, (fine, coarse) => {
        const [minutes, hours] = [built(fine, 'minute', 1), built(coarse, 'hour', 61)];
        const expected: number[] = [];
        for (let start = CELL.start; start < CELL.end; start += HOUR_MS) {
          const [a, b] = [minutes, hours].map((of) => settledBy(of, start, start + HOUR_MS));
          if (a !== null && a === b) expected.push(start);
        }
        const { noted, contradicted } = driftOf(minutes, hours);
        expect(noted.map(({ start }) => start)).toEqual(expected);
        expect(contradicted).toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  test('compares hours with days too, and counts how many buckets differ', () => {
    const found = driftOf(
      record('hour', () => 10),
      record('day', (i) => (i < 3 ? 241 : 240)),
    );
    expect(driftFaults(found)).toEqual([
      { kind: 'drift', at: CELL.start, expected: 241, got: 240, times: 3 },
    ]);
  });

  test.each<[string, CellRecord, CellRecord]>([
    ['the coarser first', record('hour', () => 1), record('minute', () => 1)],
    ['one granularity', record('hour', () => 1), record('hour', () => 1)],
    [
      'two cells',
      record('minute', () => 1),
      { ...record('hour', () => 1), key: ['s', 'hour', 201] },
    ],
    [
      'two series',
      record('minute', () => 1),
      { ...record('hour', () => 1), key: ['t', 'hour', 200] },
    ],
  ])('refuses %s', (_, finer, coarser) => {
    expect(() => driftOf(finer, coarser)).toThrow(RangeError);
  });
});
