import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contaminationOf } from '#core/lift/contamination.ts';
import { LIFT_LEVELS, rankNeeded } from '#core/lift/claim.ts';
import { liftOf } from '#core/lift/lift.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { long } from '#tests/support/run/long.ts';
import { LIFT_UNITS, type LiftInput } from '#core/lift/lift-input.ts';
import type { LiftFigure } from '#core/lift/lift-figure.ts';

const START = Date.UTC(2024, 0, 1);

const daysOf = (counts: Iterable<number>): Curve => {
  const given = Float64Array.from(counts);
  const bounds = Float64Array.from({ length: given.length + 1 }, (_, i) => START + i * DAY_MS);
  return plainCurve(bounds, given);
};

const weekdays = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, i) => i % 7);

/** The inputs of a campaign of a length after so many days. */
function campaignOf(counts: ArrayLike<number>, at: number, length: number): LiftInput {
  const curve = daysOf(Array.from(counts));
  return {
    unit: 'day',
    curve,
    control: null,
    slots: weekdays(counts.length),
    campaign: { first: at, end: at + length },
    others: [],
    seams: [],
  };
}

function figureOf(input: LiftInput): LiftFigure {
  const lift = liftOf(input);
  if (lift.kind === 'refusal') throw new Error(`expected a figure, got ${lift.why}`);
  return lift;
}

/** Days with a weekly rhythm and chance. */
function noisy(seed: number, size: number, mean = 40): Float64Array {
  const random = new Random(seed);
  return Float64Array.from({ length: size }, (_, i) =>
    random.poisson(mean * (i % 7 < 5 ? 1.2 : 0.5)),
  );
}

describe('the figures by hand', () => {
  /** 56 days of 10 Posts, then weeks of 70 Posts each, whose days before have just 10 each. */
  const flat = Array.from({ length: 56 + 365 + 7 }, () => 10);
  const last = flat.length - 7;

  it('a flat year leaves nothing to chance: twice the Posts are +100 %, half of them additional', () => {
    const figure = figureOf(campaignOf(flat.with(last, 80), last, 7));
    // ln((140 + ½) / (70 + ½)) of the whole window.
    const value = Math.log(140.5 / 70.5);
    expect(figure.value).toBeCloseTo(value, 12);
    expect(figure.lift).toBeCloseTo(140.5 / 70.5 - 1, 12);
    expect(figure.additional).toBeCloseTo(140 * (1 - 70.5 / 140.5), 12);
    expect(figure).toMatchObject({
      posts: 140,
      level: 90,
      windows: 51,
      rank: { larger: 51, smaller: 0, of: 51 },
      visible: 0,
      planned: 0,
      centre: 0,
      backTest: { windows: 51, changed: 0 },
    });
    expect(figure.earlier).toHaveLength(359);
    expect(figure.earlier.at(-1)).toEqual({ start: START + (last - 7) * DAY_MS, value: 0 });
    expect([...figure.without.expected]).toEqual([10, 10, 10, 10, 10, 10, 10]);
    expect(figure.strict?.level).toBe(95);
  });

  it('the everyday level caps days at twice the median of the before-time and 5 more', () => {
    const figure = figureOf(campaignOf(flat.with(last, 80), last, 7));
    expect(figure.everyday).toMatchObject({ kind: 'measure', posts: 60 + 25 });
  });

  it('quantiles and ranks are those of the sorted values', () => {
    const counts = noisy(1, 56 + 365 + 7);
    const figure = figureOf(campaignOf(counts, 421, 7));
    const sorted = figure.earlier.map(({ value }) => value).sort((a, b) => a - b);
    // N = 51: m = ⌈52 · 0.95⌉ = 50, k = ⌈359 · 50 / 51⌉ = 352.
    expect(figure.visible).toBe(Math.expm1(sorted[351] ?? NaN));
    expect(figure.band.low).toBe(Math.expm1(figure.value - (sorted[351] ?? NaN)));
    expect(figure.band.high).toBe(Math.expm1(figure.value - (sorted[359 - 352] ?? NaN)));
    // The 20 % quantile of 359 values is the 72nd.
    expect(figure.planned).toBe(Math.expm1((sorted[351] ?? NaN) - (sorted[71] ?? NaN)));
    expect(sorted[179]).toBe(0);
    const below = sorted.filter((value) => value < figure.value).length;
    expect(figure.rank.larger).toBe(Math.floor((51 * below) / 359));
  });

  it.each([
    { separate: 39, level: 95, rank: 39 },
    { separate: 51, level: 95, rank: 51 },
    { separate: 19, level: 90, rank: 19 },
    { separate: 51, level: 90, rank: 50 },
    { separate: 9, level: 80, rank: 9 },
    { separate: 18, level: 80, rank: 18 },
    { separate: 19, level: 80, rank: 18 },
    { separate: 38, level: 95, rank: 39 },
  ] as const)(
    'of $separate windows, $level % needs the rank $rank',
    ({ separate, level, rank }) => {
      expect(rankNeeded(separate, level)).toBe(rank);
      const alpha = (100 - level) / 100;
      expect(rank).toBe(Math.ceil((separate + 1) * (1 - alpha / 2) - 1e-9));
    },
  );

  it('without the campaign, its Posts are outside the band exactly if the band of the lift excludes 0', () => {
    for (let seed = 0; seed < 40; seed += 1) {
      const counts = noisy(seed, 428).map((count, i) => (i < 421 ? count : count * (seed % 3)));
      const { posts, band, without } = figureOf(campaignOf(counts, 421, 7));
      const sum = (values: Float64Array): number => values.reduce((all, value) => all + value, 0);
      if (Math.abs(posts - sum(without.high)) > 1 && Math.abs(posts - sum(without.low)) > 1) {
        expect(posts > sum(without.high)).toBe(band.low > 0);
        expect(posts < sum(without.low)).toBe(band.high < 0);
      }
    }
  });
});

