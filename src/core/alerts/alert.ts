import { bucketAt } from '#core/series/window.ts';
import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import { zoneTable, type ZoneTable } from '#core/time/zone.ts';
import { localDay, type LocalDay } from './local-day.ts';
import { barOf, CALM_BUCKETS, calmBarOf } from './rises.ts';
import { withDay, type AlertRule, type AlertState, type WatchedDay } from './state.ts';
import type { AlertMessage, AlertStep, BucketPosts } from './alert-message.ts';

/** Posts that arrive later than this never ring, and counts that are unknown for longer are announced. */
export const LATEST_MS = 2 * HOUR_MS;
/** Clocks differ. A Post of a later time than this from now is not counted. */
const SKEW_MS = MINUTE_MS;
/** A rise is announced again at this many times the rate that was announced. */
const STRONGER = 4;
/** Without a Post for as long as so many are usual, there is silence. */
const LEAST_SILENCE = 12;
/** The fewest Posts that are usual on a day that may be low. */
const LEAST_LOW_DAY = 30;
/** A day with less than this part of the usual Posts is low. */
const LOW_DAY = 1 / 4;

/** Changes of one bucket in one step. */
interface BucketChange {
  readonly created: number;
  timely: number;
  late: number;
  deleted: number;
}

/** One step: a working copy of the state, which shares the days that stay as they are. */
class Stepping {
  readonly #rule: AlertRule;
  readonly #table: ZoneTable;
  readonly #now: number;
  readonly #messages: AlertMessage[] = [];
  #state: AlertState;
  /** The layout of the last day that was needed. */
  #layout: LocalDay | null = null;

