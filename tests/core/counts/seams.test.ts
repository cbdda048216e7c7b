import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SETTLE_MS } from '#core/counts/ledger.ts';
import { INDEX_MOVES, datedChangesOf, indexAt, probeOf, seamsOf } from '#core/counts/seams.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { Known } from '#core/counts/known-counts.ts';
import { dayOf } from '#core/counts/day-windows.ts';

const MOVE = Date.parse('2026-05-04T00:00:00Z');
const NOW = Date.parse('2026-11-20T12:00:00Z');

const known = (from: string, to: string, at: string): Known => ({
  from: Date.parse(from),
  to: Date.parse(to),
  at: Date.parse(at),
  generation: 0,
});

describe('the index', () => {
  test.each([
    ['2006-03-21T00:00:00Z', 1],
    ['2026-05-03T23:59:59Z', 1],
    ['2026-05-04T00:00:00Z', 2],
    ['2026-11-20T00:00:00Z', 2],
  ])('has at %s the generation %i', (instant, generation) => {
    expect(indexAt(Date.parse(instant))).toBe(generation);
  });

  test('moved on 2026-05-04', () => {
    expect(INDEX_MOVES).toEqual([MOVE]);
  });
});

describe('seamsOf', () => {
  const old = known('2026-03-01', '2026-04-01', '2026-04-20');

  test.each([
    [
      'older counts of the older index',
      [old, known('2026-04-01', '2026-04-05', '2026-06-01')],
      [1, 2],
    ],
    [
      'older counts of the newer index',
      [known('2026-02-01', '2026-03-01', '2026-06-01'), old],
      [2, 1],
    ],
  ])('marks where stretches touch: %s', (_, list, [before, after]) => {
    expect(seamsOf(list)).toEqual([{ at: list[1]?.from, before, after }]);
  });

  test.each([
    ['of one index', [old, known('2026-04-01', '2026-04-05', '2026-04-21')]],
    ['with days between them', [old, known('2026-04-02', '2026-04-05', '2026-06-01')]],
    ['alone', [old]],
    ['that are none', []],
  ])('marks nothing between stretches %s', (_, list) => {
    expect(seamsOf(list)).toEqual([]);
  });
});

describe('probeOf', () => {
  test.each<[string, Known[], [string, string] | null]>([
    ['nothing', [], null],
    [
      'nothing fetched under the current index',
      [known('2026-01-01', '2026-04-01', '2026-06-01')],
      null,
    ],
    [
      'the newest page',
      [known('2026-01-01', '2026-04-01', '2026-04-20')],
      ['2026-03-01', '2026-04-01'],
    ],
    [
      'no day that was provisional',
      [known('2026-03-01', '2026-05-03', '2026-05-03T12:00Z')],
      ['2026-04-01', '2026-05-02'],
    ],
    [
      'only as far back as there is something',
      [
        known('2026-01-01', '2026-01-20', '2026-04-20'),
        known('2026-03-25', '2026-04-01', '2026-04-20'),
        known('2026-04-01', '2026-04-10', '2026-06-01'),
      ],
      ['2026-03-25', '2026-04-01'],
    ],
    [
      'several stretches of one page',
      [
        known('2026-03-10', '2026-03-12', '2026-04-20'),
        known('2026-03-25', '2026-04-01', '2026-04-20'),
      ],
      ['2026-03-10', '2026-04-01'],
    ],
    [
      'no part of a day',
      [known('2026-03-25T06:00Z', '2026-03-27T06:00Z', '2026-04-20')],
      ['2026-03-26', '2026-03-27'],
    ],
    ['nothing before the move', [known('2026-04-20', '2026-04-21', '2026-04-21')], null],
  ])('compares %s', (_, list, days) => {
    const window = days && { from: dayOf(Date.parse(days[0])), to: dayOf(Date.parse(days[1])) };
    expect(probeOf(list, NOW, SETTLE_MS)).toEqual(window);
  });

  test('there is none before the index moved', () => {
    const list = [known('2026-01-01', '2026-04-01', '2026-04-20')];
    expect(probeOf(list, MOVE - 1, SETTLE_MS)).toBeNull();
  });

  test('is at most a page before the move, and begins and ends with a day that it compares', () => {
    const lists = fc
      .array(
        fc.tuple(
          fc.integer({ min: 0, max: 300 }),
          fc.integer({ min: 1, max: 60 }),
          fc.integer({ min: 0, max: 400 }),
        ),
        { maxLength: 8 },
      )
      .map((parts) => {
        const out: Known[] = [];
        for (const [day, length, after] of parts.sort((a, b) => a[0] - b[0])) {
          const begin = Date.parse('2025-12-01') + day * DAY_MS;
          const from = Math.max(begin, out.at(-1)?.to ?? 0);
          const to = begin + length * DAY_MS;
          const at = to + after * 6 * HOUR_MS;
          if (from < to) out.push({ from, to, at, generation: 0 });
        }
        return out;
      });
    fc.assert(
      fc.property(lists, (list) => {
        const compares = (day: number): boolean =>
          list.some(
            ({ from, to, at }) =>
              from <= day * DAY_MS &&
              (day + 1) * DAY_MS <= to &&
              at >= (day + 1) * DAY_MS + SETTLE_MS &&
              at < MOVE,
          );
        const newest = Math.max(
          ...Array.from({ length: 500 }, (_, i) => dayOf(MOVE) - i).filter(compares),
        );
        const window = probeOf(list, NOW, SETTLE_MS);
        if (!window) {
          expect(newest).toBe(-Infinity);
          return;
        }
        expect(window.to - 1).toBe(newest);
        expect(compares(window.from)).toBe(true);
        expect(window.to - window.from).toBeLessThanOrEqual(31);
        expect(window.to * DAY_MS).toBeLessThanOrEqual(MOVE);
        for (let day = window.to - 31; day < window.from; day += 1) {
          expect(compares(day)).toBe(false);
        }
      }),
    );
  });
});

describe('datedChangesOf', () => {
  const changes = (query: string): [string, string][] => {
    const parsed = parse(query, { product: 'all' });
    if (!parsed.ok) throw new Error(`expected a query, got ${query}`);
    return datedChangesOf(parsed.ast).map(({ at, text }) => [
      new Date(at).toISOString().slice(0, 10),
      text,
    ]);
  };
  const index: [string, string] = ['2026-05-04', 'new search index'];

  test.each(['snow', 'snow -rain', '(snow OR rain) lang:en has:media', '"min_likes"'])(
    'of %s is the new index alone',
    (query) => {
      expect(changes(query)).toEqual([index]);
    },
  );

  test.each(['snow min_likes:10', 'snow -min_replies:2', 'snow (rain OR (ice min_reposts:5))'])(
    'of %s also when count-based operators went and came back',
    (query) => {
      expect(changes(query)).toEqual([
        ['2026-01-19', 'min_likes, min_replies and min_reposts withdrawn'],
        index,
        ['2026-05-04', 'min_likes, min_replies and min_reposts back'],
      ]);
    },
  );
});