describe('the windows', () => {
  it('usual levels are those of adding up each weekday of the before-time, without other campaigns', () => {
    const counts = noisy(2, 500);
    const others = [
      { first: 380, end: 392 },
      { first: 430, end: 433 },
    ];
    const input = { ...campaignOf(counts, 460, 10), others };
    const figure = figureOf(input);
    const isOther = (i: number): boolean => others.some(({ first, end }) => first <= i && i < end);
    const ratioOf = (first: number): number => {
      let [posts, usual] = [0, 0];
      for (let i = first; i < first + 10; i += 1) {
        posts += counts[i] ?? NaN;
        const same = Array.from({ length: 56 }, (_, k) => first - 56 + k).filter(
          (day) => day % 7 === i % 7 && !isOther(day),
        );
        usual += same.reduce((sum, day) => sum + (counts[day] ?? NaN), 0) / same.length;
      }
      return Math.log((posts + 0.5) / (usual + 0.5));
    };
    const starts = Array.from({ length: 451 - 56 }, (_, k) => 56 + k)
      .filter((first) => first >= 460 - 365)
      .filter((first) => !Array.from({ length: 10 }, (_, k) => first + k).some(isOther));
    expect(figure.earlier.map(({ start }) => (start - START) / DAY_MS)).toEqual(starts);
    for (const [i, first] of starts.entries()) {
      expect(figure.earlier[i]?.value).toBeCloseTo(ratioOf(first) - figure.centre, 9);
    }
    expect(figure.value).toBeCloseTo(ratioOf(460) - figure.centre, 9);
  });

  it('are those of the last year if it holds 19 separate ones, else of two years', () => {
    const earliest = (at: number, length: number): number => {
      const { earlier } = figureOf(campaignOf(noisy(3, at + length), at, length));
      return (at * DAY_MS - ((earlier[0]?.start ?? NaN) - START)) / DAY_MS;
    };
    expect(earliest(900, 7)).toBe(365);
    expect(earliest(900, 14)).toBe(365);
    expect(earliest(900, 28)).toBe(730);
  });

  it('around it are three before, with their own before-time, and three after, with that of the campaign', () => {
    const counts = noisy(4, 480).map((count, i) => (i >= 428 ? count * 2 : count));
    const { around, earlier, value } = figureOf(campaignOf(counts, 428, 7));
    const at = (day: number) => earlier.find(({ start }) => start === START + day * DAY_MS);
    expect(around.before).toEqual([at(407), at(414), at(421)]);
    const days = around.after.map((dot) => ((dot?.start ?? NaN) - START) / DAY_MS);
    expect(days).toEqual([435, 442, 449]);
    // The doubled level lasts, and is not in their before-time.
    for (const dot of around.after) expect(Math.abs((dot?.value ?? NaN) - value)).toBeLessThan(0.3);
  });

  it('around it that meet another campaign or have not ended are no dots', () => {
    const input = campaignOf(noisy(4, 450), 428, 7);
    const { around } = figureOf({ ...input, others: [{ first: 410, end: 412 }] });
    expect(around.before.map((dot) => dot !== null)).toEqual([false, true, true]);
    expect(around.after.map((dot) => dot !== null)).toEqual([true, true, false]);
  });

  it('that cross a change of the index are left out, and those on either side of it stay', () => {
    const input = campaignOf(noisy(5, 800), 790, 7);
    const at = 600;
    const { earlier } = figureOf({ ...input, seams: [START + at * DAY_MS] });
    const days = earlier.map(({ start }) => (start - START) / DAY_MS);
    expect(days.filter((first) => first + 7 > at && first - 56 < at)).toEqual([]);
    expect(days.some((first) => first + 7 <= at)).toBe(true);
    expect(days.some((first) => first - 56 >= at)).toBe(true);
  });

  it('by the hour have the hour of the day in place of the weekday', () => {
    const random = new Random(6);
    const counts = Float64Array.from({ length: 168 + 720 + 24 }, (_, i) =>
      random.poisson(i % 24 < 12 ? 4 : 20),
    );
    const bounds = Float64Array.from({ length: counts.length + 1 }, (_, i) => START + i * HOUR_MS);
    const input: LiftInput = {
      ...campaignOf(counts, 888, 24),
      unit: 'hour',
      curve: plainCurve(bounds, counts),
      slots: Uint8Array.from(counts, (_, i) => i % 24),
    };
    const figure = figureOf(input);
    expect(figure).toMatchObject({ level: 90, windows: 29 });
    expect(figure.earlier).toHaveLength(697);
    // Half of the hours have a fifth of the Posts of the others.
    expect(figure.without.expected[18]).toBeGreaterThan(3 * (figure.without.expected[3] ?? NaN));
  });
});

