import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Asked, Page, PageFaultKind } from '#core/counts/check.ts';
import { checkPage, pageSpan, refuses } from '#core/counts/check.ts';
import { driftFaults, driftOf } from '#core/counts/drift.ts';
import type { EmptyPage, EmptyPolicy, EmptyVerdict } from '#core/counts/doubt.ts';
import { judgeEmpty, restOf } from '#core/counts/doubt.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import { recordsOf, revisions } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

const START = Date.parse('2026-10-01');
const END = Date.parse('2026-10-03');
const DATE = Date.parse('2026-11-20T12:00:00Z');

interface Bucket {
  start: number;
  end: number;
  count: number;
}

function buckets(start: number, end: number, granularity: Granularity = 'hour'): Bucket[] {
  const width = BUCKET_MS[granularity];
  const out: Bucket[] = [];
  for (let t = start; t < end;) {
    const to = Math.min(end, Math.floor(t / width) * width + width);
    out.push({ start: t, end: to, count: out.length % 5 });
    t = to;
  }
  return out;
}

function pageOf(list: readonly Bucket[], over: Partial<Page> = {}): Page {
  return {
    starts: Float64Array.from(list, ({ start }) => start),
    ends: Float64Array.from(list, ({ end }) => end),
    counts: Float64Array.from(list, ({ count }) => count),
    total: list.reduce((sum, { count }) => sum + count, 0),
    token: null,
    ...over,
  };
}

const asked = (over: Partial<Asked> = {}): Asked => ({
  granularity: 'hour',
  start: START,
  end: END,
  date: DATE,
  earlier: [],
  ...over,
});

const kinds = (page: Page, of: Asked = asked()): PageFaultKind[] =>
  checkPage(page, of).map(({ kind }) => kind);

/** A page in order with one thing done to its buckets; the total is that of the result. */
const spoilt = (spoil: (list: Bucket[]) => unknown): Page => {
  const list = buckets(START, END);
  spoil(list);
  return pageOf(list);
};

const at = (list: Bucket[], i: number): Bucket => list[i] as Bucket;

