import { firstIndex } from '#core/first-index.ts';
import { ceilTo, floorTo, type Granularity } from '#core/time/bucket.ts';
import { DAY_MS, without, type Span } from '#core/time/span.ts';
import type { Known } from './known-counts.ts';
import { dayOf, type DayWindow } from './day-windows.ts';

/** The counts that a view needs, and those already known. */
export interface Look {
  /** The stretch shown. */
  readonly view: Span;
  /** The time that a source covers now. */
  readonly reach: Span;
  /** The source's own time, epoch ms. */
  readonly now: number;
  /**
   * The time that {@link Known.at} is compared with: the earlier of the source's and the service's;
   * epoch ms.
   */
  readonly settleNow: number;
  /** For each granularity that serves the view: the known stretches of a valid generation, ascending. */
  readonly known: readonly (readonly Known[])[];
  /** Age at which the newest counts are stale; 0 requests them at once. */
  readonly freshMs: number;
  readonly settleMs: number;
}

/** Longest time between the end of an answer with the newest counts and the answer's own time. */
const HEAD_LAG_MS = 120_000;

/** The newest known stretch, if its answer reached up to the time of the request; else null. */
export function lastHead(lists: Look['known']): Known | null {
  let newest: Known | null = null;
  for (const list of lists) {
    const last = list.at(-1);
    if (last && (!newest || last.to > newest.to)) newest = last;
  }
  return newest && newest.at - newest.to <= HEAD_LAG_MS ? newest : null;
}

/** End of the newest known counts if their answer is still fresh; else null. */
function freshHead(look: Look): number | null {
  const head = lastHead(look.known);
  return head && look.settleNow - head.at < look.freshMs ? head.to : null;
}

const ASK = 0;
const DUE = 1;
/** Unsettled, and not due for settling yet. */
const WAITING = 2;
const SETTLED = 3;

/** The days of a view from `first` on, and the state of each. */
interface Days {
  readonly first: number;
  readonly start: number;
  readonly end: number;
  readonly states: Uint8Array;
}

/** Raises the states of days to what one list knows of them. */
function read(list: readonly Known[], { first, start, end, states }: Days, look: Look): void {
  const due = dayOf(look.settleNow - look.settleMs);
  const raise = (from: number, to: number, at: number): void => {
    const settled = Math.min(to, Math.max(from, dayOf(at - look.settleMs)));
    if (from < settled) states.fill(SETTLED, from - first, settled - first);
    for (let day = settled; day < to; day += 1) {
      const state = day < due ? DUE : WAITING;
      if (state > (states[day - first] ?? 0)) states[day - first] = state;
    }
  };
  let joined = -Infinity;
  list.forEach(({ from, to, at }, i) => {
    if (to <= start || from >= end) return;
    const whole = from <= start ? first : Math.ceil(from / DAY_MS);
    const until = to >= end ? first + states.length : dayOf(to);
    if (whole < until) raise(whole, until, at);
    // The day in which this stretch ends may be covered by it together with the following ones.
    if (to >= end || until === joined || until * DAY_MS >= to) return;
    joined = until;
    const part = {
      start: Math.max(start, until * DAY_MS),
      end: Math.min(end, (until + 1) * DAY_MS),
    };
    let covered = part.start;
    let oldest = Infinity;
    for (let next = i; covered < part.end; next += 1) {
      const known = list[next];
      if (!known || known.from > covered) return;
      covered = known.to;
      oldest = Math.min(oldest, known.at);
    }
    raise(until, until + 1, oldest);
  });
}

/**
 * The UTC days to request, as stretches, ascending: days never requested; the newest ones if they are
 * stale; and days due for settling, if their whole unsettled stretch is due or is requested anyway.
 * Days out of reach are never requested.
 */
export function stretchesToAsk(look: Look): DayWindow[] {
  const start = Math.max(look.view.start, look.reach.start);
  const end = Math.min(look.view.end, look.reach.end, freshHead(look) ?? Infinity);
  if (start >= end) return [];
  const first = dayOf(start);
  const states = new Uint8Array(Math.ceil(end / DAY_MS) - first);
  for (const list of look.known) read(list, { first, start, end, states }, look);
  const out: DayWindow[] = [];
  const take = (from: number, to: number): void => {
    if (from < to) out.push({ from: first + from, to: first + to });
  };
  for (let i = 0; i < states.length; i += 1) {
    let begin = i;
    let waits = false;
    for (; i < states.length && states[i] !== SETTLED; i += 1) waits ||= states[i] === WAITING;
    for (let k = begin; k < i; k += 1) {
      if (!waits || states[k] === ASK) continue;
      take(begin, k);
      begin = k + 1;
    }
    take(begin, i);
  }
  return out;
}

/** The days of {@link stretchesToAsk}: numbers, ascending. */
export function daysToAsk(look: Look): number[] {
  return stretchesToAsk(look).flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, i) => from + i),
  );
}

/** Spans in any order, joined where they touch. */
function joined(spans: readonly Span[]): Span[] {
  const out: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else out.push({ start, end });
  }
  return out;
}

/**
 * The spans of {@link stretchesToAsk}, to the bucket: without the parts of those days that are known
 * and not due for settling. For sources whose pages are shorter than a day, where a whole day would
 * take several requests.
 *
 * @param taken - Spans not to request, in any order, epoch ms.
 * @returns Whole buckets, the last one cut at the end of the source's reach; ascending, disjoint.
 */
export function spansToAsk(look: Look, granularity: Granularity, taken: readonly Span[]): Span[] {
  const { view, reach, now, settleMs, known } = look;
  const start = Math.max(floorTo(view.start, granularity), ceilTo(reach.start, granularity));
  const head = Math.min(reach.end, freshHead(look) ?? Infinity);
  const end = Math.min(ceilTo(view.end, granularity), head);
  const days = stretchesToAsk(look).map(({ from, to }) => ({
    start: Math.max(start, from * DAY_MS),
    end: Math.min(end, to * DAY_MS),
  }));
  const due = dayOf(now - settleMs) * DAY_MS;
  const good = known.flat().flatMap(({ from, to, at }) => {
    const settled = dayOf(at - settleMs) * DAY_MS;
    return [
      { start: from, end: Math.min(to, settled) },
      { start: Math.max(from, due), end: to },
    ];
  });
  const whole = joined([...good.filter((span) => span.start < span.end), ...taken]).flatMap(
    (span) => {
      const known = {
        start: ceilTo(span.start, granularity),
        end: span.end >= end ? span.end : floorTo(span.end, granularity),
      };
      return known.start < known.end ? [known] : [];
    },
  );
  return without(
    days.filter((span) => span.start < span.end),
    whole,
  );
}

/** True if a day can be requested and nothing of it is known. */
export function neverAsked(look: Look): (day: number) => boolean {
  return (day) => {
    const start = day * DAY_MS;
    const end = start + DAY_MS;
    if (end <= look.reach.start || start >= look.reach.end) return false;
    return look.known.every((list) => {
      const next = firstIndex(0, list.length, (i) => (list[i]?.to ?? Infinity) > start);
      return (list[next]?.from ?? Infinity) >= end;
    });
  };
}