describe('the accounts', () => {
  const size = 56 + 365 + 14;
  const at = size - 14;
  const windowsOf = (days: ReadonlySet<number>[], length: number): Float64Array =>
    Float64Array.from({ length: days.length - length + 1 }, (_, i) => {
      const accounts = new Set(days.slice(i, i + length).flatMap((day) => [...day]));
      return accounts.size;
    });
  const accountsOf = (days: ReadonlySet<number>[], length: number) => ({
    buckets: Float64Array.from(days, (day) => day.size),
    windows: windowsOf(days, length),
  });
  /** Days on which each of some accounts posts by chance. */
  function daysOf(seed: number, part: number, moved: number): ReadonlySet<number>[] {
    const random = new Random(seed);
    return Array.from({ length: size }, (_, i) => {
      const chance = i >= at ? part * moved : part;
      return new Set(Array.from({ length: 400 }, (_, n) => n).filter(() => random.chance(chance)));
    });
  }

  it('that post once each have the lift of their Posts', () => {
    const counts = noisy(3, size);
    const sums = Float64Array.from({ length: size - 13 }, (_, i) =>
      counts.slice(i, i + 14).reduce((sum, count) => sum + count, 0),
    );
    const input = campaignOf(counts, at, 14);
    const accounts = { series: { buckets: counts, windows: sums }, control: null };
    for (const others of [[], [{ first: 300, end: 320 }]]) {
      const figure = figureOf({ ...input, others, accounts });
      const { accounts: side } = figure;
      expect(side).toMatchObject({ kind: 'measure', posts: figure.posts, rank: figure.rank });
      if (side?.kind === 'measure') expect(side.value).toBeCloseTo(figure.value, 12);
    }
  });

  it.each([
    ['that post thrice as often', 3],
    ['that post as ever', 1],
  ])('%s in the campaign are as many more as windows of its length have more', (_, moved) => {
    const days = daysOf(5, 0.02, moved);
    const posts = days.map((day) => day.size);
    const series = accountsOf(days, 14);
    const { accounts } = figureOf({
      ...campaignOf(posts, at, 14),
      accounts: { series, control: null },
    });
    if (accounts?.kind !== 'measure') throw new Error('expected a measure');
    expect(accounts.posts).toBe(series.windows.at(-1));
    // In a window of 14 days an account is met with the probability 1 − (1 − p)^14.
    const met = (part: number): number => 1 - (1 - part) ** 14;
    const lift = met(0.02 * moved) / met(0.02) - 1;
    expect(accounts.band.low).toBeLessThanOrEqual(lift);
    expect(accounts.band.high).toBeGreaterThanOrEqual(lift);
    expect(accounts.band.low > 0).toBe(moved > 1);
  });

  it('do not rise with the Posts of one of them', () => {
    const days = daysOf(7, 0.02, 1);
    const posts = days.map((day, i) => day.size + (i >= at ? 100 : 0));
    const accounts = { series: accountsOf(days, 14), control: null };
    const figure = figureOf({ ...campaignOf(posts, at, 14), accounts });
    expect(figure.band.low).toBeGreaterThan(0);
    expect(figure.accounts).toMatchObject({ kind: 'measure' });
    if (figure.accounts?.kind === 'measure') expect(figure.accounts.band.low).toBeLessThan(0);
  });

  it('are refused where the same few post every day', () => {
    const days = Array.from({ length: size }, () => new Set([1, 2, 3, 4, 5, 6]));
    const accounts = { series: accountsOf(days, 14), control: null };
    const posts = days.map(() => 40);
    expect(figureOf({ ...campaignOf(posts, at, 14), accounts }).accounts).toEqual({
      kind: 'refusal',
      unit: 'day',
      why: 'few-posts',
      usual: 6,
      of: 'series',
    });
  });

  it('of other buckets, or of no control, are refused', () => {
    const input = campaignOf(noisy(3, size), at, 14);
    const series = { buckets: new Float64Array(size), windows: new Float64Array(size) };
    expect(() => liftOf({ ...input, accounts: { series, control: null } })).toThrow(
      `expected accounts of ${size} buckets and ${size - 13} windows`,
    );
    expect(() => liftOf({ ...input, accounts: { series, control: series } })).toThrow(
      'expected accounts of the control exactly if there is one',
    );
  });
});

