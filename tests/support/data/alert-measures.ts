import { countedSteps, takeSteps } from '#core/alerts/back-test.ts';
import { chooseFactor, judgedCounts, watchUnitOf, type AlertBudget } from '#core/alerts/budget.ts';
import type { WatchUnit } from '#core/alerts/local-day.ts';
import {
  barOf,
  calmBarOf,
  CALM_BUCKETS,
  riseOnsets,
  type JudgedCounts,
} from '#core/alerts/rises.ts';
import { startAlert, type AlertRule } from '#core/alerts/state.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { readMentions, readTruth } from './forecasts.ts';
import type { AlertMessage } from '#core/alerts/alert-message.ts';

const DAY = 24;
const WEEK = 7 * DAY;
/** Hours of a mean month. */
const MONTH = (365.25 / 12) * DAY;

/** A topic's real hours, as whole days of UTC, with the usual of each. */
export interface RealTopic {
  readonly name: string;
  readonly bounds: Float64Array;
  readonly judged: JudgedCounts;
}

/** Topics with fewer Posts an hour have hardly an hour that could ring. */
const LEAST_MEAN = 0.25;

/** The 23 queries of the corpus with a Post in four hours, over 2 to 3½ years, and ten companies over eight weeks. */
export function realTopics(folder: string): RealTopic[] {
  const hours = [...readTruth(folder, 'hour'), ...readMentions(folder, 'hour')];
  return hours.flatMap(({ name, curve }) => {
    const first = curve.bounds.findIndex((at) => at % DAY_MS === 0);
    const size = Math.floor((curve.counts.length - first) / DAY) * DAY;
    const counts = Float64Array.from(curve.counts.subarray(first, first + size));
    if (counts.reduce((sum, count) => sum + count, 0) < LEAST_MEAN * size) return [];
    const bounds = Float64Array.from(curve.bounds.subarray(first, first + size + 1));
    return [{ name, bounds, judged: judgedCounts({ bounds, counts }, 'UTC', 'hour') }];
  });
}

/** Those with more than the eight weeks of the companies. */
export const postTopics = (topics: readonly RealTopic[]): RealTopic[] =>
  topics.filter(({ judged }) => judged.counts.length > 9 * WEEK);

/** The middle of values and the ends of their middle four fifths. */
export interface Range {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))] ?? NaN;
  return { low: at(0.1), median: at(0.5), high: at(0.9) };
}

/** Bars of each hour: from the first on a rise begins, below the second the hour is calm. */
interface Bars {
  readonly fires: Float64Array;
  readonly calm: Float64Array;
}

/** As `riseOnsets`, for rules other than a factor with a floor. */
function onsetsOf(
  counts: Float64Array,
  { fires, calm }: Bars,
  from: number,
  end: number,
): number[] {
  const onsets: number[] = [];
  let [isRising, calmHours] = [false, 0];
  for (let i = from; i < end; i += 1) {
    const [posts = NaN, bar = NaN, low = NaN] = [counts[i], fires[i], calm[i]];
    if (Number.isNaN(bar)) continue;
    if (!isRising) {
      if (posts < bar) continue;
      [isRising, calmHours] = [true, 0];
      onsets.push(i);
    } else if (posts >= low) calmHours = 0;
    else if ((calmHours += 1) >= CALM_BUCKETS.hour) isRising = false;
  }
  return onsets;
}

/** A rule over hours: the bars that it gives from what is known before each. */
interface ComparedRule {
  readonly name: string;
  bars(judged: JudgedCounts): Bars;
}

/** A factor of the usual hour, with a Post at least. */
const plainFactor = (factor: number): ComparedRule => ({
  name: `at least ${factor} × the usual hour`,
  bars: ({ usual }) => ({
    fires: usual.map((each) => Math.max(1, factor * each)),
    calm: usual.map((each) => calmBarOf(each, factor)),
  }),
});

/** The mean of the hours before each, which some tools call the usual. */
function meanBefore(counts: Float64Array, hours: number): Float64Array {
  let sum = 0;
  return counts.map((count, i) => {
    const mean = i < hours ? NaN : sum / hours;
    sum += count - (counts[i - hours] ?? 0);
    return mean;
  });
}

/** Standard errors of the bound of disease surveillance, and the least factor that it needs. */
const [BOUND_Z, BOUND_FACTOR] = [4, 2];

/**
 * The bound of Farrington and others, "A Statistical Algorithm for the Early Detection of Outbreaks of Infectious
 * Disease" (1996): normal after a ⅔ power, with the dispersion of the four weeks before.
 */
