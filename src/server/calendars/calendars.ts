import {
  MOST_CALENDAR_EVENTS,
  MOST_CALENDARS,
  type HolidayCountry,
} from '#contract/accounts/calendars.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { errorMessage } from '#core/thrown.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { CalendarError } from './blocks.ts';
import type { CalendarReading, StoredCalendar } from './calendar-table.ts';
import type { ExpandedOccurrence } from './expand.ts';
import type { HolidayPlace } from './holidays.ts';
import { ALL_LINES, patientReader } from './patient-reader.ts';
import {
  HOLIDAYS,
  TOO_SLOW,
  type CalendarsDeps,
  TOO_FAR,
  checkCalendarSize,
  downloadCalendar,
  storable,
  holidaysUrl,
} from './calendar-download.ts';

/** The time between two downloads of an address, and after one that failed, ms. */
const REFRESH_MS = DAY_MS;
const RETRY_MS = HOUR_MS;
/** The time for which a removed calendar can be restored, ms. */
const RESTORABLE_MS = 30 * MINUTE_MS;
/** The time between two looks for what is due, ms. */
const LOOK_MS = SECOND_MS;

/** An occurrence with the name of its calendar. */
export interface NamedOccurrence extends ExpandedOccurrence {
  readonly calendar: string;
}

/** The place of holidays by their address; null for another address. */
function holidayPlace(url: string): HolidayPlace | null {
  if (!url.startsWith(HOLIDAYS)) return null;
  const [country = '', ...region] = url.slice(HOLIDAYS.length).split('/');
  return { country, region: region.length === 0 ? null : region.join('/') };
}

function skippedNote(line: number): string {
  if (line === ALL_LINES) return TOO_SLOW;
  return `Line ${line}: this takes too long to read or to repeat, so it was left out.`;
}

/**
 * The events of all calendars that begin, or last, in a span, by start; and why some are missing, a sentence each.
 *
 * @param zone - IANA name of the zone of dates, and of times without one.
 */
async function eventsBetween(
  { table, log }: Pick<CalendarsDeps, 'table' | 'log'>,
  reader: ReturnType<typeof patientReader>,
  span: Span,
  zone: string,
): Promise<{ readonly events: NamedOccurrence[]; readonly lacks: string[] }> {
  const events: NamedOccurrence[] = [];
  const lacks: string[] = [];
  // Each may fill its share, and what smaller ones leave of theirs: one that repeats each second takes no other's events.
  const all = table.list().sort((a, b) => a.events - b.events);
  for (const [i, { id, name: calendar, skipped, notes }] of all.entries()) {
    const text = table.content(id);
    const most = Math.floor((MOST_CALENDAR_EVENTS - events.length) / (all.length - i));
    const order = { span, zone, most };
    const done = await reader.expand(text, order, skipped).catch((error: unknown) => {
      // The other calendars have their events.
      if (!(error instanceof CalendarError)) log(errorMessage(error));
      lacks.push(`${calendar}: ${errorMessage(error)}`);
    });
    if (!done) continue;
    const { occurrences = [], isCut, failed = [], far = [] } = done.result ?? {};
    const more = [...done.skipped.slice(skipped.length), ...failed];
    if (more.length > 0) {
      table.skip(id, {
        notes: [...notes, ...more.map(skippedNote)],
        skipped: [...skipped, ...more],
      });
    }
    events.push(...occurrences.map((each) => ({ ...each, id: `${id} ${each.id}`, calendar })));
    if (!done.result) lacks.push(`${calendar}: ${TOO_SLOW}`);
    if (isCut) lacks.push(`${calendar} has too many events in this time. Zoom in for all.`);
    lacks.push(...far.map((line) => `${calendar}, line ${line}: ${TOO_FAR}`));
  }
  return { events: events.sort((a, b) => a.start - b.start), lacks };
}