describe('the control', () => {
  it('of itself gives 0 inside the band', () => {
    for (let seed = 0; seed < 5; seed += 1) {
      const input = campaignOf(noisy(seed, 428), 421, 7);
      const figure = figureOf({ ...input, control: { curve: input.curve, contamination: null } });
      expect(figure).toMatchObject({ lift: 0, control: { weight: 1, explained: 1 } });
      expect(figure.band.low).toBeLessThanOrEqual(0);
      expect(figure.band.high).toBeGreaterThanOrEqual(0);
    }
  });

  it('removes swings that both have, and has no weight where it has none of them', () => {
    const random = new Random(7);
    const swings = Float64Array.from({ length: 62 }, () => Math.exp(random.next() - 0.5));
    const days = (mean: number, shared: boolean): Float64Array =>
      Float64Array.from({ length: 428 }, (_, i) =>
        random.poisson(mean * (shared ? (swings[Math.floor(i / 7)] ?? 1) : 1)),
      );
    const input = campaignOf(days(200, true), 421, 7);
    const alone = figureOf(input);
    const withControl = (counts: Float64Array): LiftFigure =>
      figureOf({ ...input, control: { curve: daysOf(counts), contamination: null } });
    const good = withControl(days(900, true));
    expect(good.control?.explained).toBeGreaterThan(0.9);
    expect(good.visible).toBeLessThan(alone.visible / 2);
    const useless = withControl(days(900, false));
    expect(useless.control?.explained).toBeLessThan(0.1);
    expect(useless.visible).toBeLessThan(alone.visible * 1.1);
  });

  it.each([
    { tagged: 0, posts: 0, verdict: 'clean' },
    { tagged: 2, posts: 100, verdict: 'clean' },
    { tagged: 3, posts: 100, verdict: 'warned' },
    { tagged: 10, posts: 100, verdict: 'warned' },
    { tagged: 11, posts: 100, verdict: 'refused' },
  ])('with $tagged of $posts Posts of the campaign is $verdict', ({ tagged, posts, verdict }) => {
    expect(contaminationOf(tagged, posts).verdict).toBe(verdict);
  });

  it.each([
    [3, 2],
    [-1, 2],
    [0.5, 2],
  ])('refuses %s of %s as counts', (tagged, posts) => {
    expect(() => contaminationOf(tagged, posts)).toThrow(RangeError);
  });
});

