import { hash } from 'node:crypto';
import ICAL from 'ical.js';
import { errorMessage } from '#core/thrown.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { blocksOf, type Block } from './blocks.ts';
import { definedZone, namedZone, otherZone, UTC_ZONE, type CalendarZone } from './zones.ts';

/** A date or a time of a calendar. */
export interface WallStamp {
  /** The time that the clock of its zone shows, as if it were UTC, epoch ms. */
  readonly wall: number;
  readonly isDate: boolean;
  readonly zone: CalendarZone;
}

/** An event of a calendar, or one that replaces one of its occurrences. */
export interface CalendarItem {
  readonly line: number;
  readonly uid: string;
  readonly start: WallStamp;
  /** Its length: first local days, then ms. Both 0 for a moment. */
  readonly days: number;
  readonly ms: number;
  readonly rules: readonly ICAL.Recur[];
  /** Further occurrences. */
  readonly dates: readonly WallStamp[];
  /** Occurrences that do not take place. */
  readonly without: readonly WallStamp[];
  /** The occurrence that it replaces; null if none. */
  readonly replaces: WallStamp | null;
  /** True if it also replaces all later ones. */
  readonly onwards: boolean;
  readonly cancelled: boolean;
  readonly title: string;
  readonly detail: string;
  readonly url: string | null;
}

/** The content of a calendar. */
export interface ReadCalendar {
  /** Empty if it has none. */
  readonly name: string;
  readonly items: readonly CalendarItem[];
  /** The parts that could not be used as they are, and why: a sentence each, with the line. */
  readonly notes: readonly string[];
}

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(Z?)|T:*)?$/;
const MOST_TITLE = 300;
const MOST_DETAIL = 1000;
/** Most characters of an id and of an address, which each occurrence has: an answer has thousands. */
const MOST_UID = 255;
const MOST_URL = 2000;
/** Most characters of a reason, which may quote a line, and most sentences of a calendar. */
const MOST_REASON = 200;
const MOST_NOTES = 20;