function powerBound({ counts, usual }: JudgedCounts): Float64Array {
  const excess = counts.map((count, i) => {
    const expected = Math.max(usual[i] ?? NaN, 0.1);
    return Number.isNaN(expected) ? 0 : (count - expected) ** 2 / expected;
  });
  const dispersion = meanBefore(excess, 4 * WEEK);
  return usual.map((expected, i) => {
    const ratio = Math.max(1, dispersion[i] || 1);
    const error = BOUND_Z * Math.sqrt((4 / 9) * ratio * Math.cbrt(expected));
    return (Math.cbrt(expected) ** 2 + error) ** 1.5;
  });
}

const COMPARED: readonly ComparedRule[] = [
  plainFactor(3),
  plainFactor(5),
  {
    name: 'at least 3 × and at least 10 Posts',
    bars: ({ usual }) => ({
      fires: usual.map((each) => barOf(each, 3)),
      calm: usual.map((each) => calmBarOf(each, 3)),
    }),
  },
  {
    name: 'the last hour over 3 × the last twelve',
    bars: ({ counts, usual }) => {
      const before = meanBefore(counts, 12);
      return {
        fires: before.map((mean, i) =>
          Number.isNaN(usual[i] ?? NaN) ? NaN : Math.max(1, 3 * mean),
        ),
        calm: before.map((mean) => calmBarOf(mean, 3)),
      };
    },
  },
  {
    name: 'bound of disease surveillance, z = 4, ≥ 10 Posts, ≥ 2 ×',
    bars: (judged) => {
      const bound = powerBound(judged);
      return {
        fires: judged.usual.map((each, i) => Math.max(barOf(each, BOUND_FACTOR), bound[i] ?? NaN)),
        calm: judged.usual.map((each) => calmBarOf(each, BOUND_FACTOR)),
      };
    },
  },
];

/** Injected bursts: this many times the usual is added to each of their hours, and at least so many Posts. */
const ADDED = { large: 3, small: 2 } as const;
type BurstSize = keyof typeof ADDED;
const SIZES = ['large', 'small'] as const satisfies readonly BurstSize[];
const [BURST_POSTS, BURST_HOURS] = [20, 6];
/** A burst is found if it rings within these hours. */
const FOUND_HOURS = 3;
/** Rises that began earlier are over. */
const BEFORE_HOURS = 14 * DAY;
/** More than any bar. */
const EVERY_BAR = 1e12;

/** Hours with a burst that begins with one of them. */
function withBurst(
  { counts, usual }: JudgedCounts,
  start: number,
  added: number,
  random: Random,
): Float64Array {
  const out = Float64Array.from(counts);
  for (let i = start; i < start + BURST_HOURS; i += 1) {
    out[i] = (out[i] ?? 0) + random.poisson(Math.max(BURST_POSTS, added * (usual[i] ?? 0)));
  }
  return out;
}

/** Parts of the injected bursts that rang within three hours, by size. */
export type FoundBursts = Readonly<Record<BurstSize, number>>;