describe('no figure, but the reason', () => {
  const size = 428;
  const good = campaignOf(noisy(8, size), 421, 7);
  const withStates = (buckets: readonly number[], state: number): Curve => {
    const states = good.curve.states.slice();
    const counts = Float64Array.from(good.curve.counts);
    for (const i of buckets) {
      states[i] = state;
      if (state < STATE.partial) counts[i] = NaN;
    }
    return { ...good.curve, counts, states };
  };
  const cases: readonly [string, LiftInput, object][] = [
    [
      'a day without counts',
      { ...good, curve: withStates([423], STATE.never) },
      { why: 'missing', buckets: 1, place: 'campaign', of: 'series' },
    ],
    [
      'days without counts before it',
      { ...good, curve: withStates([400, 401], STATE.failed) },
      { why: 'missing', buckets: 2, place: 'before', of: 'series' },
    ],
    [
      'a day that may still change',
      { ...good, curve: withStates([427], STATE.provisional) },
      { why: 'provisional', buckets: 1, place: 'campaign', of: 'series' },
    ],
    [
      'a control without counts',
      { ...good, control: { curve: withStates([423], STATE.never), contamination: null } },
      { why: 'missing', buckets: 1, place: 'campaign', of: 'control' },
    ],
    [
      'a change of the index before it',
      { ...good, seams: [START + 400 * DAY_MS] },
      { why: 'seam' },
    ],
    ['few Posts', campaignOf(noisy(8, size, 1), 421, 7), { why: 'few-posts', of: 'series' }],
    [
      'a control with few Posts',
      { ...good, control: { curve: daysOf(noisy(9, size, 1)), contamination: null } },
      { why: 'few-posts', of: 'control' },
    ],
    [
      'the campaign in its control',
      { ...good, control: { curve: good.curve, contamination: contaminationOf(20, 100) } },
      { why: 'contaminated', share: 0.2 },
    ],
    [
      'three weeks of history after the before-time',
      campaignOf(noisy(8, 56 + 27 + 7), 56 + 27, 7),
      { why: 'few-windows', windows: 3, more: 42 },
    ],
    [
      'less history than the before-time',
      campaignOf(noisy(8, 57), 50, 7),
      { why: 'few-windows', windows: 0, more: 56 + 69 - 50 },
    ],
    [
      'two years in which too few windows can be compared',
      { ...campaignOf(noisy(8, 800), 790, 7), others: [{ first: 10, end: 745 }] },
      { why: 'few-windows', more: null },
    ],
    [
      'a campaign that begins with the source',
      campaignOf(noisy(8, size), 0, 7),
      { why: 'uncovered' },
    ],
    [
      'a campaign that begins before the source',
      { ...good, campaign: { first: -4, end: 3 } },
      { why: 'uncovered' },
    ],
    [
      'other campaigns in the whole time before it',
      { ...good, others: [{ first: 421 - 56, end: 421 }] },
      { why: 'crowded' },
    ],
    [
      'other campaigns on each Monday before it',
      {
        ...good,
        others: Array.from({ length: 8 }, (_, i) => ({ first: 371 + i * 7, end: 372 + i * 7 })),
      },
      { why: 'crowded' },
    ],
    ['74 days', campaignOf(noisy(8, 1000), 900, 74), { why: 'too-long', longest: 73 }],
    ['a campaign that runs', campaignOf(noisy(8, size), 425, 7), { why: 'running' }],
  ];
  it.each(cases)('%s', (_, input, refusal) => {
    expect(liftOf(input)).toMatchObject({ kind: 'refusal', unit: 'day', ...refusal });
  });

  it('as much more history as it asks for gives nine windows, and a day less does not', () => {
    for (const at of [50, 60, 83, 110]) {
      const counts = noisy(8, 500);
      const last = (days: number): ReturnType<typeof liftOf> =>
        liftOf(campaignOf(counts.slice(400 - days, 407), days, 7));
      const refused = last(at);
      if (refused.kind === 'figure' || refused.why !== 'few-windows' || refused.more === null) {
        throw new Error('expected too few windows');
      }
      expect(last(at + refused.more)).toMatchObject({ kind: 'figure', windows: 9, level: 80 });
      expect(last(at + refused.more - 1)).toMatchObject({ why: 'few-windows', more: 1 });
    }
  });

  it('a campaign in the future has the lift to plan for', () => {
    const counts = noisy(8, 428);
    const { visible, planned } = figureOf(campaignOf(counts, 421, 7));
    const future = { ...campaignOf(counts.slice(0, 421), 421, 7) };
    expect(liftOf(future)).toEqual({
      kind: 'refusal',
      unit: 'day',
      why: 'future',
      plan: { level: 90, windows: 51, visible, planned },
    });
  });

  it.each<[string, LiftInput]>([
    ['two days', { ...good, campaign: { first: 421, end: 423 } }],
    ['an empty window', { ...good, others: [{ first: 5, end: 5 }] }],
    ['a missing slot', { ...good, slots: weekdays(size - 1) }],
    ['a slot outside the cycle', { ...good, slots: new Uint8Array(size).fill(7) }],
    [
      'a control of other buckets',
      { ...good, control: { curve: daysOf(noisy(1, size - 1)), contamination: null } },
    ],
  ])('%s is a fault of the caller', (_, input) => {
    expect(() => liftOf(input)).toThrow(RangeError);
  });
});