/** A text in one line. */
function lineOf(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** Sentences about lines; those about many lines with the same reason are one. */
function noting() {
  const reasons = new Map<string, { readonly line: number; more: number }>();
  let unsaid = 0;
  return {
    note: (line: number, reason: string): void => {
      const what = lineOf(reason, MOST_REASON);
      const known = reasons.get(what);
      if (known) known.more += 1;
      else if (reasons.size < MOST_NOTES) reasons.set(what, { line, more: 0 });
      else unsaid += 1;
    },
    notes: (): string[] => [
      ...Array.from(reasons, ([what, { line, more }]) => {
        const others = more === 0 ? '' : ` and ${more} more`;
        return `Line ${line}${others}: ${what}`;
      }),
      ...(unsaid > 0
        ? [`${unsaid} more ${unsaid === 1 ? 'line has' : 'lines have'} other problems.`]
        : []),
    ],
  };
}

interface Reading {
  /** The zone of a name; null if it is unknown. */
  readonly zoneOf: (name: string) => CalendarZone | null;
  /** The zone of what has none. */
  readonly board: CalendarZone;
  readonly note: (line: number, what: string) => void;
}

/** @throws {@link RangeError} if the text of a value is no date or time that exists. */
function readWall(text: string): Omit<WallStamp, 'zone'> & { readonly isUtc: boolean } {
  const [, year, month, day, hour, minute, second, utc = ''] = FORM.exec(text) ?? [];
  const isDate = hour === undefined;
  const [h, m, s] = [Number(hour ?? 0), Number(minute ?? 0), Number(second ?? 0)];
  const midnight = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const isThere = new Date(midnight).getUTCDate() === Number(day) && Number(month) <= 12;
  if (!isThere || h > 23 || m > 59 || s > 60) {
    throw new RangeError('it has a date or a time that does not exist.');
  }
  const wall = midnight + h * HOUR_MS + m * MINUTE_MS + s * SECOND_MS;
  return { wall, isDate, isUtc: utc !== '' };
}

/** The dates and times of a property. @throws {@link RangeError} as {@link readWall}. */
function stampsOf(property: ICAL.Property, line: number, reading: Reading): WallStamp[] {
  const tzid = String(property.getParameter('tzid') ?? '');
  const [, , , ...values] = property.toJSON() as [string, object, string, ...unknown[]];
  return values.map((value) => {
    // Of a period, the start.
    const [text = ''] = [value].flat();
    const { isUtc, ...stamp } = readWall(String(text).split('/', 1)[0] ?? '');
    if (isUtc) return { ...stamp, zone: UTC_ZONE };
    const named = tzid === '' || stamp.isDate ? null : reading.zoneOf(tzid);
    if (!stamp.isDate && !named) {
      reading.note(
        line,
        tzid === ''
          ? 'the time has no zone, so it is shown at that time in the zone of the board.'
          : `the zone “${lineOf(tzid, 60)}” is unknown, so its times are shown in the zone of the board.`,
      );
    }
    return { ...stamp, zone: named ?? reading.board };
  });
}

/** The length of an event (RFC 5545, sections 3.6.1 and 3.8.2.5). */
function lengthOf(
  component: ICAL.Component,
  start: WallStamp,
  line: number,
  reading: Reading,
): Pick<CalendarItem, 'days' | 'ms'> {
  const property = component.getFirstProperty('dtend');
  const [end] = property ? stampsOf(property, line, reading) : [];
  if (end) {
    if (start.isDate) {
      return { days: Math.max(1, Math.round((end.wall - start.wall) / DAY_MS)), ms: 0 };
    }
    const ms = end.zone.instant(end.wall) - start.zone.instant(start.wall);
    return { days: 0, ms: Math.max(0, ms) };
  }
  const length = component.getFirstPropertyValue('duration');
  if (!(length instanceof ICAL.Duration)) return { days: start.isDate ? 1 : 0, ms: 0 };
  const { weeks, days, hours, minutes, seconds, isNegative } = length;
  const whole = weeks * 7 + days;
  if (isNegative) return { days: start.isDate ? 1 : 0, ms: 0 };
  if (start.isDate) return { days: Math.max(1, whole), ms: 0 };
  return { days: whole, ms: hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS };
}

/** An id, or the digest of one that is too long. */
function uidOf(uid: string): string {
  return uid.length > MOST_UID ? hash('sha256', uid) : uid;
}

function itemOf({ text, line }: Block, reading: Reading): CalendarItem {
  const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
  const textOf = (name: string): string => String(component.getFirstPropertyValue(name) ?? '');
  const allOf = (name: string): WallStamp[] =>
    component.getAllProperties(name).flatMap((each) => stampsOf(each, line, reading));
  const [start] = allOf('dtstart');
  if (!start) throw new RangeError('it has no start (DTSTART).');
  const title = lineOf(textOf('summary'), MOST_TITLE) || 'Event without a title';
  const url = textOf('url');
  const replaced = component.getFirstProperty('recurrence-id');
  const rules = component.getAllProperties('rrule').map((each) => {
    const rule = each.getFirstValue();
    if (!(rule instanceof ICAL.Recur)) throw new RangeError('its repetition cannot be read.');
    return rule;
  });
  return {
    line,
    uid: uidOf(textOf('uid')) || `${title} ${new Date(start.wall).toISOString()}`,
    start,
    ...lengthOf(component, start, line, reading),
    rules,
    dates: allOf('rdate'),
    without: allOf('exdate'),
    replaces: (replaced && stampsOf(replaced, line, reading)[0]) ?? null,
    onwards: replaced?.getParameter('range') === 'THISANDFUTURE',
    cancelled: textOf('status').toUpperCase() === 'CANCELLED',
    title,
    detail: lineOf(
      ['location', 'description'].map(textOf).filter(Boolean).join(' · '),
      MOST_DETAIL,
    ),
    url: url.length <= MOST_URL && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : null,
  };
}

/** The text of a property of the calendar itself. */
function propertyText({ text }: Block): string {
  try {
    return String(ICAL.Property.fromString(text).getFirstValue());
  } catch {
    return '';
  }
}

/**
 * Reads an iCalendar file. An event with a mistake is left out, and a note says why.
 *
 * @param zone - IANA name of the zone of dates, and of times without one.
 * @param skipped - Lines of blocks to leave out without a note.
 * @param onLine - Called with the line of each block before it is read, which for some takes forever.
 * @throws {@link CalendarError} if it is no calendar.
 */
export function readCalendar(
  text: string,
  zone: string,
  skipped: readonly number[] = [],
  onLine: (line: number) => void = () => {},
): ReadCalendar {
  const blocks = blocksOf(text).filter(({ line }) => !skipped.includes(line));
  const { note, notes } = noting();
  const board = namedZone(zone) ?? UTC_ZONE;
  const defined = new Map<string, Block>();
  for (const block of blocks) {
    const [, tzid] = (block.name === 'VTIMEZONE' && /^TZID[^:]*:(.*)$/im.exec(block.text)) || [];
    if (tzid !== undefined) defined.set(tzid.trim(), block);
  }
  const zones = new Map<string, CalendarZone | null>();
  const findZone = (name: string): CalendarZone | null => {
    // IANA's tables reach further than the library follows a definition.
    const named = namedZone(name);
    const block = defined.get(name);
    if (named || !block) return named ?? otherZone(name);
    onLine(block.line);
    try {
      const found = definedZone(new ICAL.Component(ICAL.parse(block.text) as unknown[]));
      found.instant(0);
      return found;
    } catch {
      return null;
    }
  };
  const zoneOf = (name: string): CalendarZone | null => {
    if (!zones.has(name)) zones.set(name, findZone(name));
    return zones.get(name) ?? null;
  };
  const items: CalendarItem[] = [];
  for (const block of blocks) {
    if (block.name !== 'VEVENT') continue;
    onLine(block.line);
    try {
      items.push(itemOf(block, { zoneOf, board, note }));
    } catch (error) {
      note(block.line, `an event was left out: ${errorMessage(error)}`);
    }
  }
  const named = ['NAME', 'X-WR-CALNAME'].map((name) => {
    const block = blocks.find((each) => each.name === name);
    return block ? propertyText(block) : '';
  });
  return { name: lineOf(named.find(Boolean) ?? '', 100), items, notes: notes() };
}
