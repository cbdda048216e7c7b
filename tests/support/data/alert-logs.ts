import { localDay } from '#core/alerts/local-day.ts';
import type { AlertRule, PastCounts } from '#core/alerts/state.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { Random } from '#server/sample/random.ts';
import type { AlertStep, CountChange } from '#core/alerts/alert-message.ts';

/** An alert, the counts before it, and everything that was learned since. */
export interface AlertLog {
  readonly rule: AlertRule;
  readonly earlier: PastCounts;
  /** The time at which the alert begins, and the horizon then. */
  readonly at: number;
  readonly horizon: number | null;
  readonly steps: readonly AlertStep[];
}

/** Zones, each with a day near which its clock changes, if it does: by half an hour, at midnight, or by a whole day. */
const CLOCKS: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ['UTC', Date.UTC(2017, 5, 1)],
  ['Europe/Berlin', Date.UTC(2017, 2, 26)],
  ['Europe/Berlin', Date.UTC(2017, 9, 29)],
  ['America/New_York', Date.UTC(2017, 10, 5)],
  ['America/Sao_Paulo', Date.UTC(2017, 9, 15)],
  ['Australia/Lord_Howe', Date.UTC(2017, 3, 2)],
  ['Asia/Kolkata', Date.UTC(2017, 0, 1)],
  ['Pacific/Apia', Date.UTC(2011, 11, 30)],
];

/** Counts of whole buckets before a time, with gaps. */
function earlierCounts(
  random: Random,
  rule: AlertRule,
  at: number,
  days: number,
  pace: (at: number) => number,
): PastCounts {
  const bounds: number[] = [];
  const counts: number[] = [];
  const table = zoneTable(rule.zone, { start: at - 80 * DAY_MS, end: at + 20 * DAY_MS });
  const gap = random.chance(0.3) ? at - random.below(days) * DAY_MS : Infinity;
  for (let day = localDay(table, at - days * DAY_MS, rule.unit); day.start < at;) {
    for (let i = 0; i < day.slots.length; i += 1) {
      const [start = 0, end = 0] = [day.edges[i], day.edges[i + 1]];
      if (end > at) break;
      if (bounds.length === 0) bounds.push(start);
      const isKnown = !(start >= gap && start < gap + 30 * HOUR_MS);
      const mean = (pace(start) * (end - start)) / HOUR_MS;
      counts.push(isKnown ? random.poisson(mean) : NaN);
      bounds.push(end);
    }
    day = localDay(table, day.end, rule.unit);
  }
  return { bounds, counts };
}

/** Posts with the times at which they were created and learned of. */
interface Arrival {
  readonly at: number;
  readonly created: number;
  readonly posts: number;
}

/** Posts of some days after a time: with bursts and silences, some late, some deleted. */
function arrivalsAfter(
  random: Random,
  at: number,
  days: number,
  pace: (at: number) => number,
): Arrival[] {
  const out: Arrival[] = [];
  let burst = { end: 0, factor: 1 };
  for (let hour = at; hour < at + days * DAY_MS; hour += HOUR_MS) {
    if (hour > burst.end && random.chance(0.06)) {
      const factor = random.pick([0, 0, 2, 3, 5, 30]);
      burst = { end: hour + random.below(14) * HOUR_MS, factor };
    }
    const factor = hour <= burst.end ? burst.factor : 1;
    const parts = 1 + random.below(3);
    for (let n = 0; n < parts; n += 1) {
      const posts = random.poisson((pace(hour) * factor) / parts + (factor > 1 ? 3 : 0));
      if (posts === 0) continue;
      const created = hour + random.below(HOUR_MS);
      const delay = random.pick([0, 0, 0, 0, 0, 1, 20, 110, 130, 600, 3000]) * MINUTE_MS;
      const known = created + delay + random.below(MINUTE_MS);
      out.push({ at: known, created, posts });
      if (random.chance(0.15)) {
        const gone = 1 + random.below(posts);
        out.push({ at: known + random.below(DAY_MS), created, posts: -gone });
      }
    }
  }
  return out;
}

