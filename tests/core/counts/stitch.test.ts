import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS, recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { stitch, stitchCell, type CellPart, type StitchedCell } from '#core/counts/stitch.ts';
import { summarise } from '#core/counts/summary.ts';
import { STATE, STATES } from '#core/series/series.ts';
import { BUCKET_MS, bucketCount, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, cellSpan, union } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { merge } from '#core/counts/merge-records.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';

const EVERYTHING = [{ start: -Infinity, end: Infinity }];
const CELL = cellSpan(200);
const LATE = CELL.end + 10 * DAY_MS;

interface Asked {
  granularity: Granularity;
  /** In hours from the start of the cell. */
  from: number;
  length: number;
  cut: number;
  /** In hours from the start of the cell. */
  at: number;
  generation: number;
}

/** Posts of each minute, the same for every answer of a generation. */
const postsAt = (minute: number, generation: number): number => (minute * 7 + generation * 3) % 4;

function recordOf(a: Asked, id: number): CellRecord {
  const width = BUCKET_MS[a.granularity];
  const start = Math.floor((CELL.start + a.from * HOUR_MS) / width) * width;
  const end = Math.min(CELL.end, start + Math.max(width, a.length * HOUR_MS)) - a.cut;
  const counts = Array.from({ length: bucketCount(start, end, a.granularity) }, (_, i) => {
    let sum = 0;
    for (let t = start + i * width; t < Math.min(end, start + (i + 1) * width); t += MINUTE_MS) {
      sum += postsAt(t / MINUTE_MS, a.generation);
    }
    return sum;
  });
  const at = CELL.start + a.at * HOUR_MS;
  const note = { at, generation: a.generation, endpoint: 'all' } as const;
  return recordsOf('s', a.granularity, {
    start,
    end,
    counts,
    receipt: `r${id}`,
    note,
  })[0] as CellRecord;
}

const part = (record: CellRecord): CellPart => ({
  granularity: record.key[1],
  width: record.key[1],
  counts: record.counts,
  segments: record.segments,
  receipts: record.receipts,
});

const rules = { settleMs: SETTLE_MS, invalidated: [] as Invalidation[] };

const asked = (granularity: Granularity): fc.Arbitrary<Asked> =>
  fc.record({
    granularity: fc.constant(granularity),
    from: fc.integer({ min: 0, max: 200 }),
    length: fc.integer({ min: 1, max: 120 }),
    cut: fc.constantFrom(0, 0, 20 * MINUTE_MS, 90_000),
    at: fc.integer({ min: 0, max: 400 }),
    generation: fc.constant(1),
  });

const layers = fc
  .tuple(...(['minute', 'hour', 'day'] as const).map((g) => fc.array(asked(g), { maxLength: 3 })))
  .map((lists) => {
    let id = 0;
    return lists.flatMap((list) => {
      const records = list.map((a) => recordOf(a, (id += 1)));
      return records.length === 0 ? [] : [records.reduce((all, record) => merge(all, record))];
    });
  });

/** The forms in which its counts may be stored. */
const reported = (cell: StitchedCell) => ({ ...cell, counts: [...cell.counts] });

