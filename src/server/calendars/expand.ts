import type ICAL from 'ical.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import type { CalendarItem, WallStamp } from './items.ts';
import { floatingTime, wallOf, type CalendarZone } from './zones.ts';

/** An occurrence of an event of a calendar. */
export interface ExpandedOccurrence {
  /** The same for the same occurrence at every time, also after it was moved. */
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null for a moment. */
  readonly end: number | null;
  readonly title: string;
  readonly detail: string;
  readonly url: string | null;
}

/** Most steps through the repetitions of a calendar: the library takes some 50 µs for each. */
const MOST_STEPS = 200_000;
/** Most of those steps that one event may take before the time that is asked for: 19 years of workdays. */
const MOST_BEFORE = 5000;
/** More than any offset from UTC. */
const REACH_MS = 2 * DAY_MS;

/** The stretches of local time that rules of a frequency repeat in, where all are equally long. */
const PERIODS: Readonly<Partial<Record<string, number>>> = {
  SECONDLY: SECOND_MS,
  MINUTELY: MINUTE_MS,
  HOURLY: HOUR_MS,
  DAILY: DAY_MS,
  WEEKLY: 7 * DAY_MS,
};

/** The time between two repetitions of a rule that has them at equal distances, ms of local time; null if it has not. */
function distanceOf({ freq, interval, parts }: ICAL.Recur): number | null {
  const period = PERIODS[freq];
  return period === undefined || Object.keys(parts).length > 0 ? null : period * interval;
}

/** The last local time of a rule, in the zone of what it repeats; Infinity if it never ends or has to be counted. */
function lastOf(rule: ICAL.Recur, { wall: start, isDate, zone }: WallStamp): number {
  const { until, count } = rule;
  const distance = distanceOf(rule);
  const counted = count && distance !== null ? start + (count - 1) * distance : Infinity;
  if (!until) return counted;
  const wall = wallOf(until);
  // By RFC 5545 both are dates or both are times; many programs mix them.
  if (until.isDate) return Math.min(counted, isDate ? wall : wall + DAY_MS - 1);
  const local = until.zone?.tzid === 'UTC' ? zone.wall(wall) : wall;
  return Math.min(counted, isDate ? Math.floor(local / DAY_MS) * DAY_MS : local);
}

/** False for a day that the library puts in the place of one that a month does not have, such as March 1 for February 30. */
function isMeant(rule: ICAL.Recur, wall: number, start: number): boolean {
  const { freq, parts } = rule;
  const [at, first] = [new Date(wall), new Date(start)];
  const by = (name: string): readonly (number | string)[] | undefined =>
    (parts as Record<string, readonly (number | string)[]>)[name];
  const months = by('BYMONTH');
  if (months && !months.map(Number).includes(at.getUTCMonth() + 1)) return false;
  const days = by('BYMONTHDAY');
  if (days) {
    const length = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0)).getUTCDate();
    const wanted = days.map((day) => (Number(day) < 0 ? length + 1 + Number(day) : Number(day)));
    return wanted.includes(at.getUTCDate());
  }
  const isByDay = ['BYDAY', 'BYYEARDAY', 'BYWEEKNO'].some((name) => by(name));
  if (isByDay || (freq !== 'YEARLY' && freq !== 'MONTHLY')) return true;
  return (
    at.getUTCDate() === first.getUTCDate() &&
    (freq === 'MONTHLY' || months !== undefined || at.getUTCMonth() === first.getUTCMonth())
  );
}

/**
 * The local times of a rule from about `from` on.
 *
 * @param step - Called before each step.
 */
function* repeated(
  rule: ICAL.Recur,
  start: WallStamp,
  from: number,
  step: () => void,
): Generator<number> {
  const endless = rule.clone();
  const last = lastOf(rule, start);
  const count = distanceOf(rule) === null ? rule.count : null;
  // Typed as present, though a rule has at most one of them.
  Object.assign(endless, { until: null, count: null });
  const period = PERIODS[rule.freq];
  let begin = start.wall;
  if (period !== undefined && !count && from > begin) {
    // Whole periods earlier, the same rule has the same times.
    const round = period * Math.max(1, rule.interval);
    begin += Math.max(0, Math.floor((from - begin) / round) - 1) * round;
  }
  const times = endless.iterator(floatingTime(begin, start.isDate));
  let found = 0;
  for (let before = 0; ;) {
    step();
    // The types leave out that the end has no time.
    const time = times.next() as ICAL.Time | null;
    if (!time) return;
    const wall = wallOf(time);
    // Not a number after the last year that there is.
    if (!(wall <= last)) return;
    if (wall < from && ++before > MOST_BEFORE) throw new TooFar();
    if (!isMeant(rule, wall, start.wall)) continue;
    yield wall;
    found += 1;
    if (count && found >= count) return;
  }
}

/**
 * Equal for equal times, and for equal dates.
 *
 * @param asDate - True to compare only dates: Outlook writes exceptions of whole days as times.
 */
function keyOf({ wall, isDate, zone }: WallStamp, asDate = isDate): string {
  return asDate ? `d${Math.floor(wall / DAY_MS)}` : String(zone.instant(wall));
}