/** The steps of Posts that arrive. */
function pushedSteps(random: Random, arrivals: readonly Arrival[], at: number): AlertStep[] {
  const sorted = arrivals.toSorted((a, b) => a.at - b.at);
  const steps: AlertStep[] = [];
  for (let i = 0; i < sorted.length;) {
    const size = 1 + random.below(3);
    const batch = sorted.slice(i, i + size);
    const known = batch.at(-1)?.at ?? 0;
    // A clock that was set back.
    const back = random.chance(0.02) ? random.below(3 * HOUR_MS) : 0;
    const posts = batch.map(({ created, posts }): CountChange => ({ created, posts }));
    steps.push({ at: known - back, posts });
    i += size;
  }
  // An import of old Posts, of some that are known, and of a time to come.
  if (random.chance(0.3)) {
    const when = random.below(steps.length + 1);
    const known = Math.max(at, ...steps.slice(0, when).map((step) => step.at));
    const posts = Array.from({ length: 30 }, () => ({
      created:
        known - random.below(random.pick([5, 70, 700]) * DAY_MS) + random.pick([0, 0, 0, DAY_MS]),
      posts: 1 + random.below(30),
    }));
    steps.splice(when, 0, { at: known, posts });
  }
  if (random.chance(0.3)) {
    const when = random.below(steps.length + 1);
    const end = Math.max(at, ...steps.slice(0, when).map((step) => step.at));
    const start = Math.max(at - DAY_MS, end - random.below(8) * HOUR_MS);
    if (start < end) steps.splice(when, 0, { at: end, unknown: [{ start, end }] });
  }
  return steps;
}

/** The steps of polls, some of which fail. */
function polledSteps(
  random: Random,
  arrivals: readonly Arrival[],
  at: number,
  days: number,
): AlertStep[] {
  const steps: AlertStep[] = [];
  const sorted = arrivals.toSorted((a, b) => a.at - b.at);
  let next = 0;
  let broken = 0;
  for (let poll = at + HOUR_MS; poll < at + days * DAY_MS; poll += HOUR_MS) {
    if (poll > broken && random.chance(0.04)) broken = poll + random.below(30) * HOUR_MS;
    if (poll <= broken) continue;
    const posts: CountChange[] = [];
    for (; (sorted[next]?.at ?? Infinity) <= poll; next += 1) {
      const { created = 0, posts: n = 0 } = sorted[next] ?? {};
      posts.push({ created, posts: n });
    }
    const horizon = Math.floor(poll / HOUR_MS) * HOUR_MS;
    const isLost = random.chance(0.05);
    const unknown = isLost ? [{ start: horizon - random.below(5) * HOUR_MS, end: horizon }] : [];
    steps.push({
      at: poll,
      posts,
      horizon,
      unknown: unknown.filter(({ start, end }) => start < end),
    });
  }
  return steps;
}

/** A random alert with its log, from a fraction of a day to some days long. */
export function randomLog(random: Random): AlertLog {
  const [zone, change] = random.pick(CLOCKS);
  const unit = random.chance(0.75) ? 'hour' : 'day';
  const direction = random.chance(0.7) ? 'rise' : 'quiet';
  const rule: AlertRule =
    direction === 'rise'
      ? { zone, unit, direction, factor: random.pick([1.5, 2, 3, 5, 12]) }
      : { zone, unit, direction };
  const at = change + (random.below(6) - 4) * DAY_MS + random.below(DAY_MS);
  const level = random.pick([0.1, 0.5, 1, 3, 3, 10, 40]);
  const pace = (of: number): number =>
    level *
    (1 + Math.sin((of / DAY_MS) * 2 * Math.PI)) *
    (Math.floor(of / DAY_MS) % 7 < 2 ? 0.5 : 1);
  const days = random.pick([1, 2, 3, 5]);
  const history = random.pick([5, 27, 29, 40, 60]);
  const arrivals = arrivalsAfter(random, at, days, pace);
  const isPolled = random.chance(0.4);
  return {
    rule,
    at,
    horizon: isPolled ? Math.floor(at / HOUR_MS) * HOUR_MS : null,
    earlier: earlierCounts(random, rule, at, history, pace),
    steps: isPolled ? polledSteps(random, arrivals, at, days) : pushedSteps(random, arrivals, at),
  };
}
