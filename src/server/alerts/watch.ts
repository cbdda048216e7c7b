import type { WatchedTopic } from '#contract/alerts/alerts.ts';
import { stepAlert, type AlertMessage, type CountChange } from '#core/alerts/alert.ts';
import { countedSteps, takeSteps } from '#core/alerts/back-test.ts';
import {
  BUDGET_WEEKS,
  chooseFactor,
  judgedCounts,
  watchUnitOf,
  type ChosenFactor,
} from '#core/alerts/budget.ts';
import { localDay, type WatchUnit } from '#core/alerts/local-day.ts';
import {
  startAlert,
  type AlertRule,
  type AlertState,
  type PastCounts,
  type WatchedDay,
} from '#core/alerts/state.ts';
import { LEARNED_DAYS } from '#core/alerts/usual.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { localDayAfter, zoneTable } from '#core/time/zone.ts';
import type { Counter } from '#server/counting/counter.ts';

/** Counts of a topic as they are now, without the time that a request for counts lags. */
export type CountNow = Counter['count'];

/** Local days whose buckets may still ring or be listed. */
const OPEN_DAYS = 3;
/** Days that are read to choose a factor: those that it is tested on, and those that their usual is learned from. */
const HISTORY_DAYS = BUDGET_WEEKS * 7 + LEARNED_DAYS;

/** Edges of the buckets of consecutive local days, and of as many days as a number, up to a time. */
function edgesOf(zone: string, unit: WatchUnit, { start, end }: Span): Float64Array {
  const table = zoneTable(zone, { start, end: end + DAY_MS });
  const edges: number[] = [];
  for (let day = localDay(table, start, unit); day.start < end;) {
    edges.push(...day.edges.subarray(0, -1));
    day = localDay(table, day.end, unit);
    if (day.start >= end) edges.push(day.start);
  }
  return Float64Array.from(edges);
}

async function counted(
  count: CountNow,
  { query, source }: Pick<WatchedTopic, 'query' | 'source'>,
  bounds: Float64Array,
  signal: AbortSignal,
): Promise<PastCounts> {
  const found = await count({ source, query, bounds }, signal);
  signal.throwIfAborted();
  return { bounds, counts: found?.counts ?? new Float64Array(bounds.length - 1).fill(NaN) };
}

/** The counts of the buckets before a time. */
function before({ bounds, counts }: PastCounts, end: number): PastCounts {
  let size = counts.length;
  while (size > 0 && (bounds[size - 1] ?? NaN) >= end) size -= 1;
  return {
    bounds: Float64Array.from(bounds).subarray(0, size + 1),
    counts: Float64Array.from(counts).subarray(0, size),
  };
}

/** A rule, what it was chosen from, and the counts before it. */
export interface BegunWatch {
  readonly rule: AlertRule;
  readonly chosen: ChosenFactor;
  /** Of whole local days. */
  readonly earlier: PastCounts;
  /** The same and those of the present day. */
  readonly present: PastCounts;
}

/**
 * Chooses the rule of an alert that begins.
 *
 * @param now - Epoch ms.
 * @throws As `Counter.count`.
 */
export async function beginWatch(
  count: CountNow,
  topic: WatchedTopic,
  now: number,
  signal: AbortSignal,
): Promise<BegunWatch> {
  const { zone, direction, budget } = topic;
  const table = zoneTable(zone, { start: now - (HISTORY_DAYS + 2) * DAY_MS, end: now + DAY_MS });
  const today = localDay(table, now, 'day').start;
  const time = { start: localDayAfter(table, today, -HISTORY_DAYS), end: now + 1 };
  const hours = await counted(count, topic, edgesOf(zone, 'hour', time), signal);
  const unit = watchUnitOf(Float64Array.from(before(hours, today).counts));
  const present =
    unit === 'hour' ? hours : await counted(count, topic, edgesOf(zone, unit, time), signal);
  const earlier = before(present, today);
  const chosen = chooseFactor(judgedCounts(earlier, zone, unit), budget);
  const rule: AlertRule =
    direction === 'rise'
      ? { zone, unit, direction, factor: chosen.factor }
      : { zone, unit, direction };
  return { rule, chosen, earlier, present };
}