describe('stitchCell', () => {
  test('gives each bucket the state of its strongest granularity, the finer of two equals', () => {
    fc.assert(
      fc.property(layers, fc.constantFrom<Granularity>('hour', 'day'), (records, granularity) => {
        const width = BUCKET_MS[granularity];
        const serving = records.filter(({ key }) => BUCKET_MS[key[1]] <= width);
        const { counts, states } = stitchCell(200, granularity, serving.map(part), rules);
        for (let i = 0; i < counts.length; i += 1) {
          const start = CELL.start + i * width;
          const reported = serving.map((record) => bucket(record, start, width));
          const best = reported.reduce((a, b) => (b.state > a.state ? b : a), {
            state: 0,
            count: 0,
          });
          expect(STATES[states[i] ?? 0]).toBe(STATES[best.state]);
          if (best.state > STATE.never) expect(counts[i]).toBe(best.count);
        }
      }),
      { numRuns: runs(40) },
    );
  });

  test('has the same result from summaries as from records', () => {
    fc.assert(
      fc.property(
        layers,
        fc.constantFrom<'hour' | 'day'>('hour', 'day'),
        (records, granularity) => {
          const serving = records.filter(({ key }) => BUCKET_MS[key[1]] <= BUCKET_MS[granularity]);
          const small = serving.map((record): CellPart => {
            const { days, hours, segments, receipts } = summarise(record);
            const counts = (granularity === 'hour' ? hours?.sum : days.sum) ?? new Uint8Array();
            return { granularity: record.key[1], width: granularity, counts, segments, receipts };
          });
          expect(reported(stitchCell(200, granularity, small, rules))).toEqual(
            reported(stitchCell(200, granularity, serving.map(part), rules)),
          );
        },
      ),
      { numRuns: runs(40) },
    );
  });

  test('has the same result for a part alone as next to one that knows nothing', () => {
    const raised = fc.constantFrom<Invalidation[]>(
      [],
      [{ start: CELL.start + DAY_MS, end: CELL.start + 2 * DAY_MS, generation: 2 }],
      [{ start: CELL.end, end: CELL.end + DAY_MS, generation: 2 }],
    );
    fc.assert(
      fc.property(layers, raised, (records, invalidated) => {
        for (const record of records) {
          const { granularity } = part(record);
          const nothing = { ...part(record), segments: [], counts: new Uint8Array() };
          const alone = stitchCell(200, granularity, [part(record)], { ...rules, invalidated });
          const joined = stitchCell(200, granularity, [part(record), nothing], {
            ...rules,
            invalidated,
          });
          expect(reported(alone)).toEqual(reported(joined));
        }
      }),
      { numRuns: runs(40) },
    );
  });

  const hours = {
    granularity: 'hour',
    from: 0,
    length: 48,
    cut: 0,
    at: 24 * 40,
    generation: 1,
  } as const;

  test('shows counts older than a change, but not as settled', () => {
    const invalidated = [{ start: CELL.start, end: CELL.start + HOUR_MS, generation: 2 }];
    const { states, counts } = stitchCell(200, 'hour', [part(recordOf(hours, 1))], {
      ...rules,
      invalidated,
    });
    expect([states[0], states[1]]).toEqual([STATE.provisional, STATE.settled]);
    expect(counts[0]).toBeGreaterThan(0);
  });

  test('prefers a coarser answer since a change to a finer one from before it', () => {
    const old = recordOf({ ...hours, granularity: 'minute' }, 1);
    const fresh = recordOf({ ...hours, at: 24 * 41, generation: 2 }, 2);
    const invalidated = [{ start: CELL.start, end: CELL.start + DAY_MS, generation: 2 }];
    const parts = [part(old), part(fresh)];
    const now = stitchCell(200, 'hour', parts, { ...rules, invalidated });
    expect(now.counts[0]).toBe(fresh.counts[0]);
    expect(now.fetched[0]?.at).toBe(CELL.start + 41 * DAY_MS);
    const before = stitchCell(200, 'hour', parts, rules);
    expect(before.fetched[0]?.at).toBe(CELL.start + 40 * DAY_MS);
  });

  test('never calls a partly known day whole', () => {
    const cut = recordOf({ ...hours, length: 30, cut: 20 * MINUTE_MS }, 1);
    const { states } = stitchCell(200, 'day', [part(cut)], rules);
    expect(Array.from(states.slice(0, 3))).toEqual([STATE.settled, STATE.partial, STATE.never]);
  });

  test('refuses counts that are wider than wanted', () => {
    expect(() => stitchCell(200, 'minute', [part(recordOf(hours, 1))], rules)).toThrow(RangeError);
  });
});

/** The buckets of a record by its own granularity, one at a time. */
function bucket(
  record: CellRecord,
  start: number,
  width: number,
): { state: number; count: number } {
  const own = BUCKET_MS[record.key[1]];
  let known = 0;
  let count = 0;
  let state: number = STATE.settled;
  for (let t = start; t < start + width; t += own) {
    const segment = record.segments.find(({ from, to }) => from <= t && t < to);
    if (!segment) continue;
    known += Math.min(segment.to, t + own) - t;
    count += record.counts[(t - CELL.start) / own] ?? 0;
    const at = record.receipts[segment.receipt]?.at ?? 0;
    if (at < Math.floor(t / DAY_MS) * DAY_MS + 2 * DAY_MS) state = STATE.provisional;
  }
  if (known === 0) return { state: STATE.never, count: 0 };
  return { state: known < width ? STATE.partial : state, count };
}

