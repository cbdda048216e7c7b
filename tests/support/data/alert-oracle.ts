import { localDay } from '#core/alerts/local-day.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import type { AlertLog } from './alert-logs.ts';
import type { AlertMessage, AlertStep, CountChange } from '#core/alerts/alert-message.ts';

interface Bucket {
  readonly start: number;
  readonly end: number;
  readonly hours: number;
  readonly slot: number;
  readonly weekday: number;
  readonly day: number;
}

/** A change of a bucket's count, or its loss. */
type Fact = { readonly posts: number; readonly late: boolean } | 'lost';

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const meanOf = (values: readonly number[]): number => sumOf(values) / values.length;

/**
 * The messages of an alert by the words of docs/alerts.md. It stores no counts: each is summed from the log up to the
 * moment at which it is needed, and each usual is computed from such counts.
 */
class ExpectedAlert {
  readonly #log: AlertLog;
  readonly #buckets: Bucket[] = [];
  readonly #earlier: ReadonlyMap<number, number>;
  readonly #facts = new Map<Bucket, Fact[]>();
  readonly #usuals = new Map<Bucket, number>();
  readonly #found: Bucket[] = [];
  readonly #factor: number;
  /** The time up to which the counts before the alert are known. */
  readonly #beginning: number;
  readonly messages: AlertMessage[] = [];
  #now: number;
  #seen: number;
  /** The first bucket that is not closed, and the newest day. */
  #open: number;
  #newest: number;
  #ringsFrom: number;
  #rise: {
    onset: number;
    rate: number;
    stronger: boolean;
    calm: number;
    until: number;
  } | null = null;
  #blind: { since: number; rang: boolean } | null = null;
  #empty: { since: number; usual: number; rang: boolean } | null = null;
  #silent = -Infinity;
  #low = false;

  constructor(log: AlertLog) {
    const { rule, earlier, at, horizon, steps } = log;
    this.#log = log;
    this.#factor = rule.direction === 'rise' ? rule.factor : NaN;
    this.#now = at;
    this.#seen = horizon ?? Infinity;
    this.#beginning = Math.min(at, this.#seen);
    this.#earlier = new Map(
      Array.from(earlier.counts, (count, i) => [earlier.bounds[i] ?? NaN, count]),
    );
    const table = zoneTable(rule.zone, { start: at - 100 * DAY_MS, end: at + 40 * DAY_MS });
    const first = Math.min(this.#beginning, earlier.bounds[0] ?? Infinity);
    const last = Math.max(at, ...steps.map((step) => step.at)) + 3 * DAY_MS;
    let start = Math.max(first, this.#beginning - 57 * DAY_MS);
    for (let day = 0; start < last; day += 1) {
      const { edges, slots, weekday, end } = localDay(table, start, rule.unit);
      slots.forEach((slot, i) => {
        const [from = NaN, to = NaN] = [edges[i], edges[i + 1]];
        const hours = (to - from) / HOUR_MS;
        this.#buckets.push({ start: from, end: to, hours, slot, weekday, day });
      });
      start = end;
    }
    const running = this.#at(this.#beginning);
    this.#open = this.#buckets.indexOf(running);
    this.#newest = running.day;
    this.#ringsFrom = running.start;
    this.#learn(this.#newest);
    for (const step of steps) this.#take(step);
  }

  #at(instant: number): Bucket {
    const bucket = this.#buckets.findLast(({ start }) => start <= instant) ?? this.#buckets[0];
    if (!bucket) throw new RangeError(`expected a bucket of ${instant}`);
    return bucket;
  }

  #dayOf(bucket: Bucket): Bucket[] {
    return this.#buckets.filter(({ day }) => day === bucket.day);
  }

  /** The count of a bucket as it is known now; NaN if it is not. */
  #count(bucket: Bucket): number {
    const { start } = bucket;
    let sum = start >= this.#beginning ? 0 : (this.#earlier.get(start) ?? NaN);
    for (const fact of this.#facts.get(bucket) ?? []) {
      sum = fact === 'lost' ? NaN : Math.max(0, sum + fact.posts);
    }
    return sum;
  }

  #add(bucket: Bucket, fact: Fact): void {
    this.#facts.set(bucket, [...(this.#facts.get(bucket) ?? []), fact]);
  }

  /** Computes the usual of the buckets of a day from what is known now. */
  #learn(day: number): void {
    const all = this.#buckets.filter((bucket) => bucket.day >= day - 56 && bucket.day < day);
    const closed = this.#buckets[this.#open]?.start ?? Infinity;
    const rated = all
      .filter(({ start }) => start < closed)
      .map((bucket) => ({ bucket, rate: this.#count(bucket) / bucket.hours }))
      .filter(({ rate }) => !Number.isNaN(rate));
    const sorted = rated.map(({ rate }) => rate).sort((a, b) => a - b);
    const cap = sorted[Math.floor(0.98 * (sorted.length - 1))] ?? NaN;
    const rates = (of: (bucket: Bucket) => boolean): number[] =>
      rated.filter(({ bucket }) => of(bucket)).map(({ rate }) => Math.min(cap, rate));
    const mean = meanOf(rates(() => true));
    const level = meanOf(rates((bucket) => bucket.day >= day - 28));
    const isKnown = all.length > 0 && rated.length >= (28 * all.length) / Math.min(56, day);
    if (!isKnown || Number.isNaN(level)) return;
    const change = meanOf(rates((bucket) => bucket.day >= day - 7)) / level;
    const recent = level * (Number.isNaN(change) ? 1 : Math.min(2, Math.max(0.5, change)));
    const factor = (of: readonly number[]): number =>
      of.length === 0 || mean === 0 ? 1 : meanOf(of) / mean;
    for (const bucket of this.#buckets.filter((each) => each.day === day)) {
      const hour = factor(rates(({ slot }) => slot === bucket.slot));
      const weekday = factor(rates((each) => each.weekday === bucket.weekday));
      this.#usuals.set(bucket, recent * hour * weekday * bucket.hours);
    }
  }

  /** The usual of a bucket, for as long as it is judged. */
  #usual(bucket: Bucket): number {
    return bucket.day > this.#newest - 3 ? (this.#usuals.get(bucket) ?? NaN) : NaN;
  }

  #reach(day: number): void {
    while (this.#newest < day) this.#learn((this.#newest += 1));
  }

  #close(limit: number, known: number | null): void {
    for (;;) {
      const bucket = this.#buckets[this.#open];
      if (!bucket || bucket.end > Math.min(limit, this.#now, this.#seen)) return;
      this.#open += 1;
      const count = bucket.day < this.#newest - 56 ? NaN : this.#count(bucket);
      this.#closeOne(bucket, count, known ?? bucket.end);
      this.#reach(this.#buckets[this.#open]?.day ?? 0);
    }
  }

  #closeOne(bucket: Bucket, count: number, at: number): void {
    const { start, end } = bucket;
    if (Number.isNaN(count)) {
      this.#blind ??= { since: start, rang: false };
      const { since, rang } = this.#blind;
      if (!rang && end - since >= 2 * HOUR_MS) {
        this.messages.push({ kind: 'cannot-see', at, onset: since, span: { start: since, end } });
        this.#blind.rang = true;
      }
    } else this.#blind = null;
    if (this.#log.rule.direction === 'rise') this.#closeRise(bucket, count, at);
    else {
      this.#closeSilence(bucket, count, at);
      if (this.#dayOf(bucket).at(-1) === bucket) this.#closeDay(bucket, at);
    }
  }

  #closeRise(bucket: Bucket, count: number, at: number): void {
    const rise = this.#rise;
    const usual = this.#usual(bucket);
    if (!rise || bucket.start < rise.onset || Number.isNaN(count + usual)) return;
    if (count >= 1 && count >= (1 + (this.#factor - 1) / 4) * usual) {
      rise.calm = 0;
      rise.until = bucket.end;
      return;
    }
    rise.calm += 1;
    if (rise.calm < (this.#log.rule.unit === 'hour' ? 6 : 1)) return;
    const span = { start: rise.onset, end: rise.until };
    const within = this.#buckets.filter(({ start }) => start >= span.start && start < span.end);
    const posts = sumOf(within.map((each) => this.#count(each) || 0));
    this.messages.push({ kind: 'over', at, onset: rise.onset, span, posts });
    this.#rise = null;
    this.#ringsFrom = bucket.end;
  }

  #closeSilence(bucket: Bucket, count: number, at: number): void {
    const { start, end } = bucket;
    const usual = this.#usual(bucket);
    if (count !== 0 || Number.isNaN(usual)) {
      this.#empty = null;
      return;
    }
    this.#empty ??= { since: start, usual: 0, rang: false };
    this.#empty.usual += usual;
    if (this.#empty.rang || this.#empty.usual < 12) return;
    this.#empty.rang = true;
    this.#silent = end;
    const onset = this.#empty.since;
    const span = { start: onset, end };
    this.messages.push({ kind: 'silence', at, onset, span, usual: this.#empty.usual });
  }

  #closeDay(last: Bucket, at: number): void {
    const own = this.#dayOf(last);
    const bucket = { start: own[0]?.start ?? NaN, end: last.end };
    const usual = sumOf(own.map((each) => this.#usual(each)));
    const posts = sumOf(own.map((each) => this.#count(each)));
    if (!(bucket.start >= this.#ringsFrom && usual >= 30) || Number.isNaN(posts)) return;
    const isLow = posts < usual / 4;
    if (isLow && !this.#low && this.#silent <= bucket.start) {
      this.messages.push({ kind: 'low-day', at, onset: bucket.start, bucket, posts, usual });
    }
    this.#low = isLow;
  }

  #take({ at, posts = [], horizon, unknown = [] }: AlertStep): void {
    this.#now = Math.max(this.#now, at);
    this.#close(this.#now, null);
    const open = this.#buckets[this.#open];
    const due = (open?.end ?? Infinity) + 2 * HOUR_MS;
    if (open && this.#seen < Infinity && !this.#blind?.rang && due <= this.#now) {
      const since = this.#blind?.since ?? open.start;
      const span = { start: since, end: due };
      this.messages.push({ kind: 'cannot-see', at: due, onset: since, span });
      this.#blind = { since, rang: true };
    }
    if (horizon !== undefined) this.#seen = horizon ?? Infinity;
    for (const { start, end } of unknown) {
      this.#reach(this.#at(Math.min(end, this.#now) - 1).day);
      for (const bucket of this.#buckets) {
        if (bucket.day > this.#newest || bucket.start >= end || bucket.end <= start) continue;
        this.#add(bucket, 'lost');
      }
    }
    const first = this.#buckets[0]?.start ?? Infinity;
    const changes = new Map<Bucket, CountChange[]>();
    for (const change of posts) {
      if (change.created < first || change.created > this.#now + 60_000) continue;
      const bucket = this.#at(Math.min(change.created, this.#now));
      changes.set(bucket, [...(changes.get(bucket) ?? []), change]);
    }
    for (const [bucket, own] of [...changes].sort(([a], [b]) => a.start - b.start)) {
      this.#close(bucket.start, this.#now);
      this.#reach(bucket.day);
      if (bucket.day >= this.#newest - 56) this.#change(bucket, own, at);
    }
    this.#close(Infinity, this.#now);
  }

  #change(bucket: Bucket, changes: readonly CountChange[], at: number): void {
    if (Number.isNaN(this.#count(bucket))) return;
    const isLate = ({ created }: CountChange): boolean => at - created > 2 * HOUR_MS;
    const arrived = changes.filter(({ posts }) => posts > 0);
    // Within a step, Posts arrive before others are deleted.
    for (const change of changes.toSorted((a, b) => b.posts - a.posts)) {
      this.#add(bucket, {
        posts: change.posts,
        late: arrived.includes(change) && isLate(change),
      });
    }
    if (arrived.length > 0 && this.#empty && bucket.start >= this.#empty.since) this.#empty = null;
    const usual = this.#usual(bucket);
    if (this.#log.rule.direction === 'quiet' || Number.isNaN(usual)) return;
    if (!arrived.every(isLate)) this.#judge(bucket, usual);
    if (arrived.some(isLate)) this.#judgeLate(bucket, usual);
  }

  #judge(bucket: Bucket, usual: number): void {
    const { start, end, hours } = bucket;
    const late = sumOf(
      (this.#facts.get(bucket) ?? []).map((fact) =>
        fact !== 'lost' && fact.late ? fact.posts : 0,
      ),
    );
    const posts = Math.max(0, this.#count(bucket) - late);
    const running = end > this.#now;
    const event = { at: this.#now, bucket: { start, end }, posts, usual, running };
    const rise = this.#rise;
    if (!rise) {
      if (start < this.#ringsFrom || posts < 10 || posts < this.#factor * usual) return;
      this.messages.push({ kind: 'rise', onset: start, ...event });
      this.#rise = { onset: start, rate: posts / hours, stronger: false, calm: 0, until: end };
    } else if (!rise.stronger && start >= rise.onset && posts / hours >= 4 * rise.rate) {
      rise.stronger = true;
      this.messages.push({ kind: 'stronger', onset: rise.onset, ...event });
    }
  }

  #judgeLate(bucket: Bucket, usual: number): void {
    const { start, end } = bucket;
    const posts = this.#count(bucket);
    if (posts < 10 || posts < this.#factor * usual || start < this.#ringsFrom) return;
    if ((this.#rise && start >= this.#rise.onset) || this.#found.includes(bucket)) return;
    const isNext = (each: Bucket): boolean => each.end === start && each.day > this.#newest - 3;
    const before = this.#found.some(isNext);
    if (!before) {
      const span = { start, end };
      const event = { at: this.#now, onset: start, bucket: span, posts, usual };
      this.messages.push({ kind: 'found-later', ...event });
    }
    this.#found.push(bucket);
  }
}

/** The messages that the log of an alert must have. */
export const expectedMessages = (log: AlertLog): readonly AlertMessage[] =>
  new ExpectedAlert(log).messages;

/** Text of a message with the usual in nine digits: sums in another order differ in the last ones. */
function textOf(message: AlertMessage): string {
  const members = Object.entries(message).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members, (_name, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(9) : value,
  );
}

/** The first difference between two lists of messages, or null. */
export function firstDifference(
  got: readonly AlertMessage[],
  expected: readonly AlertMessage[],
): object | null {
  for (let i = 0; i < Math.max(got.length, expected.length); i += 1) {
    const [a, b] = [got[i], expected[i]];
    if (!a || !b || textOf(a) !== textOf(b)) return { message: i, got: a, expected: b };
  }
  return null;
}
