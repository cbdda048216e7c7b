import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { auditWindows } from '#core/counts/audit.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { dayOf } from '#core/counts/day-windows.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const FIRST = Date.parse('2026-01-01');

const lists = fc
  .array(
    fc.record({
      from: fc.integer({ min: 0, max: 300 * 24 }),
      hours: fc.integer({ min: 1, max: 1500 }),
      after: fc.constantFrom(0, 1, 24, 30, 500),
    }),
    { maxLength: 6 },
  )
  .map((parts) => {
    const out: Known[] = [];
    for (const { from, hours, after } of parts.sort((a, b) => a.from - b.from)) {
      const begin = FIRST + from * HOUR_MS;
      const start = Math.max(begin, out.at(-1)?.to ?? 0);
      const to = Math.min(begin + hours * HOUR_MS, NOW);
      const at = Math.min(NOW, to + after * HOUR_MS);
      if (start < to) out.push({ from: start, to, at, generation: 0 });
    }
    return out;
  });

/** Whole days, each part of which was fetched when the day was settled. */
function settledDays(list: readonly Known[]): Set<number> {
  const days = new Set<number>();
  for (let day = dayOf(FIRST); day <= dayOf(NOW); day += 1) {
    const [start, end] = [day * DAY_MS, (day + 1) * DAY_MS];
    const reported = list
      .filter(({ at }) => at >= end + SETTLE_MS)
      .reduce(
        (sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)),
        0,
      );
    if (reported === DAY_MS) days.add(day);
  }
  return days;
}

describe('auditWindows', () => {
  test('returns disjoint windows of settled days only, newest first, as many as requested while days last', () => {
    fc.assert(
      fc.property(lists, fc.integer({ min: 0, max: 8 }), fc.nat(), (list, count, seed) => {
        const random = new Random(seed);
        const windows = auditWindows(list, NOW, SETTLE_MS, count, () => random.next());
        const settled = settledDays(list);
        const audited = new Set<number>();
        windows.forEach(({ from, to }, i) => {
          expect(to - from).toBeGreaterThan(0);
          expect(to - from).toBeLessThanOrEqual(31);
          expect(to).toBeLessThanOrEqual(windows[i - 1]?.from ?? Infinity);
          for (let day = from; day < to; day += 1) {
            expect(settled.has(day)).toBe(true);
            audited.add(day);
          }
        });
        expect(windows.length).toBeLessThanOrEqual(count);
        if (windows.length < count) expect(audited).toEqual(settled);
      }),
    );
  });

  test('returns the same for the same random numbers', () => {
    const list = [{ from: FIRST, to: FIRST + 200 * DAY_MS, at: NOW, generation: 0 }];
    const draw = (seed: number) => {
      const random = new Random(seed);
      return auditWindows(list, NOW, SETTLE_MS, 3, () => random.next());
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
  });

  test('picks every settled day first with equal probability', () => {
    const list = [
      { from: FIRST, to: FIRST + 10 * DAY_MS, at: NOW, generation: 0 },
      { from: FIRST + 20 * DAY_MS, to: FIRST + 50 * DAY_MS, at: NOW, generation: 0 },
      { from: FIRST + 100 * DAY_MS, to: FIRST + 160 * DAY_MS, at: NOW, generation: 0 },
    ];
    const hits = [0, 0, 0];
    const rounds = 3000;
    const random = new Random(7);
    for (let i = 0; i < rounds; i += 1) {
      const [window] = auditWindows(list, NOW, SETTLE_MS, 1, () => random.next());
      const at = list.findIndex(({ to }) => (window?.from ?? 0) * DAY_MS < to);
      hits[at] = (hits[at] ?? 0) + 1;
    }
    // One, three and six tenths; the spread of each is below 27 rounds.
    [0.1, 0.3, 0.6].forEach((part, i) => {
      expect(Math.abs((hits[i] ?? 0) - part * rounds)).toBeLessThan(4 * 27);
    });
  });

  test('picks no day that is provisional or fetched by a fast clock', () => {
    const list = [{ from: NOW - DAY_MS, to: NOW, at: NOW, generation: 0 }];
    expect(auditWindows(list, NOW, SETTLE_MS, 3, () => 0)).toEqual([]);
    const fast = [{ from: FIRST, to: FIRST + DAY_MS, at: FIRST + 9 * DAY_MS, generation: 0 }];
    expect(auditWindows(fast, FIRST + DAY_MS, SETTLE_MS, 3, () => 0)).toEqual([]);
  });
});
