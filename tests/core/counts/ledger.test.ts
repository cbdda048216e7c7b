import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS, narrow, recordsOf } from '#core/counts/ledger.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, cellSpan } from '#core/time/span.ts';
import { stillValid, invalidate } from '#core/counts/invalidation.ts';
import { knownOf, settledOf, type Known } from '#core/counts/known-counts.ts';

const CELL = cellSpan(200);

describe('recordsOf', () => {
  const note = { at: CELL.end, generation: 0, endpoint: 'all' } as const;

  test('makes two records of an answer that crosses a cell border', () => {
    const start = CELL.end - 2 * MINUTE_MS;
    const end = CELL.end + MINUTE_MS + 20_000;
    const records = recordsOf('s', 'minute', {
      start,
      end,
      counts: [1, 2, 3, 4],
      receipt: 'r',
      note,
    });
    expect(records.map(({ key, segments }) => [key[2], segments])).toEqual([
      [200, [{ from: start, to: CELL.end, receipt: 'r' }]],
      [201, [{ from: CELL.end, to: end, receipt: 'r' }]],
    ]);
    expect([...(records[0]?.counts.slice(-3) ?? [])]).toEqual([0, 1, 2]);
    expect([...(records[1]?.counts.slice(0, 3) ?? [])]).toEqual([3, 4, 0]);
  });

  test.each([
    ['a start off the grid', CELL.start + 1, CELL.start + HOUR_MS, [1]],
    ['too few counts', CELL.start, CELL.start + 2 * HOUR_MS, [1]],
    ['an empty span', CELL.start, CELL.start, []],
  ])('refuses %s', (_, start, end, counts) => {
    expect(() => recordsOf('s', 'hour', { start, end, counts, receipt: 'r', note })).toThrow(
      RangeError,
    );
  });

  test.each([
    [255, Uint8Array],
    [256, Uint16Array],
    [65_535, Uint16Array],
    [65_536, Uint32Array],
  ])('stores a maximum count of %i in the narrowest array', (max, type) => {
    expect(narrow([0, max])).toBeInstanceOf(type);
    expect([...narrow([0, max])]).toEqual([0, max]);
  });
});

describe('settledOf', () => {
  test('returns whole days settled within one generation, joined', () => {
    const lists = fc
      .array(
        fc.record({
          from: fc.integer({ min: 0, max: 400 }),
          hours: fc.integer({ min: 1, max: 120 }),
          after: fc.constantFrom(0, 5, 24, 30, 100),
          generation: fc.constantFrom(0, 0, 1),
        }),
        { maxLength: 6 },
      )
      .map((parts) => {
        const out: Known[] = [];
        for (const { from, hours, after, generation } of parts.sort((a, b) => a.from - b.from)) {
          const start = Math.max(CELL.start + from * HOUR_MS, out.at(-1)?.to ?? 0);
          const to = CELL.start + (from + hours) * HOUR_MS;
          if (start < to) out.push({ from: start, to, at: to + after * HOUR_MS, generation });
        }
        return out;
      });
    fc.assert(
      fc.property(lists, (list) => {
        const settled = settledOf(list);
        const hours = Array.from({ length: 600 }, (_, i) => CELL.start + i * HOUR_MS);
        const generations = (by: readonly Known[]): number[][] =>
          hours.map((t) =>
            by.filter(({ from, to }) => from <= t && t < to).map(({ generation }) => generation),
          );
        const due = (t: number): number => Math.floor(t / DAY_MS) * DAY_MS + DAY_MS + SETTLE_MS;
        expect(generations(settled)).toEqual(
          hours.map((t) =>
            list
              .filter(({ from, to, at }) => from <= t && t < to && at >= due(t))
              .map(({ generation }) => generation),
          ),
        );
        settled.forEach(({ from, generation }, i) => {
          const before = settled[i - 1];
          expect(before?.to === from && before.generation === generation).toBe(false);
        });
      }),
    );
  });
});

describe('a new generation', () => {
  const spans = fc.array(
    fc.record({ start: fc.integer({ min: 0, max: 40 }), length: fc.integer({ min: 0, max: 20 }) }),
    { maxLength: 4 },
  );

  test('applies to the spans that changed and nowhere else', () => {
    fc.assert(
      fc.property(fc.array(spans, { maxLength: 5 }), (changes) => {
        const naive = Array.from({ length: 70 }, () => 0);
        let raised = invalidate([], [], 0);
        changes.forEach((list, i) => {
          const part = list.map(({ start, length }) => ({ start, end: start + length }));
          raised = invalidate(raised, part, i + 1);
          for (const { start, end } of part) naive.fill(i + 1, start, end);
        });
        const own = naive.map(
          (_, t) => raised.find(({ start, end }) => start <= t && t < end)?.generation ?? 0,
        );
        expect(own).toEqual(naive);
        raised.forEach(({ start, end }, i) => {
          expect(start).toBeLessThan(end);
          expect(start).toBeGreaterThanOrEqual(raised[i - 1]?.end ?? -Infinity);
        });
      }),
    );
  });

  test('invalidates counts of lower ones', () => {
    const known = [
      { from: 0, to: 10, at: 1, generation: 1 },
      { from: 10, to: 20, at: 1, generation: 2 },
    ];
    expect(stillValid(known, [{ start: 5, end: 15, generation: 2 }])).toEqual([
      { from: 0, to: 5, at: 1, generation: 1 },
      { from: 10, to: 20, at: 1, generation: 2 },
    ]);
  });

  test('known stretches are the segments of all cells, ascending', () => {
    const records = recordsOf('s', 'hour', {
      start: CELL.end - HOUR_MS,
      end: CELL.end + HOUR_MS,
      counts: [1, 2],
      receipt: 'r',
      note: { at: CELL.end, generation: 3, endpoint: 'all' },
    });
    expect(knownOf(records.reverse())).toEqual([
      { from: CELL.end - HOUR_MS, to: CELL.end, at: CELL.end, generation: 3 },
      { from: CELL.end, to: CELL.end + HOUR_MS, at: CELL.end, generation: 3 },
    ]);
  });
});