describe('stitch', () => {
  const reported = {
    granularity: 'hour',
    from: 0,
    length: 24,
    cut: 0,
    at: 24 * 40,
    generation: 1,
  } as const;
  const cell = stitchCell(200, 'hour', [part(recordOf(reported, 1))], rules);
  const nothing = { covered: EVERYTHING, failed: [], reach: 0 };

  test('widens the span to whole buckets and keeps the state of unrequested ones', () => {
    const span = { start: CELL.start - HOUR_MS + 1, end: CELL.start + 25 * HOUR_MS - 1 };
    const series = stitch(span, 'hour', new Map([[200, cell]]), nothing);
    expect(series.start).toBe(CELL.start - HOUR_MS);
    expect(series.counts).toHaveLength(26);
    expect(series.states[0]).toBe(STATE.never);
    expect(Array.from(series.states.slice(1, 25)).every((state) => state === STATE.settled)).toBe(
      true,
    );
    expect(series.states[25]).toBe(STATE.never);
    expect(Array.from(series.counts.slice(1, 25))).toEqual(Array.from(cell.counts.slice(0, 24)));
  });

  test('joins cells, and fetches that are one', () => {
    const start = CELL.end - DAY_MS;
    const note = { at: LATE, generation: 0, endpoint: 'all' } as const;
    const counts = Array.from({ length: 48 }, (_, i) => i);
    const cells = recordsOf('s', 'hour', {
      start,
      end: start + 2 * DAY_MS,
      counts,
      receipt: 'r',
      note,
    }).map((record) => stitchCell(record.key[2], 'hour', [part(record)], rules));
    const span = { start, end: start + 2 * DAY_MS };
    const series = stitch(span, 'hour', new Map(cells.map((each) => [each.cell, each])), nothing);
    expect([...series.counts]).toEqual(counts);
    expect(series.fetched).toEqual([{ from: span.start, to: span.end, at: LATE }]);
  });

  test('holds minutes in half the memory where every count fits exactly', () => {
    const highest = fc.constantFrom(0, 255, 65_535, 65_536, 2 ** 24 + 1, 2 ** 32 - 1);
    const span = { start: CELL.start, end: CELL.end + DAY_MS };
    const note = { at: span.end + 2 * DAY_MS, generation: 0, endpoint: 'all' } as const;
    const minutes = (span.end - span.start) / MINUTE_MS;
    fc.assert(
      fc.property(highest, highest, (first, last) => {
        const counts = new Float64Array(minutes);
        [counts[0], counts[minutes - 1]] = [first, last];
        const records = recordsOf('s', 'minute', { ...span, counts, receipt: 'r', note });
        const cells = records.map((record) =>
          stitchCell(record.key[2], 'minute', [part(record)], rules),
        );
        const byCell = new Map(cells.map((each) => [each.cell, each]));
        const series = stitch(span, 'minute', byCell, nothing);
        expect(series.counts.every((count, i) => count === counts[i])).toBe(true);
        expect(series.counts instanceof Float32Array).toBe(Math.max(first, last) < 65_536);
        expect(series.states.every((state) => state === STATE.settled)).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  test('cuts the fetches to the span', () => {
    const span = { start: CELL.start + HOUR_MS, end: CELL.start + 3 * HOUR_MS };
    const series = stitch(span, 'hour', new Map([[200, cell]]), nothing);
    const at = CELL.start + 40 * DAY_MS;
    expect(series.fetched).toEqual([{ from: span.start, to: span.end, at }]);
  });

  test('marks failed and unreachable buckets only if nothing is known of them', () => {
    const span = { start: CELL.start - 2 * HOUR_MS, end: CELL.start + 27 * HOUR_MS };
    const series = stitch(span, 'hour', new Map([[200, cell]]), {
      covered: EVERYTHING,
      failed: [{ start: CELL.start + 20 * HOUR_MS, end: CELL.start + 26 * HOUR_MS }],
      reach: CELL.start + HOUR_MS,
    });
    const names = [...series.states].map((state) => STATES[state]);
    expect(names.slice(0, 3)).toEqual(['uncovered', 'uncovered', 'settled']);
    expect(names.slice(25)).toEqual(['settled', 'failed', 'failed', 'never']);
  });

  test('has no data outside the covered times, whatever the source answered there', () => {
    const span = { start: CELL.start, end: CELL.start + 12 * HOUR_MS };
    const quarter = HOUR_MS / 4;
    const spans = fc.array(
      fc.tuple(fc.integer({ min: -8, max: 60 }), fc.integer({ max: 16, min: 1 })),
    );
    fc.assert(
      fc.property(spans, fc.boolean(), (given, open) => {
        const covered = union([
          ...given.map(([from, length]) => ({
            start: CELL.start + from * quarter,
            end: CELL.start + (from + length) * quarter,
          })),
          ...(open ? [{ start: CELL.start + 40 * quarter, end: Infinity }] : []),
        ]);
        const series = stitch(span, 'hour', new Map([[200, cell]]), { ...nothing, covered });
        const expected = Array.from({ length: 12 }, (_, hour) => {
          const inside = [0, 1, 2, 3].filter((i) =>
            covered.some(({ start, end }) => {
              const at = CELL.start + (4 * hour + i) * quarter;
              return start <= at && at < end;
            }),
          ).length;
          return inside === 0 ? 'uncovered' : inside === 4 ? 'settled' : 'partial';
        });
        expect([...series.states].map((state) => STATES[state])).toEqual(expected);
      }),
    );
  });

  test('is empty for an empty span', () => {
    const series = stitch({ start: CELL.start, end: CELL.start }, 'hour', new Map(), nothing);
    expect(series.counts).toHaveLength(0);
  });
});
