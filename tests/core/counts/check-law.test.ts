import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkPage,
  refuses,
  type Asked,
  type Page,
  type PageFaultKind,
} from '#core/counts/check.ts';
import { driftFaults, driftOf } from '#core/counts/granularity-drift.ts';
import { recordsOf, type CellRecord } from '#core/counts/ledger.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { buckets, pageOf, type Bucket } from './page-buckets.ts';
import { runs } from '#tests/support/run/runs.ts';
import { countRevisions } from '#core/counts/count-revisions.ts';

const START = Date.parse('2026-10-01');

const kinds = (page: Page, of: Asked): PageFaultKind[] =>
  checkPage(page, of).map(({ kind }) => kind);

const at = (list: Bucket[], i: number): Bucket => list[i] as Bucket;

/** A source with a count for every minute, reported in any granularity. */
interface Clean {
  readonly granularity: Granularity;
  readonly start: number;
  readonly end: number;
  /** True if the source chose the end. */
  readonly head: boolean;
  /** The answer's time after the end, ms. */
  readonly lag: number;
  readonly seed: number;
}

/**
 * Windows of requests: on the grid, with any end; with the newest counts; and ending at the last
 * midnight.
 */
const clean: fc.Arbitrary<Clean> = fc
  .record({
    granularity: fc.constantFrom<Granularity>('minute', 'hour', 'hour', 'day'),
    day: fc.integer({ min: 0, max: 200 }),
    into: fc.integer({ min: 0, max: 1439 }),
    length: fc.integer({ min: 1, max: 3 * 86_400 }),
    end: fc.constantFrom('any', 'head', 'midnight'),
    lag: fc.integer({ min: 10, max: 60 }),
    after: fc.constantFrom(10, 60, 3600, 86_400, 90 * 86_400),
    soon: fc.integer({ min: 12, max: 120 }),
    seed: fc.nat(1000),
  })
  .map(({ granularity, day, into, length, end: kind, lag, after, soon, seed }) => {
    const width = BUCKET_MS[granularity];
    const start = Math.floor((START + day * DAY_MS + into * MINUTE_MS) / width) * width;
    const any = start + length * 1000;
    const end = kind === 'midnight' ? Math.ceil(any / DAY_MS) * DAY_MS : any;
    const head = kind === 'head';
    const seconds = head ? lag : kind === 'midnight' ? soon : after;
    return { granularity, start, end, head, lag: seconds * 1000, seed };
  });

/** The minute counts of the source: mostly none, with storms. */
const truth = (minute: number, seed: number): number => {
  const x = Math.imul((minute / MINUTE_MS) ^ Math.imul(seed, 0x9e37), 0x2c1b_3c6d) >>> 8;
  return x % 7 === 0 ? x % 900 : 0;
};

function answerOf({ granularity, start, end, seed }: Clean): Page {
  const list = buckets(start, end, granularity).map((bucket) => {
    let count = 0;
    for (let t = bucket.start; t < bucket.end; t += MINUTE_MS) count += truth(t, seed);
    return { ...bucket, count };
  });
  return pageOf(list);
}

const askedFor = ({ granularity, start, end, head, lag }: Clean): Asked => ({
  granularity,
  start,
  end: head ? null : end,
  date: end + lag,
  earlier: [{ start: start - DAY_MS, end: start }],
});

const listOf = (page: Page): Bucket[] =>
  Array.from(page.starts, (start, i) => ({
    start,
    end: page.ends[i] ?? NaN,
    count: page.counts[i] ?? NaN,
  }));