  constructor(rule: AlertRule, state: AlertState, now: number) {
    this.#rule = rule;
    this.#state = state;
    this.#now = now;
    this.#table = zoneTable(rule.zone, {
      start: state.days[0]?.start ?? state.open,
      end: now + LATEST_MS,
    });
  }

  run(step: AlertStep): { state: AlertState; messages: AlertMessage[] } {
    const changes = this.#changesOf(step);
    // Buckets that ended before are judged as they were known before.
    this.#close(this.#now, null);
    this.#announceBlindness();
    if (step.horizon !== undefined) this.#set({ horizon: step.horizon });
    for (const span of step.unknown ?? []) this.#forget(span);
    for (const change of changes) this.#apply(change);
    this.#close(this.#now, this.#now);
    this.#set({ at: this.#now });
    return { state: this.#state, messages: this.#messages };
  }

  #set(change: Partial<AlertState>): void {
    this.#state = { ...this.#state, ...change };
  }

  #layoutOf(instant: number): LocalDay {
    const known = this.#layout;
    if (known && known.start <= instant && instant < known.end) return known;
    return (this.#layout = localDay(this.#table, instant, this.#rule.unit));
  }

  /** The number of the day that contains an instant; -1 if it is before all. */
  #dayAt(instant: number): number {
    const { days } = this.#state;
    let day = days.length - 1;
    while (day >= 0 && (days[day]?.start ?? 0) > instant) day -= 1;
    return day;
  }

  #changeDay(day: number, change: Partial<WatchedDay>): void {
    const days = [...this.#state.days];
    const old = days[day];
    if (old) days[day] = { ...old, ...change };
    this.#set({ days });
  }

  /** Begins days until an instant is in one. */
  #reach(instant: number): void {
    for (;;) {
      const { days, open } = this.#state;
      const { end } = this.#layoutOf(days.at(-1)?.start ?? open);
      if (instant < end) return;
      const day = this.#layoutOf(end);
      const counts = Array.from(day.slots, () => 0);
      const { unit } = this.#rule;
      const next = withDay(days, day, counts, { unit, open, table: this.#table });
      const judged = next.findIndex(({ usual }) => usual !== null);
      const since = next[judged]?.start ?? Infinity;
      this.#set({ days: next, found: this.#state.found.filter((onset) => onset >= since) });
    }
  }

  /**
   * Closes the buckets that ended by an instant and are complete.
   *
   * @param known - The time at which that is known; null for the end of each.
   */
  #close(limit: number, known: number | null): void {
    for (;;) {
      const { open, horizon } = this.#state;
      const day = this.#layoutOf(open);
      const bucket = bucketAt(day.edges, open);
      const end = day.edges[bucket + 1] ?? Infinity;
      if (end > Math.min(limit, horizon ?? Infinity)) return;
      this.#reach(open);
      this.#set({ open: end });
      this.#judgeClosed(day, bucket, known ?? end);
      this.#reach(end);
    }
  }

  #judgeClosed(day: LocalDay, i: number, at: number): void {
    const stored = this.#state.days[this.#dayAt(day.start)];
    const count = stored?.counts[i] ?? null;
    const usual = stored?.usual?.[i] ?? null;
    const span: Span = { start: day.edges[i] ?? NaN, end: day.edges[i + 1] ?? NaN };
    this.#judgeBlindness(span, count, at);
    if (this.#rule.direction === 'rise') {
      if (count !== null && usual !== null) this.#judgeCalm(span, count, usual, at);
      return;
    }
    this.#judgeSilence(span, count, usual, at);
    if (span.end === day.end && stored) this.#judgeLowDay(day, stored, at);
  }

  #judgeBlindness({ start, end }: Span, count: number | null, at: number): void {
    if (count !== null) {
      if (this.#state.blind) this.#set({ blind: null });
      return;
    }
    const { since, rang } = this.#state.blind ?? { since: start, rang: false };
    const rings = !rang && end - since >= LATEST_MS;
    if (rings) this.#say({ kind: 'cannot-see', at, onset: since, span: { start: since, end } });
    this.#set({ blind: { since, rang: rang || rings } });
  }

  /** Announces that the next bucket should long be complete. */
  #announceBlindness(): void {
    const { open, horizon, blind } = this.#state;
    if (horizon === null || blind?.rang) return;
    const { edges } = this.#layoutOf(open);
    const end = edges[bucketAt(edges, open) + 1] ?? Infinity;
    const due = end + LATEST_MS;
    if (due > this.#now) return;
    const since = blind?.since ?? open;
    this.#say({ kind: 'cannot-see', at: due, onset: since, span: { start: since, end: due } });
    this.#set({ blind: { since, rang: true } });
  }

  #judgeCalm(span: Span, count: number, usual: number, at: number): void {
    const { rise } = this.#state;
    if (!rise || span.start < rise.onset || this.#rule.direction !== 'rise') return;
    if (count >= calmBarOf(usual, this.#rule.factor)) {
      this.#set({ rise: { ...rise, calm: 0, until: span.end } });
      return;
    }
    const calm = rise.calm + 1;
    if (calm < CALM_BUCKETS[this.#rule.unit]) {
      this.#set({ rise: { ...rise, calm } });
      return;
    }
    const whole: Span = { start: rise.onset, end: rise.until };
    this.#say({ kind: 'over', at, onset: rise.onset, span: whole, posts: this.#postsIn(whole) });
    this.#set({ rise: null, from: span.end });
  }

  /** Known Posts of whole buckets. */
  #postsIn({ start, end }: Span): number {
    let sum = 0;
    for (const day of this.#state.days) {
      const { edges } = localDay(this.#table, day.start, this.#rule.unit);
      day.counts.forEach((count, i) => {
        if ((edges[i] ?? NaN) >= start && (edges[i] ?? NaN) < end) sum += count ?? 0;
      });
    }
    return sum;
  }

  #judgeSilence(
    { start, end }: Span,
    count: number | null,
    usual: number | null,
    at: number,
  ): void {
    if (count !== 0 || usual === null) {
      this.#set({ empty: null });
      return;
    }
    const run = this.#state.empty ?? { since: start, usual: 0, rang: false };
    const expected = run.usual + usual;
    const rings = !run.rang && expected >= LEAST_SILENCE;
    const span = { start: run.since, end };
    if (rings) this.#say({ kind: 'silence', at, onset: run.since, span, usual: expected });
    this.#set({
      empty: { since: run.since, usual: expected, rang: run.rang || rings },
      silent: rings ? end : this.#state.silent,
    });
  }

  #judgeLowDay({ start, end }: LocalDay, { counts, usual }: WatchedDay, at: number): void {
    const expected = usual?.reduce((sum, each) => sum + each, 0) ?? 0;
    // The day on which the alert began is not whole.
    if (start < this.#state.from || expected < LEAST_LOW_DAY || counts.includes(null)) return;
    const posts = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
    const low = posts < LOW_DAY * expected;
    // A silence of the day has said it.
    if (low && !this.#state.low && (this.#state.silent ?? -Infinity) <= start) {
      this.#say({
        kind: 'low-day',
        at,
        onset: start,
        bucket: { start, end },
        posts,
        usual: expected,
      });
    }
    this.#set({ low });
  }

  /** Marks buckets as unknown. */
  #forget({ start, end }: Span): void {
    this.#reach(Math.min(end, this.#now) - 1);
    this.#state.days.forEach((day, d) => {
      const { edges } = localDay(this.#table, day.start, this.#rule.unit);
      if ((edges.at(-1) ?? 0) <= start || day.start >= end) return;
      const counts = day.counts.map((count, i) =>
        (edges[i] ?? 0) < end && (edges[i + 1] ?? 0) > start ? null : count,
      );
      this.#changeDay(d, { counts });
    });
  }

  /** The changes of a step by bucket, in order of time. */
  #changesOf({ at, posts }: AlertStep): BucketChange[] {
    const out = new Map<number, BucketChange>();
    for (const change of posts ?? []) {
      if (!Number.isInteger(change.posts)) {
        throw new RangeError(`expected a whole number of Posts, got ${change.posts}`);
      }
      if (!(change.created <= this.#now + SKEW_MS)) continue;
      const created = Math.min(change.created, this.#now);
      const day = this.#layoutOf(created);
      const start = day.edges[bucketAt(day.edges, created)] ?? NaN;
      const bucket = out.get(start) ?? { created: start, timely: 0, late: 0, deleted: 0 };
      if (change.posts < 0) bucket.deleted -= change.posts;
      // By the clock of the step: one that was set back makes no Post late.
      else if (at - created > LATEST_MS) bucket.late += change.posts;
      else bucket.timely += change.posts;
      out.set(start, bucket);
    }
    return [...out.values()].sort((a, b) => a.created - b.created);
  }

  #apply({ created, timely, late, deleted }: BucketChange): void {
    this.#close(Math.min(this.#now, created), this.#now);
    this.#reach(created);
    const d = this.#dayAt(created);
    const day = this.#state.days[d];
    if (!day) return;
    const layout = this.#layoutOf(created);
    const i = bucketAt(layout.edges, created);
    const before = day.counts[i] ?? null;
    if (before === null) return;
    const posts = Math.max(0, before + timely + late - deleted);
    const counts = day.counts.map((count, k) => (k === i ? posts : count));
    const lates =
      late === 0 ? day.late : counts.map((_, k) => (day.late?.[k] ?? 0) + (k === i ? late : 0));
    this.#changeDay(d, { counts, late: lates });
    const { empty } = this.#state;
    if (empty && timely + late > 0 && created >= empty.since) this.#set({ empty: null });
    const usual = day.usual?.[i];
    if (usual === undefined || this.#rule.direction !== 'rise') return;
    const bucket: Span = { start: created, end: layout.edges[i + 1] ?? NaN };
    const ringing = Math.max(0, posts - (lates?.[i] ?? 0));
    if (timely > 0) this.#judgeRise({ bucket, posts: ringing, usual }, this.#rule.factor);
    if (late > 0) this.#judgeLate({ bucket, posts, usual }, this.#rule.factor);
  }

  #judgeRise({ bucket, posts, usual }: BucketPosts, factor: number): void {
    const { rise, from } = this.#state;
    const rate = (posts / (bucket.end - bucket.start)) * HOUR_MS;
    const running = bucket.end > this.#now;
    if (rise) {
      if (rise.stronger || bucket.start < rise.onset || rate < STRONGER * rise.announced) return;
      const onset = rise.onset;
      this.#say({ kind: 'stronger', at: this.#now, onset, bucket, posts, usual, running });
      this.#set({ rise: { ...rise, stronger: true } });
    } else if (bucket.start >= from && posts >= barOf(usual, factor)) {
      const onset = bucket.start;
      this.#say({ kind: 'rise', at: this.#now, onset, bucket, posts, usual, running });
      this.#set({
        rise: { onset, announced: rate, stronger: false, calm: 0, until: bucket.end },
      });
    }
  }

  #judgeLate({ bucket, posts, usual }: BucketPosts, factor: number): void {
    const { rise, from, found } = this.#state;
    const onset = bucket.start;
    if (onset < from || (rise && onset >= rise.onset) || found.includes(onset)) return;
    if (posts < barOf(usual, factor)) return;
    // Buckets in a row are one event.
    const isFirst = !found.some((each) => each < onset && this.#next(each) === onset);
    if (isFirst) this.#say({ kind: 'found-later', at: this.#now, onset, bucket, posts, usual });
    this.#set({ found: [...found, onset] });
  }

  /** Start of the bucket after the one that begins at an instant. */
  #next(start: number): number {
    const day = localDay(this.#table, start, this.#rule.unit);
    return day.edges[bucketAt(day.edges, start) + 1] ?? NaN;
  }

  #say(message: AlertMessage): void {
    this.#messages.push(message);
  }
}

/**
 * Takes one step: judges the buckets that are over, then the Posts that arrived.
 *
 * The messages depend on the steps with changes alone, not on how often the time is passed in between, nor on a restart
 * from the state. A running bucket that already has the Posts of a rise rings at once; a later deletion withdraws
 * nothing. Posts of a time before the days that the state has, or after now, are ignored.
 *
 * @returns The state after it, which shares what did not change, and the messages in order.
 * @throws {RangeError} if a number of Posts is not whole.
 */
export function stepAlert(
  rule: AlertRule,
  state: AlertState,
  step: AlertStep,
): { state: AlertState; messages: AlertMessage[] } {
  return new Stepping(rule, state, Math.max(state.at, step.at)).run(step);
}