/** The dates and times at which an event occurs between two local times, each once. */
function* datesOf(
  item: CalendarItem,
  from: number,
  to: number,
  step: () => void,
): Generator<WallStamp> {
  const { start, rules, dates } = item;
  const without = new Set(item.without.map((each) => keyOf(each, each.isDate || start.isDate)));
  const seen = new Set<string>();
  const isNew = (stamp: WallStamp): boolean => {
    const key = keyOf(stamp);
    const isExcluded = without.has(key) || without.has(keyOf(stamp, true)) || seen.has(key);
    seen.add(key);
    return !isExcluded;
  };
  for (const stamp of rules.length === 0 ? [start, ...dates] : dates) {
    if (stamp.wall >= from && stamp.wall <= to && isNew(stamp)) yield stamp;
  }
  for (const rule of rules) {
    for (const wall of repeated(rule, start, from, step)) {
      if (wall > to) break;
      const stamp = { ...start, wall };
      if (wall >= from && isNew(stamp)) yield stamp;
    }
  }
}

/** The instants of an occurrence. */
function instantsOf(
  { days, ms }: CalendarItem,
  { wall, isDate, zone }: WallStamp,
  board: CalendarZone,
): Pick<ExpandedOccurrence, 'start' | 'end'> {
  const start = (isDate ? board : zone).instant(wall);
  if (isDate) return { start, end: board.instant(wall + days * DAY_MS) };
  const end = (days > 0 ? zone.instant(wall + days * DAY_MS) : start) + ms;
  return { start, end: end > start ? end : null };
}

/** The largest of numbers, which are too many for arguments; 0 if none is larger. */
function largest(numbers: readonly number[]): number {
  return numbers.reduce((most, each) => Math.max(most, each), 0);
}

class Cut extends Error {
  override readonly name = 'Cut';
}

/** An event repeats too often before a time to be followed to it. */
class TooFar extends Error {
  override readonly name = 'TooFar';
}

export interface CalendarTimes {
  readonly occurrences: readonly ExpandedOccurrence[];
  readonly isCut: boolean;
  readonly failed: readonly number[];
  readonly far: readonly number[];
}

interface ExpandOptions {
  readonly span: Span;
  readonly board: CalendarZone;
  /** Most occurrences. */
  readonly most: number;
  /** Called with the line of each event before it is expanded, which for some takes forever. */
  readonly onLine: (line: number) => void;
}

/**
 * The occurrences of events that begin, or last, in a span, in no order.
 *
 * @returns With `isCut` where there are more, or to find them takes too many steps; with the lines of events whose
 *   repetition the library cannot follow in `failed`, and of those that repeat too often before the span in `far`.
 */
export function expandItems(
  items: readonly CalendarItem[],
  { span, board, most, onLine }: ExpandOptions,
): CalendarTimes {
  const byUid = new Map<string, CalendarItem[]>();
  for (const item of items) {
    const group = byUid.get(item.uid);
    if (group) group.push(item);
    else byUid.set(item.uid, [item]);
  }
  const occurrences: ExpandedOccurrence[] = [];
  /** The ids in use, each with the last number after it. */
  const ids = new Map<string, number>();
  const failed: number[] = [];
  const far: number[] = [];
  let steps = 0;
  const step = (): void => {
    if (++steps > MOST_STEPS) throw new Cut();
  };
  const add = (item: CalendarItem, stamp: WallStamp, id: string): void => {
    if (item.cancelled) return;
    const { start, end } = instantsOf(item, stamp, board);
    if (start >= span.end || (end === null ? start < span.start : end <= span.start)) return;
    if (occurrences.length >= most) throw new Cut();
    let unique = id;
    let n = ids.get(id) ?? 1;
    while (ids.has(unique)) unique = `${id} ${++n}`;
    ids.set(unique, 1).set(id, n);
    const { title, detail, url } = item;
    occurrences.push({ id: unique, start, end, title, detail, url });
  };
  const idOf = ({ uid }: CalendarItem, { wall }: WallStamp): string =>
    `${uid} ${new Date(wall).toISOString().slice(0, 19)}`;
  const addAll = (group: readonly CalendarItem[]): void => {
    const hasDays = group.some(({ replaces, start }) => !replaces && start.isDate);
    const replaced = new Set<string>();
    /** The items that replace an occurrence and all later ones, and by how much they move them, ms of local time. */
    const onwards: { readonly at: number; readonly item: CalendarItem; readonly shift: number }[] =
      [];
    for (const item of group) {
      const { replaces, start } = item;
      if (!replaces) continue;
      replaced.add(keyOf(replaces, hasDays || replaces.isDate));
      const at = replaces.zone.instant(replaces.wall);
      const shift = start.wall - (start.isDate ? replaces.wall : start.zone.wall(at));
      if (item.onwards) onwards.push({ at, item, shift });
      add(item, start, idOf(item, replaces));
    }
    onwards.sort((a, b) => b.at - a.at);
    const longest = largest(group.map(({ days, ms }) => days * DAY_MS + ms));
    const reach = REACH_MS + largest(onwards.map(({ shift }) => Math.abs(shift)));
    const from = span.start - longest - reach;
    for (const item of group) {
      if (item.replaces) continue;
      onLine(item.line);
      const isSingle = item.rules.length === 0 && item.dates.length === 0;
      try {
        for (const stamp of datesOf(item, from, span.end + reach, step)) {
          if (replaced.has(keyOf(stamp)) || replaced.has(keyOf(stamp, true))) continue;
          const id = isSingle ? item.uid : idOf(item, stamp);
          const change = onwards.find(({ at }) => at <= stamp.zone.instant(stamp.wall));
          if (!change) add(item, stamp, id);
          else add(change.item, { ...change.item.start, wall: stamp.wall + change.shift }, id);
        }
      } catch (error) {
        if (error instanceof Cut) throw error;
        (error instanceof TooFar ? far : failed).push(item.line);
      }
    }
  };
  try {
    for (const group of byUid.values()) addAll(group);
    return { occurrences, isCut: false, failed, far };
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    return { occurrences, isCut: true, failed, far };
  }
}