/** Injected bursts, and those found. One within a rise that is already announced is none. */
class BurstTally {
  readonly #random: Random;
  readonly #found: Record<BurstSize, number> = { large: 0, small: 0 };
  #size = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Judges a burst of each size. @param onsets - The rises of counts from one hour to another. */
  add(
    judged: JudgedCounts,
    start: number,
    onsets: (counts: Float64Array, from: number, end: number) => readonly number[],
  ): void {
    const from = Math.max(0, start - BEFORE_HOURS);
    const sure = Float64Array.from(judged.counts);
    sure[start] = EVERY_BAR;
    if (onsets(sure, from, start + 1).at(-1) !== start) return;
    this.#size += 1;
    for (const size of SIZES) {
      const counts = withBurst(judged, start, ADDED[size], this.#random);
      if (onsets(counts, from, start + FOUND_HOURS).some((i) => i >= start)) {
        this.#found[size] += 1;
      }
    }
  }

  get found(): FoundBursts {
    const { large, small } = this.#found;
    return { large: large / this.#size, small: small / this.#size };
  }
}

/** A rule over the real topics. */
export interface RuleMeasure {
  readonly name: string;
  /** Rises a month, over the topics. */
  readonly rises: Range;
  readonly found: FoundBursts;
}

/** Compares rules over all hours whose usual is known. @param bursts - Injected into each topic. */
export function compareRules(topics: readonly RealTopic[], bursts: number): RuleMeasure[] {
  return COMPARED.map(({ name, bars }) => {
    // The same places for each rule.
    const random = new Random(33);
    const tally = new BurstTally(random);
    const rises = topics.map(({ judged }) => {
      const { counts, usual } = judged;
      const size = counts.length;
      const from = usual.findIndex((each) => !Number.isNaN(each));
      const own = bars(judged);
      for (let n = 0; n < bursts; n += 1) {
        const start = from + random.below(size - from - BURST_HOURS);
        tally.add(judged, start, (posts, first, end) =>
          // A mean of the last hours knows the burst.
          onsetsOf(posts, bars({ ...judged, counts: posts }), first, end),
        );
      }
      return (onsetsOf(counts, own, from, size).length * MONTH) / (size - from);
    });
    return { name, rises: rangeOf(rises), found: tally.found };
  });
}

/** Days of hours, with the usual of each. */
function daysOf({ bounds, judged }: RealTopic): JudgedCounts {
  const size = judged.counts.length / DAY;
  const counts = Float64Array.from({ length: size }, (_, day) =>
    judged.counts.subarray(day * DAY, (day + 1) * DAY).reduce((sum, count) => sum + count, 0),
  );
  return judgedCounts({ bounds: bounds.filter((_, i) => i % DAY === 0), counts }, 'UTC', 'day');
}

/** The hours in which rises of a topic begin that is watched by days: the hour in which the day passes its bar. */
function onsetsByDays(
  days: JudgedCounts,
  counts: Float64Array,
  factor: number,
  from: number,
  end: number,
): number[] {
  const first = Math.floor(from / DAY);
  const last = Math.ceil(end / DAY);
  const posts = Float64Array.from(days.counts);
  // Posts of the last day up to the last hour alone are known.
  for (let day = first; day < last; day += 1) {
    const until = Math.min(end, (day + 1) * DAY);
    posts[day] = counts.subarray(day * DAY, until).reduce((sum, count) => sum + count, 0);
  }
  return riseOnsets({ ...days, counts: posts }, factor, first, last).map((day) => {
    const bar = barOf(days.usual[day] ?? NaN, factor);
    let hour = day * DAY;
    for (let sum = counts[hour] ?? 0; sum < bar; sum += counts[hour] ?? 0) hour += 1;
    return hour;
  });
}

/** Trials of a budget: a factor chosen from 13 weeks, and the four weeks after them. */
export interface BudgetMeasure {
  readonly trials: number;
  /** Part of the trials whose next four weeks had at most twice the rises of the budget. */
  readonly within: number;
  readonly factors: Range;
  /** Rises in the next four weeks. */
  readonly rises: Range;
  readonly found: FoundBursts;
}

const NEXT_WEEKS = 4;
/** Twice the budget, in rises of four weeks. */
const TWICE: Readonly<Record<AlertBudget, number>> = { day: 56, week: 8, month: 2 };
/** Weeks before a trial: those from which the first usual is learned, and those from which the factor is chosen. */
const WEEKS_BEFORE = 8 + 13;

/** All topics by hours; those that are watched by hours or days; or all by the unit that each has. */
export type TrialTopics = 'all by hours' | 'busy by hours' | 'small by days' | 'each by its own';

/**
 * Chooses a factor every four weeks and compares it with the next four.
 *
 * @param bursts - Injected into the next four weeks of each trial.
 */
export function tryBudget(
  topics: readonly RealTopic[],
  budget: AlertBudget,
  by: TrialTopics,
  bursts: number,
): BudgetMeasure {
  const random = new Random(33);
  const tally = new BurstTally(random);
  const factors: number[] = [];
  const rises: number[] = [];
  for (const topic of topics) {
    const { judged } = topic;
    const size = judged.counts.length;
    const days = daysOf(topic);
    for (let now = WEEKS_BEFORE * WEEK; now + NEXT_WEEKS * WEEK <= size; now += NEXT_WEEKS * WEEK) {
      const before = judged.counts.subarray(0, now);
      const last = before.subarray(-NEXT_WEEKS * WEEK);
      // A topic that has fallen silent is no trial.
      if (last.reduce((sum, count) => sum + count, 0) < 0.1 * last.length) continue;
      const own = watchUnitOf(before);
      if (by === 'busy by hours' && own === 'day') continue;
      if (by === 'small by days' && own === 'hour') continue;
      const unit: WatchUnit = by === 'all by hours' ? 'hour' : own;
      const of = unit === 'hour' ? judged : days;
      const width = unit === 'hour' ? 1 : DAY;
      const { factor } = chooseFactor(headOf(of, now / width), budget);
      factors.push(factor);
      const next = now + NEXT_WEEKS * WEEK;
      rises.push(riseOnsets(of, factor, now / width, next / width).length);
      for (let n = 0; n < bursts; n += 1) {
        const start = now + random.below(NEXT_WEEKS * WEEK - BURST_HOURS);
        tally.add(judged, start, (counts, from, end) =>
          unit === 'hour'
            ? riseOnsets({ ...judged, counts }, factor, from, end)
            : onsetsByDays(days, counts, factor, from, end),
        );
      }
    }
  }
  return {
    trials: rises.length,
    within: rises.filter((each) => each <= TWICE[budget]).length / rises.length,
    factors: rangeOf(factors),
    rises: rangeOf(rises),
    found: tally.found,
  };
}

const headOf = ({ unit, counts, usual }: JudgedCounts, size: number): JudgedCounts => ({
  unit,
  counts: counts.subarray(0, size),
  usual: usual.subarray(0, size),
});

/** Silences and low days of the real topics. */
export interface QuietMeasure {
  /** A month, over the topics, in which nothing was injected. */
  readonly silences: Range;
  readonly lowDays: Range;
  /** Part of the injected silences that were announced within five days, and the hours after which they were. */
  readonly announced: number;
  readonly hours: Range;
  /** Parts of days that were announced, of those with a tenth of the usual Posts and of those with half of them. */
  readonly tenth: number;
  readonly half: number;
}

const QUIET: AlertRule = { zone: 'UTC', unit: 'hour', direction: 'quiet' };
/** Days for which an injected silence lasts. */
const SILENT_DAYS = 5;
/** Posts that are usual on a day of a topic that can fall silent, and of one that can have a low day. */
const [LEAST_SILENT, LEAST_LOW] = [6, 30];

/** The messages of silence from one hour to another, after which counts may be other ones. */
function quietMessages(
  { bounds, judged }: RealTopic,
  counts: Float64Array,
  from: number,
  end: number,
): AlertMessage[] {
  const first = Math.max(0, from - 60 * DAY);
  const at = bounds[from] ?? NaN;
  const begun = startAlert(QUIET, at, at, {
    bounds: bounds.subarray(first, from + 1),
    counts: judged.counts.subarray(first, from),
  });
  return takeSteps(QUIET, begun, countedSteps({ bounds, counts }, from, end)).messages;
}

/** Hours with a part of the usual Posts on one day. */
function thinnedDay(
  { judged }: RealTopic,
  day: number,
  part: number,
  random: Random,
): Float64Array {
  const counts = Float64Array.from(judged.counts);
  for (let i = day; i < day + DAY; i += 1) {
    counts[i] = random.poisson(part * (judged.usual[i] ?? 0));
  }
  return counts;
}

const shareOf = (values: readonly boolean[]): number =>
  values.filter(Boolean).length / values.length;

/** Drives the alert of silence and low days over the real hours, and over hours from which Posts were taken. */
export function tryQuiet(topics: readonly RealTopic[], trials: number): QuietMeasure {
  const random = new Random(33);
  const monthly: Record<'silence' | 'low-day', number[]> = { silence: [], 'low-day': [] };
  const waits: number[] = [];
  const low: Record<'tenth' | 'half', boolean[]> = { tenth: [], half: [] };
  for (const topic of topics) {
    const { counts, usual } = topic.judged;
    const size = counts.length;
    const from = usual.findIndex((each) => !Number.isNaN(each));
    const all = quietMessages(topic, counts, from, size);
    for (const kind of ['silence', 'low-day'] as const) {
      const some = all.filter((message) => message.kind === kind);
      monthly[kind].push((some.length * MONTH) / (size - from));
    }
    for (let n = 0; n < trials; n += 1) {
      const start = from + random.below(size - from - (SILENT_DAYS + 1) * DAY);
      const day = Math.ceil(start / DAY) * DAY;
      const daily = usual.subarray(day, day + DAY).reduce((sum, each) => sum + each, 0);
      if (daily >= LEAST_SILENT) {
        const end = start + SILENT_DAYS * DAY;
        const silent = quietMessages(topic, Float64Array.from(counts).fill(0, start), start, end);
        const message = silent.find(({ kind }) => kind === 'silence');
        waits.push(((message?.at ?? Infinity) - (topic.bounds[start] ?? NaN)) / HOUR_MS);
      }
      if (daily < LEAST_LOW) continue;
      for (const [name, part] of [
        ['tenth', 0.1],
        ['half', 0.5],
      ] as const) {
        const thinned = thinnedDay(topic, day, part, random);
        low[name].push(quietMessages(topic, thinned, day, day + DAY).length > 0);
      }
    }
  }
  return {
    silences: rangeOf(monthly.silence),
    lowDays: rangeOf(monthly['low-day']),
    announced: shareOf(waits.map(Number.isFinite)),
    hours: rangeOf(waits),
    tenth: shareOf(low.tenth),
    half: shareOf(low.half),
  };
}
