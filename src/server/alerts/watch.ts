import type { WatchedTopic } from '#contract/alerts/alerts.ts';
import { LATEST_MS, stepAlert } from '#core/alerts/alert.ts';
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
import { bucketAt } from '#core/series/window.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { localDayAfter, zoneTable } from '#core/time/zone.ts';
import type { CountAll, Counted, CountsReach } from '#server/counting/counter.ts';
import { WrongQueryError } from '#server/counting/wrong-query.ts';
import type { AlertMessage, CountChange } from '#core/alerts/alert-message.ts';

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
  count: CountAll,
  { query, source }: Pick<WatchedTopic, 'query' | 'source'>,
  bounds: Float64Array,
  signal: AbortSignal,
): Promise<Pick<Counted, 'counts' | 'reach'> & { readonly bounds: Float64Array }> {
  const [found] = (await count(source, [{ query, bounds }], signal)) ?? [];
  signal.throwIfAborted();
  if (found instanceof WrongQueryError) throw found;
  const counts = found?.counts ?? new Float64Array(bounds.length - 1).fill(NaN);
  return { bounds, counts, ...(found?.reach && { reach: found.reach }) };
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

/** The edges of the local days that a factor is chosen from. @param now - Epoch ms. */
export function historyDays(zone: string, now: number): Float64Array {
  const table = zoneTable(zone, { start: now - (HISTORY_DAYS + 2) * DAY_MS, end: now + DAY_MS });
  const today = localDay(table, now, 'day').start;
  return edgesOf(zone, 'day', { start: localDayAfter(table, today, -HISTORY_DAYS), end: today });
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
 * @param count - Counts as they are now, without the time that a request for counts lags.
 * @param now - Epoch ms.
 * @throws As `Counter.count`.
 */
export async function beginWatch(
  count: CountAll,
  topic: WatchedTopic,
  now: number,
  signal: AbortSignal,
): Promise<BegunWatch> {
  const { zone, direction, budget, factor } = topic;
  const days = historyDays(zone, now);
  const today = days.at(-1) ?? now;
  const time = { start: days[0] ?? now, end: now + 1 };
  const hours = await counted(count, topic, edgesOf(zone, 'hour', time), signal);
  const unit = watchUnitOf(Float64Array.from(before(hours, today).counts));
  const present =
    unit === 'hour' ? hours : await counted(count, topic, edgesOf(zone, unit, time), signal);
  // Nothing of the running bucket was bought, which is no reason not to judge it.
  const running = bucketAt(present.bounds, now);
  if (present.reach && Number.isNaN(present.counts[running])) present.counts[running] = 0;
  const earlier = before(present, today);
  const chosen = chooseFactor(judgedCounts(earlier, zone, unit), budget, factor);
  const rule: AlertRule =
    direction === 'rise'
      ? { zone, unit, direction, factor: chosen.factor }
      : { zone, unit, direction };
  return { rule, chosen, earlier, present };
}

/** The messages of a rule over the last 13 weeks, by counts as they are today, and these counts. */
export function backTest({ rule, earlier }: Pick<BegunWatch, 'rule' | 'earlier'>): {
  readonly messages: readonly AlertMessage[];
  readonly curve: PastCounts;
} {
  const { bounds, counts } = earlier;
  const end = counts.length;
  const from = Math.max(0, end - BUDGET_WEEKS * 7 * (rule.unit === 'hour' ? 24 : 1));
  const start = bounds[from] ?? NaN;
  const curve = {
    bounds: Float64Array.from(bounds).subarray(from),
    counts: Float64Array.from(counts).subarray(from),
  };
  if (Number.isNaN(start)) return { messages: [], curve };
  const state = startAlert(rule, start, start, earlier);
  const { messages } = takeSteps(rule, state, countedSteps(earlier, from, end));
  return { messages, curve };
}

/** The edges of the buckets that end after a time. */
function after(edges: Float64Array, from: number): Float64Array {
  let first = 0;
  while (first < edges.length - 2 && (edges[first + 1] ?? NaN) <= from) first += 1;
  return edges.subarray(first);
}

/** The edges of the buckets from the one that begins at an instant to the last that is over at another. */
export function bucketsBetween(
  { zone, unit }: AlertRule,
  start: number,
  end: number,
): Float64Array {
  return after(edgesOf(zone, unit, { start, end }), start).filter((edge) => edge <= end);
}

/** An alert that is judged again. */
interface Watch {
  readonly rule: AlertRule;
  readonly state: AlertState;
}

/** The buckets of an alert at a time. */
function bucketsAt({ rule: { zone, unit }, state: { days, at } }: Watch, now: number) {
  const end = Math.max(now, at);
  const table = zoneTable(zone, { start: days[0]?.start ?? end, end: end + DAY_MS });
  const today = localDay(table, end, unit).start;
  return {
    end,
    /** The first one that may still ring or be listed. */
    open: (days.at(-OPEN_DAYS) ?? days[0])?.start ?? today,
    /** True if a local day began since. */
    begins: today > (days.at(-1)?.start ?? today),
    edgesIn: (day: Pick<WatchedDay, 'start'>): Float64Array =>
      localDay(table, day.start, unit).edges,
  };
}

/** True if the clock was far ahead when an alert was last judged: it then begins again. */
const isFarBack = ({ state: { at } }: Watch, now: number): boolean => at - now > DAY_MS;

/** The times from which on counts may have changed, epoch ms; -Infinity for all. */
export interface ChangedCounts {
  /** Since the alert was judged. */
  readonly recent: number;
  /** Since its present local day began. */
  readonly today: number;
}

/**
 * The edges of the buckets that an alert is judged by next. When a local day begins, they are also those whose counts
 * changed since the day before began, as by an import: the usual is learned from them.
 *
 * @param now - Epoch ms.
 */
export function bucketsToJudge(watch: Watch, now: number, changed: ChangedCounts): Float64Array {
  const { zone, unit } = watch.rule;
  if (isFarBack(watch, now)) {
    return edgesOf(zone, unit, { start: now - (LEARNED_DAYS + 1) * DAY_MS, end: now + 1 });
  }
  const { end, open, begins } = bucketsAt(watch, now);
  const first = begins ? (watch.state.days[0]?.start ?? open) : open;
  const from = Math.max(first, Math.min(begins ? changed.today : changed.recent, end));
  return after(edgesOf(zone, unit, { start: from, end: end + 1 }), from);
}

/** The outcome of {@link judge}. */
export interface Judged {
  readonly state: AlertState;
  readonly messages: readonly AlertMessage[];
  /** True if a local day began. */
  readonly begins: boolean;
}

/**
 * Judges a topic by its counts as they are now: what they differ by from those that were judged last is what was learned
 * since. A bucket without a Post that ended while nothing was judged for more than two hours is unknown: Posts could not
 * arrive. Counts that come by the page are complete up to the first that is awaited.
 *
 * @param counted - Counts of {@link bucketsToJudge}.
 */
export function judge(
  watch: Watch,
  { bounds, counts, reach }: PastCounts & { readonly reach?: CountsReach | undefined },
  now: number,
): Judged {
  const { rule, state } = watch;
  if (isFarBack(watch, now)) {
    return { state: startAlert(rule, now, now, { bounds, counts }), messages: [], begins: true };
  }
  const { end, open, begins, edgesIn } = bucketsAt(watch, now);
  const known = new Map<number, number | null>();
  for (const day of state.days.slice(-OPEN_DAYS)) {
    const edges = edgesIn(day);
    day.counts.forEach((count, i) => known.set(edges[i] ?? NaN, count));
  }
  const slept = !reach && now - state.at > LATEST_MS;
  let horizon = Math.max(state.open, Math.min(end, reach?.until ?? end));
  /** Of the days before. */
  const read = new Map<number, number | null>();
  const posts: CountChange[] = [];
  const unknown: Span[] = [];
  for (let i = 0; i < counts.length; i += 1) {
    const [from = NaN, to = NaN, is = NaN] = [bounds[i], bounds[i + 1], counts[i]];
    // After a clock was set back, counts of later buckets are not known again.
    if (from > now) break;
    const was = known.get(from);
    if (reach && Number.isNaN(is) && from >= state.open && to > reach.awaited) {
      horizon = Math.min(horizon, from);
      break;
    }
    const unseen = slept && is === 0 && state.at < to && to <= now;
    if (from < open) read.set(from, Number.isNaN(is) ? null : is);
    else if (was === null) continue;
    else if (Number.isNaN(is) || unseen) unknown.push({ start: from, end: to });
    else if (is !== (was ?? 0)) {
      posts.push({ created: Math.min(to - 1, end), posts: is - (was ?? 0) });
    }
  }
  const days = state.days.map((day): WatchedDay => {
    if (read.size === 0 || day.start >= open) return day;
    const edges = edgesIn(day);
    const countOf = (was: number | null, i: number): number | null => {
      const is = read.get(edges[i] ?? NaN);
      return is === undefined ? was : is;
    };
    return { ...day, counts: day.counts.map(countOf) };
  });
  // One message says that the buckets after the last one that was seen cannot be.
  const seen = slept ? edgesIn({ start: state.at }).find((edge) => edge > state.at) : undefined;
  const before = { ...state, days, horizon: seen ?? state.horizon };
  return { ...stepAlert(rule, before, { at: now, horizon, posts, unknown }), begins };
}