describe('checkPage', () => {
  test.each<Granularity>(['minute', 'hour', 'day'])(
    'finds nothing in a page of %ss in order',
    (granularity) => {
      const page = pageOf(buckets(START, START + 31 * DAY_MS, granularity));
      expect(kinds(page, asked({ granularity, end: START + 31 * DAY_MS }))).toEqual([]);
    },
  );

  test('finds nothing in a head whose last bucket is cut by the source', () => {
    const start = Date.parse('2026-11-20');
    for (const end of [DATE - 10_000, DATE - 60_000]) {
      const page = pageOf(buckets(start, end));
      expect(kinds(page, asked({ start, end: null }))).toEqual([]);
    }
  });

  test.each<[string, PageFaultKind, (list: Bucket[]) => unknown]>([
    ['a missing bucket', 'gap', (list) => list.splice(10, 1)],
    ['a missing first bucket', 'gap', (list) => list.shift()],
    ['a missing last bucket', 'gap', (list) => list.pop()],
    ['a bucket twice', 'overlap', (list) => list.splice(10, 0, at(list, 10))],
    ['a bucket too long', 'overlap', (list) => (at(list, 10).end += HOUR_MS)],
    ['two buckets exchanged', 'order', (list) => list.splice(10, 2, at(list, 11), at(list, 10))],
    ['a list backwards', 'order', (list) => list.reverse()],
    [
      'buckets off the grid',
      'off-grid',
      (list) => list.forEach((b) => ((b.start += 1000), (b.end += 1000))),
    ],
    [
      'a bucket cut in the middle',
      'off-grid',
      (list) => ((at(list, 10).end -= 1000), (at(list, 11).start -= 1000)),
    ],
    [
      'a bucket before the start',
      'outside',
      (list) => list.unshift({ start: START - HOUR_MS, end: START, count: 1 }),
    ],
    [
      'a bucket after the end',
      'outside',
      (list) => list.push({ start: END, end: END + HOUR_MS, count: 1 }),
    ],
    ['a negative count', 'bad-count', (list) => (at(list, 3).count = -1)],
    ['a fractional count', 'bad-count', (list) => (at(list, 3).count = 1.5)],
    ['a count that is no number', 'bad-count', (list) => (at(list, 3).count = NaN)],
  ])('finds %s', (_, kind, spoil) => {
    const faults = checkPage(spoilt(spoil), asked());
    expect(faults.map((fault) => fault.kind)).toContain(kind);
    expect(faults.every(refuses)).toBe(true);
  });

  test('finds any bucket left out, doubled or moved', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 47 }),
        fc.integer({ min: 1, max: 3 }),
        fc.boolean(),
        (i, by, double) => {
          const page = spoilt((list) =>
            double
              ? list.splice(i, 0, at(list, i))
              : list.splice(i, 1).map((b) => list.splice(i + by, 0, b)),
          );
          const moved = double || i + by <= 47;
          expect(kinds(page).length > 0).toBe(moved || i < 47);
        },
      ),
    );
  });

  test.each([
    ['one too many', 1],
    ['one too few', -1],
  ])('finds a total that is %s', (_, by) => {
    const page = pageOf(buckets(START, END));
    const faults = checkPage({ ...page, total: (page.total ?? 0) + by }, asked());
    expect(faults).toEqual([
      { kind: 'wrong-total', expected: page.total, got: (page.total ?? 0) + by, times: 1 },
    ]);
  });

  test('finds a total left out', () => {
    expect(kinds(pageOf(buckets(START, END), { total: null }))).toEqual(['wrong-total']);
  });

  test('finds a next_token where none belongs, which does not forbid the page', () => {
    const list = buckets(START + DAY_MS, END);
    const faults = checkPage(pageOf(list, { token: 'abc' }), asked());
    expect(faults).toEqual([{ kind: 'unexpected-token', got: 'abc', times: 1 }]);
    expect(faults.some(refuses)).toBe(false);
  });

  test('a page had by a token need not reach either bound', () => {
    const list = buckets(START + HOUR_MS, END - HOUR_MS);
    expect(kinds(pageOf(list), asked({ followed: true }))).toEqual([]);
    expect(kinds(pageOf(list))).toEqual(['gap']);
  });

  test.each([9_999, 60_001, -1])('finds an own end %i ms before Date', (lag) => {
    const start = Date.parse('2026-11-20');
    expect(kinds(pageOf(buckets(start, DATE - lag)), asked({ start, end: null }))).toContain(
      'wrong-end',
    );
  });

  test('finds a page that answered another request', () => {
    const span = { start: START - 3 * DAY_MS, end: START };
    const page = pageOf(buckets(span.start, span.end));
    expect(kinds(page, asked({ earlier: [span] }))).toContain('repeated-page');
    expect(kinds(page, asked({ earlier: [span] }))).toContain('outside');
  });

  test('counts how often a fault shows, and keeps its first evidence', () => {
    const page = spoilt((list) => ((at(list, 3).count = -1), (at(list, 5).count = -2)));
    const [fault] = checkPage(page, asked());
    expect(fault).toEqual({ kind: 'bad-count', at: START + 3 * HOUR_MS, got: -1, times: 2 });
  });

  test('leaves an empty page to others, but for its total', () => {
    expect(kinds(pageOf([]))).toEqual([]);
    expect(kinds(pageOf([], { total: 3 }))).toEqual(['wrong-total']);
    expect(pageSpan(pageOf([]))).toBeNull();
  });
});

/** A source with a count for every minute, told in any granularity. */
interface Clean {
  readonly granularity: Granularity;
  readonly start: number;
  readonly end: number;
  /** Whether the end was left to the source. */
  readonly head: boolean;
  /** Of the answer after the end, ms. */
  readonly lag: number;
  readonly seed: number;
}

/** Windows as they are asked: on the grid, up to any end; the head; and the midnight just over. */
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

/** What the source says of minutes: mostly none, with storms. */
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

