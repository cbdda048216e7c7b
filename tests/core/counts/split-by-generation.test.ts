import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { byGeneration } from '#core/counts/split-by-generation.ts';
import type { ReportedCounts } from '#core/counts/ledger.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { invalidate, type Invalidation } from '#core/counts/invalidation.ts';

const START = Date.parse('2026-03-01');
const AT = Date.parse('2026-11-20');

const reported = (days: number, cut = 0, generation = 9): ReportedCounts => {
  const end = START + days * DAY_MS - cut;
  const buckets = Math.ceil((end - START) / HOUR_MS);
  return {
    start: START,
    end,
    counts: Array.from({ length: buckets }, (_, i) => i),
    receipt: 'r',
    note: { at: AT, generation, endpoint: 'all' },
  };
};
const span = (from: number, to: number, generation: number): Invalidation => ({
  start: START + from * DAY_MS,
  end: START + to * DAY_MS,
  generation,
});

describe('an answer split by generation', () => {
  test('is one part, of generation zero, if none of its spans was invalidated', () => {
    const plain = reported(3, 0, 0);
    expect(byGeneration(plain, 'hour', [span(1, 2, 1)])).toEqual([plain]);
    expect(byGeneration(reported(3), 'hour', [])).toEqual([plain]);
    expect(byGeneration(reported(3), 'hour', [span(1, 2, 10)])).toEqual([plain]);
    expect(byGeneration(reported(3), 'hour', [span(5, 6, 7)])).toEqual([plain]);
  });

  test('has the new generation inside the invalidated span and zero outside', () => {
    const parts = byGeneration(reported(4, HOUR_MS / 2), 'hour', [span(1, 2, 7), span(3, 9, 8)]);
    expect(
      parts.map(({ start, receipt, note }) => [(start - START) / DAY_MS, receipt, note.generation]),
    ).toEqual([
      [0, 'r', 0],
      [1, 'r~7', 7],
      [2, 'r', 0],
      [3, 'r~8', 8],
    ]);
    expect(parts.at(-1)?.end).toBe(reported(4, HOUR_MS / 2).end);
  });

  test('has the same counts, without a gap', () => {
    const spans = fc
      .array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(9)), { maxLength: 5 })
      .map((list) =>
        list.reduce<Invalidation[]>(
          (all, [from, length, generation], i) =>
            invalidate(all, [span(from, from + length, 0)], i * 10 + generation),
          [],
        ),
      );
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 31 }),
        fc.nat(DAY_MS - 1),
        spans,
        (days, cut, raised) => {
          const whole = reported(days, cut, 99);
          const parts = byGeneration(whole, 'hour', raised);
          let at = whole.start;
          const counts: number[] = [];
          for (const part of parts) {
            expect(part.start).toBe(at);
            expect((part.start - START) % BUCKET_MS.hour).toBe(0);
            counts.push(...Array.from(part.counts));
            at = part.end;
          }
          expect(at).toBe(whole.end);
          expect(counts).toEqual(Array.from(whole.counts));
        },
      ),
    );
  });
});
