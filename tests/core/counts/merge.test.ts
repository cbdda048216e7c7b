import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS, recordsOf, type CellRecord, type ReportedCounts } from '#core/counts/ledger.ts';
import { bucketCount } from '#core/time/bucket.ts';
import { CELL_MS, DAY_MS, HOUR_MS, MINUTE_MS, cellSpan } from '#core/time/span.ts';
import { runs } from '#tests/support/run/runs.ts';
import { merge } from '#core/counts/merge-records.ts';
import { countRevisions } from '#core/counts/count-revisions.ts';

const CELL = cellSpan(200);
const HOURS = CELL_MS / HOUR_MS;

interface Answer {
  /** First bucket, and number of buckets. */
  readonly from: number;
  readonly length: number;
  /** Length cut off the last bucket, ms. */
  readonly cut: number;
  /** Hours after the start of the cell. */
  readonly at: number;
  readonly generation: number;
  readonly seed: number;
}

const answer: fc.Arbitrary<Answer> = fc.record({
  from: fc.integer({ min: 0, max: HOURS - 1 }),
  length: fc.integer({ min: 1, max: 200 }),
  cut: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: HOUR_MS - 1 })),
  at: fc.oneof(fc.integer({ min: 0, max: HOURS + 100 }), fc.constantFrom(100, 800)),
  generation: fc.integer({ min: 0, max: 2 }),
  seed: fc.nat(),
});

/** Every answer with its index as id, so that ids are unique. */
const answers = fc.array(answer, { minLength: 1, maxLength: 7 });

function reported(a: Answer, id: number): ReportedCounts {
  const start = CELL.start + a.from * HOUR_MS;
  const end = Math.min(CELL.end, start + a.length * HOUR_MS) - a.cut;
  const counts = Array.from(
    { length: bucketCount(start, end, 'hour') },
    (_, i) => (a.seed + i * 7) % 300,
  );
  const at = CELL.start + a.at * HOUR_MS;
  return {
    start,
    end,
    counts,
    receipt: `r${id}`,
    note: { at, generation: a.generation, endpoint: 'all' },
  };
}

const recordOf = (a: Answer, id: number): CellRecord =>
  recordsOf('s', 'hour', reported(a, id))[0] as CellRecord;

const mergeAll = (records: readonly CellRecord[]): CellRecord =>
  records.reduce((all, record) => merge(all, record));

interface Best {
  readonly count: number;
  readonly receipt: string;
  readonly until: number;
  readonly rank: readonly (number | string)[];
}

/** The best answer for every hour of the cell, by ledger rule 12, one bucket at a time. */
function oracle(list: readonly ReportedCounts[]): (Best | undefined)[] {
  return Array.from({ length: HOURS }, (_, i) => {
    const start = CELL.start + i * HOUR_MS;
    const dayEnd = Math.floor(start / DAY_MS) * DAY_MS + DAY_MS;
    let best: Best | undefined;
    for (const { start: from, end, counts, receipt, note } of list) {
      if (start < from || start >= end) continue;
      const whole = start + HOUR_MS <= end;
      const settled = whole && note.at >= dayEnd + SETTLE_MS;
      const rank = [
        note.generation,
        whole ? 1 : 0,
        settled ? 1 : 0,
        settled ? -note.at : note.at,
        receipt,
      ];
      const until = Math.min(end, start + HOUR_MS);
      const count = counts[(start - from) / HOUR_MS] ?? 0;
      if (!best || greater(rank, best.rank)) best = { count, receipt, until, rank };
    }
    return best;
  });
}

function greater(a: readonly (number | string)[], b: readonly (number | string)[]): boolean {
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? 0;
    if (x !== y) return x > y;
  }
  return false;
}

/** A record as one entry per hour. */
function spread(
  record: CellRecord,
): ({ count: number; receipt: string; until: number } | undefined)[] {
  return Array.from({ length: HOURS }, (_, i) => {
    const start = CELL.start + i * HOUR_MS;
    const segment = record.segments.find(({ from, to }) => from <= start && start < to);
    if (!segment) return undefined;
    const until = Math.min(segment.to, start + HOUR_MS);
    return { count: record.counts[i] ?? 0, receipt: segment.receipt, until };
  });
}