describe('over a source in order', () => {
  test('there is no false alarm', () => {
    fc.assert(
      fc.property(clean, (of) => {
        expect(checkPage(answerOf(of), askedFor(of))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  test('there is none over pages cut short whose rest is asked by bounds', () => {
    fc.assert(
      fc.property(clean, fc.nat(), (of, pick) => {
        const list = listOf(answerOf(of));
        const newest = list.slice(pick % list.length);
        const cut = checkPage(pageOf(newest, { token: 'more' }), askedFor(of));
        expect(cut.map(({ kind }) => kind)).toEqual(['unexpected-token']);
        const older = { ...of, end: newest[0]?.start ?? 0, head: false };
        if (older.end === older.start) return;
        const told = { start: older.end, end: of.end };
        const rest = { ...askedFor(older), earlier: [told] };
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

  test.each(spoils)('%s is found wherever it is', (kind, spoil, least) => {
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

  test('a total other than the sum is found, by however much', () => {
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
        const told = { start: earlier.start, end: earlier.end };
        const found = kinds(answerOf(earlier), { ...askedFor(of), earlier: [told] });
        expect(found).toContain('repeated-page');
      }),
    );
  });

  test('a Date that is a day off is found at the head, and where it comes before the end asked', () => {
    fc.assert(
      fc.property(clean, fc.constantFrom(-DAY_MS, DAY_MS), (one, by) => {
        const of = { ...one, lag: Math.min(one.lag, MINUTE_MS) };
        fc.pre(of.head || by < 0);
        const off = { ...askedFor(of), date: of.end + of.lag + by };
        expect(kinds(answerOf(of), off)).toContain('wrong-end');
      }),
    );
  });

  test('an end that the source takes itself lies 10 to 60 s before Date, and one that was sent need not', () => {
    fc.assert(
      fc.property(clean, fc.integer({ min: 0, max: 7200 }), (of, seconds) => {
        const asked = { ...askedFor(of), date: of.end + seconds * 1000 };
        const fault = of.head && (seconds < 10 || seconds > 60);
        expect(kinds(answerOf(of), asked)).toEqual(fault ? ['wrong-end'] : []);
      }),
    );
  });

  test('counts told again, or summed from finer ones, differ nowhere', () => {
    const coarser = fc.constantFrom<Granularity>('hour', 'day');
    fc.assert(
      fc.property(clean, coarser, fc.nat(100), (one, granularity, hours) => {
        const span = { start: START, end: START + 4 * DAY_MS };
        const told = (of: Granularity, receipt: string, at: number): CellRecord[] => {
          const { counts } = answerOf({ ...one, ...span, granularity: of });
          const note = { at, generation: 0, endpoint: 'all' as const };
          return recordsOf('s', of, { ...span, counts, receipt, note });
        };
        const date = span.end + hours * HOUR_MS;
        const first = told(granularity, 'a', date);
        const again = told(granularity, 'b', date + DAY_MS);
        const finer = told('minute', 'c', date + DAY_MS);
        first.forEach((record, i) => {
          expect(revisions(record, again[i] as CellRecord)).toEqual([]);
          expect(driftFaults(driftOf(finer[i] as CellRecord, record))).toEqual([]);
        });
      }),
      { numRuns: 20 },
    );
  });
});

describe('judgeEmpty', () => {
  const own = { confirmAbsentMs: null };
  const platform = { confirmAbsentMs: 60_000 };
  const zeros: EmptyPage = {
    absent: false,
    confirmed: false,
    vouched: false,
    contradicts: false,
    before: 'unknown',
    after: 'unknown',
  };
  const believe: EmptyVerdict = { kind: 'believe' };
  const hold: EmptyVerdict = { kind: 'hold' };
  const atOnce: EmptyVerdict = { kind: 'again', afterMs: 0 };
  const later: EmptyVerdict = { kind: 'again', afterMs: 60_000 };

  test.each<[string, EmptyPolicy, Partial<EmptyPage>, EmptyVerdict]>([
    ['zeros with nothing known beside', own, {}, believe],
    ['zeros beside one busy neighbour', own, { before: 1000 }, believe],
    ['zeros between nine and a thousand', own, { before: 9, after: 1000 }, believe],
    ['zeros between ten and ten', own, { before: 10, after: 10 }, atOnce],
    [
      'zeros between busy neighbours, twice',
      own,
      { before: 10, after: 10, confirmed: true },
      believe,
    ],
    ['zeros while both neighbours are to come', own, { before: 'pending', after: 'pending' }, hold],
    [
      'zeros beside a busy one while the other is to come',
      own,
      { before: 10, after: 'pending' },
      hold,
    ],
    [
      'zeros beside a quiet one while the other is to come',
      own,
      { before: 0, after: 'pending' },
      believe,
    ],
    ['zeros over settled Posts', own, { contradicts: true }, atOnce],
    ['no data from own posts', own, { absent: true }, believe],
    ['no data from the platform', platform, { absent: true }, later],
    ['no data from the platform, twice', platform, { absent: true, confirmed: true }, believe],
    ['no data after one was confirmed', platform, { absent: true, vouched: true }, believe],
    [
      'no data after one was confirmed, beside a busy one',
      platform,
      { absent: true, vouched: true, after: 10 },
      later,
    ],
    [
      'no data after one was confirmed, a neighbour to come',
      platform,
      { absent: true, vouched: true, after: 'pending' },
      hold,
    ],
    ['zeros from the platform', platform, {}, believe],
  ])('%s', (_, policy, over, verdict) => {
    expect(judgeEmpty({ ...zeros, ...over }, policy)).toEqual(verdict);
  });
});

describe('an empty answer', () => {
  const side = fc.oneof(
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom('unknown' as const, 'pending' as const),
  );
  const pages: fc.Arbitrary<EmptyPage> = fc.record({
    absent: fc.boolean(),
    confirmed: fc.boolean(),
    vouched: fc.boolean(),
    before: side,
    after: side,
    contradicts: fc.boolean(),
  });
  const policies = fc.constantFrom({ confirmAbsentMs: null }, { confirmAbsentMs: 60_000 });

  test('is not believed at once among busy neighbours or over settled Posts, nor later a third time', () => {
    fc.assert(
      fc.property(pages, policies, (page, policy) => {
        const { kind } = judgeEmpty(page, policy);
        const among = [page.before, page.after].every((n) => typeof n === 'number' && n >= 10);
        if (page.confirmed) expect(kind).toBe('believe');
        else if (among || page.contradicts) expect(kind).toBe('again');
      }),
    );
  });

  test('waits only for answers that are still to come', () => {
    fc.assert(
      fc.property(pages, policies, (page, policy) => {
        fc.pre(page.before !== 'pending' && page.after !== 'pending');
        expect(judgeEmpty(page, policy).kind).not.toBe('hold');
      }),
    );
  });
});

describe('restOf', () => {
  const span = { start: 0, end: 10 * MINUTE_MS };

  test.each([
    ['the older part after the newest', { start: 6, end: 10 }, false, [[0, 6]]],
    [
      'both sides of a middle',
      { start: 3, end: 6 },
      false,
      [
        [0, 3],
        [6, 10],
      ],
    ],
    ['nothing after all', { start: 0, end: 10 }, false, []],
    ['the older part though the answer was had by a token', { start: 6, end: 10 }, true, [[0, 6]]],
  ])('asks %s by bounds', (_, told, followed, left) => {
    const minutes = { start: told.start * MINUTE_MS, end: told.end * MINUTE_MS };
    const spans = left.map(([start = 0, end = 0]) => ({
      start: start * MINUTE_MS,
      end: end * MINUTE_MS,
    }));
    expect(restOf(span, minutes, followed)).toEqual({ kind: 'bounds', spans });
  });

  test('follows the token where bounds made no progress', () => {
    expect(restOf(span, null, false)).toEqual({ kind: 'token' });
  });

  test('is stuck where the token made none either', () => {
    expect(restOf(span, null, true)).toEqual({ kind: 'stuck' });
  });
});