/** The messages of a rule over the last 13 weeks, by counts as they are today. */
export function backTest({ rule, earlier }: Pick<BegunWatch, 'rule' | 'earlier'>): AlertMessage[] {
  const { bounds, counts } = earlier;
  const end = counts.length;
  const from = Math.max(0, end - BUDGET_WEEKS * 7 * (rule.unit === 'hour' ? 24 : 1));
  const start = bounds[from] ?? NaN;
  if (Number.isNaN(start)) return [];
  const state = startAlert(rule, start, start, earlier);
  return takeSteps(rule, state, countedSteps(earlier, from, end)).messages;
}

/** The days with the counts of others, where those are known. */
function withCounts(
  days: readonly WatchedDay[],
  edgesOfDay: (day: WatchedDay) => Float64Array,
  { bounds, counts }: PastCounts,
): WatchedDay[] {
  const at = new Map(Array.from(bounds, (edge, i) => [edge, counts[i] ?? NaN]));
  return days.map((day) => {
    const edges = edgesOfDay(day);
    return {
      ...day,
      counts: day.counts.map((_, i) => {
        const count = at.get(edges[i] ?? NaN) ?? NaN;
        return Number.isNaN(count) ? null : count;
      }),
    };
  });
}

/** The edges of the buckets that end after a time. */
function after(edges: Float64Array, from: number): Float64Array {
  let first = 0;
  while (first < edges.length - 2 && (edges[first + 1] ?? NaN) <= from) first += 1;
  return edges.subarray(first);
}

/**
 * Judges a topic by its counts as they are now: what they differ by from those that were judged last is what was learned
 * since. Once a local day, the counts that the usual is learned from are read again, with what was imported or deleted.
 *
 * @param changed - The time from which on counts may have changed since the state, epoch ms; -Infinity for all.
 * @throws As `Counter.count`.
 */
export async function judge(
  count: CountNow,
  {
    rule,
    state,
    topic,
  }: {
    readonly rule: AlertRule;
    readonly state: AlertState;
    readonly topic: Pick<WatchedTopic, 'query' | 'source'>;
  },
  now: number,
  changed: number,
  signal: AbortSignal,
): Promise<{ readonly state: AlertState; readonly messages: readonly AlertMessage[] }> {
  const { zone, unit } = rule;
  const at = Math.max(now, state.at);
  const table = zoneTable(zone, { start: state.days[0]?.start ?? at, end: at + DAY_MS });
  const today = localDay(table, at, unit);
  const last = state.days.at(-1)?.start ?? today.start;
  let known = state;
  if (today.start > last) {
    const old = state.days.slice(0, -OPEN_DAYS);
    const [first] = old;
    const end = state.days.at(-OPEN_DAYS)?.start ?? last;
    if (first) {
      const read = await counted(
        count,
        topic,
        edgesOf(zone, unit, { start: first.start, end }),
        signal,
      );
      const edges = ({ start }: WatchedDay): Float64Array => localDay(table, start, unit).edges;
      const days = [...withCounts(old, edges, read), ...state.days.slice(-OPEN_DAYS)];
      known = { ...state, days };
    }
  }
  const open = known.days.slice(-OPEN_DAYS);
  const start = open[0]?.start ?? today.start;
  const from = Math.max(start, Math.min(changed, at));
  const bounds = after(edgesOf(zone, unit, { start: from, end: at + 1 }), from);
  const { counts } = await counted(count, topic, bounds, signal);
  const before = new Map<number, number | null>();
  for (const day of open) {
    const { edges } = localDay(table, day.start, unit);
    day.counts.forEach((each, i) => before.set(edges[i] ?? NaN, each));
  }
  const posts: CountChange[] = [];
  const unknown: Span[] = [];
  for (let i = 0; i < counts.length; i += 1) {
    const [from = NaN, to = NaN, is = NaN] = [bounds[i], bounds[i + 1], counts[i]];
    if (from > at) break;
    const was = before.get(from);
    if (was === null) continue;
    if (Number.isNaN(is)) unknown.push({ start: from, end: to });
    else if (is !== (was ?? 0))
      posts.push({ created: Math.min(to - 1, at), posts: is - (was ?? 0) });
  }
  return stepAlert(rule, known, { at, horizon: at, posts, unknown });
}