describe('merge', () => {
  test('equals the bucket-wise best of any answers', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const best = oracle(list.map(reported)).map(
          (b) => b && { count: b.count, receipt: b.receipt, until: b.until },
        );
        expect(spread(mergeAll(list.map(recordOf)))).toEqual(best);
      }),
    );
  });

  test('depends neither on the order of answers nor on repeats', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (list, picks) => {
        const records = list.map(recordOf);
        const whole = mergeAll(records);
        const shuffled = records
          .map((record, i) => ({ record, key: picks[i] ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ record }) => record);
        const again = picks.map((pick) => records[pick % records.length] as CellRecord);
        expect(mergeAll([...shuffled, ...again])).toEqual(whole);
      }),
    );
  });

  test('is the same with two tabs as with one', () => {
    fc.assert(
      fc.property(answers, fc.nat(), (list, split) => {
        const records = list.map(recordOf);
        const at = 1 + (split % records.length);
        const [one, two] = [records.slice(0, at), records.slice(at)];
        const both = two.length === 0 ? mergeAll(one) : merge(mergeAll(one), mergeAll(two));
        expect(both).toEqual(mergeAll(records));
      }),
    );
  });

  test('changes a settled count only with the generation, and never loses knowledge within one', () => {
    fc.assert(
      fc.property(answers, answer, (list, next) => {
        const before = mergeAll(list.map(recordOf));
        const last = { ...next, at: next.at + 1 + Math.max(...list.map(({ at }) => at)) };
        const after = merge(before, recordOf(last, list.length));
        const notes = { ...after.receipts, ...before.receipts };
        const hours = spread(after);
        spread(before).forEach((old, i) => {
          if (!old) return;
          const now = hours[i];
          expect(now).toBeDefined();
          const start = CELL.start + i * HOUR_MS;
          const end = Math.floor(start / DAY_MS) * DAY_MS + DAY_MS;
          const note = notes[old.receipt];
          const newer = notes[now?.receipt ?? ''];
          if (!note || !newer || newer.generation > note.generation) return;
          const whole = old.until === start + HOUR_MS;
          if (whole) expect(now?.until).toBe(old.until);
          if (whole && note.at >= end + SETTLE_MS) expect(now).toEqual(old);
        });
      }),
      { numRuns: runs(50) },
    );
  });

  test('within a generation a known, whole or settled bucket stays so, whatever the time of the answer', () => {
    /** Generation, whole, settled: the quality of an hour. */
    const knowledge = (record: CellRecord): number[] =>
      spread(record).map((hour, i) => {
        if (!hour) return -1;
        const start = CELL.start + i * HOUR_MS;
        const note = record.receipts[hour.receipt];
        const whole = hour.until === start + HOUR_MS;
        const due = Math.floor(start / DAY_MS) * DAY_MS + DAY_MS + SETTLE_MS;
        const settled = whole && (note?.at ?? 0) >= due;
        return (note?.generation ?? 0) * 4 + Number(whole) * 2 + Number(settled);
      });
    fc.assert(
      fc.property(answers, answer, (list, next) => {
        const before = mergeAll(list.map(recordOf));
        const after = knowledge(merge(before, recordOf(next, list.length)));
        const lost = knowledge(before).filter((known, i) => known > (after[i] ?? -1));
        expect(lost).toEqual([]);
      }),
    );
  });

  test('equals the best across cell borders too, by minutes, in any order and repeated', () => {
    const parts = fc.array(
      fc.record({
        from: fc.integer({ min: -300, max: 200 }),
        length: fc.integer({ min: 1, max: 400 }),
        cut: fc.constantFrom(0, 0, 1, 59_999),
        at: fc.integer({ min: 0, max: 120 }),
        seed: fc.nat(400),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const line = CELL.end;
    fc.assert(
      fc.property(parts, fc.array(fc.nat(), { maxLength: 12 }), (list, picks) => {
        const all = list.map(({ from, length, cut, at, seed }, id): ReportedCounts => {
          const start = line + from * MINUTE_MS;
          const end = start + length * MINUTE_MS - cut;
          const counts = Array.from(
            { length: bucketCount(start, end, 'minute') },
            (_, i) => (i * 7 + seed) % 300,
          );
          const note = { at: line + at * HOUR_MS, generation: 0, endpoint: 'all' as const };
          return { start, end, counts, receipt: `r${id}`, note };
        });
        const held = new Map<number, CellRecord>();
        const order = [...picks.map((pick) => all[pick % all.length] as ReportedCounts), ...all];
        for (const counts of order) {
          for (const record of recordsOf('s', 'minute', counts)) {
            const old = held.get(record.key[2]);
            held.set(record.key[2], old ? merge(old, record) : record);
          }
        }
        for (let t = line - 320 * MINUTE_MS; t < line + 620 * MINUTE_MS; t += MINUTE_MS) {
          const day = Math.floor(t / DAY_MS) * DAY_MS;
          let best: { count: number; receipt: string; rank: (number | string)[] } | null = null;
          for (const { start, end, counts, receipt, note } of all) {
            if (t < start || t >= end) continue;
            const whole = t + MINUTE_MS <= end;
            const settled = whole && note.at >= day + DAY_MS + SETTLE_MS;
            const order = [Number(whole), Number(settled), settled ? -note.at : note.at, receipt];
            if (best && !greater(order, best.rank)) continue;
            best = { count: counts[(t - start) / MINUTE_MS] ?? 0, receipt, rank: order };
          }
          const record = held.get(t < line ? 200 : 201);
          const segment = record?.segments.find(({ from, to }) => from <= t && t < to);
          expect(segment?.receipt).toBe(best?.receipt);
          if (!best || !record) continue;
          expect(record.counts[(t - cellSpan(record.key[2]).start) / MINUTE_MS]).toBe(best.count);
        }
      }),
      { numRuns: runs(25) },
    );
  });

  test('stores counts in the narrowest array that fits', () => {
    const whole = { from: 0, length: 200, cut: 0, generation: 0 };
    const wide = recordOf({ ...whole, at: 0, seed: 0 }, 0);
    expect(wide.counts).toBeInstanceOf(Uint16Array);
    const [small] = recordsOf('s', 'hour', {
      start: CELL.start,
      end: CELL.start + 200 * HOUR_MS,
      counts: Array.from({ length: 200 }, () => 9),
      receipt: 'small',
      note: { at: CELL.start + HOUR_MS, generation: 0, endpoint: 'all' },
    });
    expect(merge(wide, small as CellRecord).counts).toEqual(small?.counts);
    expect(merge(small as CellRecord, wide).counts).toBeInstanceOf(Uint8Array);
  });

  test('stores the receipts that its segments name, and no others', () => {
    fc.assert(
      fc.property(answers, (list) => {
        const { segments, receipts } = mergeAll(list.map(recordOf));
        expect(new Set(Object.keys(receipts))).toEqual(
          new Set(segments.map(({ receipt }) => receipt)),
        );
      }),
    );
  });

  test('refuses records of two keys', () => {
    const a = recordOf({ from: 0, length: 1, cut: 0, at: 0, generation: 0, seed: 1 }, 0);
    expect(() => merge(a, { ...a, key: ['other', 'hour', 200] })).toThrow(RangeError);
  });
});

describe('revisions', () => {
  const base = { from: 0, length: 48, cut: 0, generation: 0 };
  const settled = recordOf({ ...base, at: 72, seed: 1 }, 0);

  test('names settled buckets for which a later answer has another count', () => {
    const later = recordOf({ ...base, at: 100, seed: 2 }, 1);
    const found = countRevisions(settled, later);
    expect(found).toHaveLength(48);
    expect(found[0]).toEqual({ start: CELL.start, was: 1, now: 2 });
    expect(spread(merge(settled, later))[0]?.count).toBe(1);
  });

  test.each([
    ['the same counts', { ...base, at: 100, seed: 1 }],
    ['another generation', { ...base, at: 100, seed: 2, generation: 1 }],
    ['other buckets', { ...base, from: 48, at: 100, seed: 2 }],
  ])('names none for %s', (_, later) => {
    expect(countRevisions(settled, recordOf(later, 1))).toEqual([]);
  });

  test('names none if the first was not settled', () => {
    const early = recordOf({ ...base, at: 48, seed: 1 }, 0);
    const found = countRevisions(early, recordOf({ ...base, at: 100, seed: 2 }, 1));
    expect(found.map(({ start }) => start).every((start) => start < CELL.start + DAY_MS)).toBe(
      true,
    );
    expect(found).toHaveLength(24);
  });
});