describe('the band, the rank and the back-test', () => {
  const figures = fc
    .record({
      seed: fc.integer(),
      length: fc.integer({ min: 3, max: 9 }),
      history: fc.integer({ min: 90, max: 330 }),
      factor: fc.constantFrom(0.2, 0.5, 0.8, 1, 1, 1.3, 2, 5),
      control: fc.boolean(),
      mean: fc.integer({ min: 8, max: 60 }),
    })
    .map(({ seed, length, history, factor, control, mean }) => {
      const size = 56 + history + length;
      const counts = noisy(seed, size, mean).map((count, i) =>
        i < size - length ? count : Math.round(count * factor),
      );
      const input = campaignOf(counts, size - length, length);
      const other = { curve: daysOf(noisy(seed + 1, size, 80)), contamination: null };
      return liftOf({ ...input, control: control ? other : null });
    });

  it('a band is above zero exactly if the rank is large enough, and below exactly if it is small enough', () => {
    let seen = 0;
    fc.assert(
      fc.property(figures, (figure) => {
        if (figure.kind === 'refusal') return;
        const measures = [figure, figure.everyday].filter((each) => each.kind !== 'refusal');
        for (const { band, strict, rank, visible, lift } of measures) {
          for (const each of [band, ...(strict ? [strict] : [])]) {
            const needed = rankNeeded(rank.of, each.level);
            expect(each.low > 0).toBe(rank.larger >= needed);
            expect(each.high < 0).toBe(rank.smaller >= needed);
            expect(each.additional.low > 0).toBe(each.low > 0);
            expect(each.additional.high < 0).toBe(each.high < 0);
            seen += 1;
          }
          expect(lift > visible).toBe(band.low > 0);
        }
      }),
      { numRuns: long() ? 10_000 : 200 },
    );
    expect(seen).toBeGreaterThan(150);
  });

  it('a back-test judges each separate window as if it were the campaign, without those that overlap it', () => {
    const length = 7;
    const counts = noisy(11, 428).map((count, i) => (i % 90 < 7 ? count * 2 : count));
    const figure = figureOf(campaignOf(counts, 421, length));
    const { earlier } = figure;
    const starts = earlier.map(({ start }) => (start - START) / DAY_MS);
    let changed = 0;
    for (let n = 1; n <= 51; n += 1) {
      const at = starts.indexOf(421 - n * length);
      const own = earlier[at]?.value ?? NaN;
      const others = earlier.filter(
        (_, i) => Math.abs((starts[i] ?? NaN) - (starts[at] ?? NaN)) >= length,
      );
      const separate = Math.floor(others.length / length);
      const part = (count: number): number => Math.floor((separate * count) / others.length);
      const larger = part(others.filter(({ value }) => value < own).length);
      const smaller = part(others.filter(({ value }) => value > own).length);
      if (Math.max(larger, smaller) >= rankNeeded(separate, 90)) changed += 1;
    }
    expect(figure.backTest).toEqual({ windows: 51, changed });
    expect(changed).toBeGreaterThan(0);
  });

  it('claims 95 % from 39 separate windows on, 90 % from 19 and 80 % from 9', () => {
    const claimed = (windows: number) => {
      const at = 56 + windows * 7 + 6;
      const lift = liftOf(campaignOf(noisy(12, at + 7), at, 7));
      return lift.kind === 'figure' ? [lift.windows, lift.level, lift.strict !== null] : [lift.why];
    };
    expect([8, 9, 18, 19, 38, 39].map(claimed)).toEqual([
      ['few-windows'],
      [9, 80, false],
      [18, 80, false],
      [19, 90, false],
      [38, 90, false],
      [39, 90, true],
    ]);
    expect(LIFT_LEVELS).toEqual([95, 90, 80]);
    expect(LIFT_UNITS.day.before(28)).toBe(84);
  });
});