/** Opens the calendars, and downloads those with an address each day, or computes those of holidays. */
export function openCalendars(deps: CalendarsDeps) {
  const { table, fetcher, every, now, log } = deps;
  const reader = patientReader(deps);
  const closing = new AbortController();

  const read = async (text: string, otherName: string): Promise<CalendarReading> => {
    checkCalendarSize(Buffer.byteLength(text));
    const { result, skipped } = await reader.read(text);
    if (!result) throw new CalendarError(TOO_SLOW);
    const { name, events, notes } = result;
    return {
      name: name || otherName,
      events,
      notes: [...notes, ...skipped.map(skippedNote)],
      skipped,
      readAt: now(),
    };
  };
  /** @param url - The address of a calendar that is to be added; null for a file. */
  const checkRoom = (url: string | null): void => {
    const all = table.list();
    if (url !== null && all.some((each) => each.url === url)) {
      throw new CalendarError('This calendar is there already.');
    }
    if (all.length < MOST_CALENDARS) return;
    throw new CalendarError(`There are ${MOST_CALENDARS} calendars already. Remove one first.`);
  };
  const found = (id: string): StoredCalendar => {
    const calendar = table.find(id);
    if (!calendar) throw new RangeError(`expected the id of a calendar, got ${id}`);
    return calendar;
  };

  const add = (reading: CalendarReading, url: string | null, text: string): StoredCalendar => {
    // Others may have been added while this one was read.
    checkRoom(url);
    return found(table.add(reading, url, text));
  };

  /** The text of a calendar with an address. @throws As `download` and `holidaysIcs`. */
  const textAt = async (url: string): Promise<string> => {
    const place = holidayPlace(url);
    if (!place) return await downloadCalendar(deps, url, closing.signal);
    return await reader.holidays(place, now());
  };

  const refresh = async ({ id, url, name }: StoredCalendar): Promise<void> => {
    try {
      const text = await textAt(url ?? '');
      table.read(id, await read(text, name), text);
    } catch (error) {
      if (closing.signal.aborted) return;
      if (!(error instanceof FetchError || error instanceof CalendarError))
        log(errorMessage(error));
      table.fail(id, now(), errorMessage(error));
    }
  };
  let refreshing: Promise<void> | null = null;
  const look = async (): Promise<void> => {
    table.purge(now() - RESTORABLE_MS);
    while (!closing.signal.aborted) {
      const next = table.due(now() - REFRESH_MS, now() - RETRY_MS);
      if (!next) return;
      await refresh(next);
    }
  };
  const stop = every(LOOK_MS, () => {
    refreshing ??= look()
      .catch((error: unknown) => log(errorMessage(error)))
      .finally(() => (refreshing = null));
    return refreshing;
  });

  return {
    list: (): StoredCalendar[] => table.list(),
    /** @param name - Of the file. @throws {@link CalendarError} with the line of the mistake. */
    addFile: async (name: string, given: string): Promise<StoredCalendar> => {
      checkRoom(null);
      const text = storable(given);
      const reading = await read(text, name.replace(/\.(?:ics|ical|ifb)$/i, '') || name);
      return add(reading, null, text);
    },
    /** @throws {@link CalendarError}; {@link FetchError} if the address is refused or cannot be read. */
    addAddress: async (given: string): Promise<StoredCalendar> => {
      const url = given.trim().replace(/^webcals?:/i, 'https:');
      fetcher.check(url);
      checkRoom(url);
      const text = await downloadCalendar(deps, url, closing.signal);
      return add(await read(text, new URL(url).hostname), url, text);
    },
    countries: (): Promise<HolidayCountry[]> => reader.countries(),
    /** @throws {@link CalendarError} if the holidays of the place are not known. */
    addHolidays: async (place: HolidayPlace): Promise<StoredCalendar> => {
      const url = holidaysUrl(place);
      checkRoom(url);
      const text = await textAt(url);
      return add(await read(text, place.country), url, text);
    },
    remove: (id: string): boolean => table.remove(id, now()),
    restore: (id: string): boolean => {
      checkRoom(null);
      return table.restore(id);
    },
    between: (span: Span, zone: string) => eventsBetween(deps, reader, span, zone),
    close: async (): Promise<void> => {
      stop();
      closing.abort();
      // Nothing that it reads is stored from now on.
      await reader.terminate();
      await refreshing;
    },
  };
}