describe('for a correct source', () => {
  test('there is no false alarm', () => {
    fc.assert(
      fc.property(clean, (of) => {
        expect(checkPage(answerOf(of), askedFor(of))).toEqual([]);
      }),
      { numRuns: runs(400) },
    );
  });

  test('there is none for pages cut short whose rest is requested by bounds', () => {
    fc.assert(
      fc.property(clean, fc.nat(), (of, pick) => {
        const list = listOf(answerOf(of));
        const newest = list.slice(pick % list.length);
        const cut = checkPage(pageOf(newest, { token: 'more' }), askedFor(of));
        expect(cut.map(({ kind }) => kind)).toEqual(['unexpected-token']);
        const older = { ...of, end: newest[0]?.start ?? 0, head: false };
        if (older.end === older.start) return;
        const reported = { start: older.end, end: of.end };
        const rest = { ...askedFor(older), earlier: [reported] };
        expect(checkPage(answerOf(older), rest)).toEqual([]);
      }),
    );
  });

  type Spoil = (list: Bucket[], i: number, of: Clean) => Bucket[];
  const without = (list: Bucket[], i: number): Bucket[] => list.filter((_, k) => k !== i);
  const spoils: [PageFaultKind, Spoil, number][] = [
    ['gap', without, 1],
    ['overlap', (list, i) => list.toSpliced(i, 0, at(list, i)), 1],
    [
      'order',
      (list, i) => {
        const j = (i + 1) % list.length;
        return list.with(i, at(list, j)).with(j, at(list, i));
      },
      2,
    ],
    [
      'off-grid',
      (list, i) => {
        const k = i % (list.length - 1);
        const edge = at(list, k).end - 1000;
        return list
          .with(k, { ...at(list, k), end: edge })
          .with(k + 1, { ...at(list, k + 1), start: edge });
      },
      2,
    ],
    [
      'outside',
      (list, i, { granularity }) => {
        const by = (1 + (i % 5)) * BUCKET_MS[granularity] * (i % 2 === 0 ? 1 : -1);
        return list.map(({ start, end, count }) => ({ start: start + by, end: end + by, count }));
      },
      1,
    ],
    ['bad-count', (list, i) => list.with(i, { ...at(list, i), count: -1 - i }), 1],
    ['bad-count', (list, i) => list.with(i, { ...at(list, i), count: i + 0.5 }), 1],
    ['bad-count', (list, i) => list.with(i, { ...at(list, i), count: 2 ** 32 }), 1],
  ];

  test.each(spoils)('%s is found anywhere', (kind, spoil, least) => {
    fc.assert(
      fc.property(clean, fc.nat(), (one, pick) => {
        const of = { ...one, head: false, lag: 40 * DAY_MS };
        const list = listOf(answerOf(of));
        fc.pre(list.length > least);
        const faults = checkPage(pageOf(spoil(list, pick % list.length, of)), askedFor(of));
        expect(faults.map((fault) => fault.kind)).toContain(kind);
        expect(faults.some(refuses)).toBe(true);
      }),
    );
  });

  test('a total other than the sum is found, whatever the difference', () => {
    fc.assert(
      fc.property(clean, fc.integer().filter(Boolean), (of, by) => {
        const page = answerOf(of);
        const wrong = { ...page, total: (page.total ?? 0) + by };
        expect(kinds(wrong, askedFor(of))).toEqual(['wrong-total']);
      }),
    );
  });

  test('the page of another window is found', () => {
    fc.assert(
      fc.property(clean, fc.integer({ min: 1, max: 40 }), (one, days) => {
        const of = { ...one, head: false, lag: 90 * DAY_MS };
        const earlier = { ...of, start: of.start - days * DAY_MS, end: of.end - days * DAY_MS };
        const reported = { start: earlier.start, end: earlier.end };
        const found = kinds(answerOf(earlier), { ...askedFor(of), earlier: [reported] });
        expect(found).toContain('repeated-page');
      }),
    );
  });

  test('a Date that is a day off is found for the newest counts, and if it precedes the requested end', () => {
    fc.assert(
      fc.property(clean, fc.constantFrom(-DAY_MS, DAY_MS), (one, by) => {
        const of = { ...one, lag: Math.min(one.lag, MINUTE_MS) };
        fc.pre(of.head || by < 0);
        const off = { ...askedFor(of), date: of.end + of.lag + by };
        expect(kinds(answerOf(of), off)).toContain('wrong-end');
      }),
    );
  });

  test('an end that the source chooses lies 10 to 60 s before Date; an end in the request need not', () => {
    fc.assert(
      fc.property(clean, fc.integer({ min: 0, max: 7200 }), (of, seconds) => {
        const asked = { ...askedFor(of), date: of.end + seconds * 1000 };
        const fault = of.head && (seconds < 10 || seconds > 60);
        expect(kinds(answerOf(of), asked)).toEqual(fault ? ['wrong-end'] : []);
      }),
    );
  });

  test('counts reported again, or summed from finer ones, differ nowhere', () => {
    const coarser = fc.constantFrom<Granularity>('hour', 'day');
    fc.assert(
      fc.property(clean, coarser, fc.nat(100), (one, granularity, hours) => {
        const span = { start: START, end: START + 4 * DAY_MS };
        const reported = (of: Granularity, receipt: string, at: number): CellRecord[] => {
          const { counts } = answerOf({ ...one, ...span, granularity: of });
          const note = { at, generation: 0, endpoint: 'all' as const };
          return recordsOf('s', of, { ...span, counts, receipt, note });
        };
        const date = span.end + hours * HOUR_MS;
        const first = reported(granularity, 'a', date);
        const again = reported(granularity, 'b', date + DAY_MS);
        const finer = reported('minute', 'c', date + DAY_MS);
        first.forEach((record, i) => {
          expect(countRevisions(record, again[i] as CellRecord)).toEqual([]);
          expect(driftFaults(driftOf(finer[i] as CellRecord, record))).toEqual([]);
        });
      }),
      { numRuns: runs(20) },
    );
  });
});
