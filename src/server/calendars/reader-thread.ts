import type { Span } from '#core/time/span.ts';
import { CalendarError } from './blocks.ts';
import { expandItems, type CalendarTimes } from './expand.ts';
import { holidayCountries, holidaysIcs } from './holidays.ts';
import { readCalendar, type ReadCalendar } from './items.ts';
import { namedZone, UTC_ZONE } from './zones.ts';

/** The facts about a calendar that need no zone. */
export interface CalendarFacts extends Pick<ReadCalendar, 'name' | 'notes'> {
  readonly events: number;
}

export interface ExpandOrder {
  readonly span: Span;
  /** IANA name of the zone of dates, and of times without one. */
  readonly zone: string;
  /** Most occurrences. */
  readonly most: number;
}

type OnLine = (line: number) => void;

/**
 * Reads calendars in a thread: one of five megabytes takes a second, and the library never returns from some rules that
 * no day meets. Both of these methods throw {@link CalendarError} as `readCalendar`. Holidays are computed here too.
 */
export type CalendarReader = ReturnType<typeof CALENDAR_READER.open>;

export const CALENDAR_READER = {
  name: 'calendars',
  // A calendar of the largest size, parsed, takes some 100 MB.
  limits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
  ended: 'The thread that reads calendars ended unexpectedly.',
  errors: { CalendarError },
  open: () => ({
    countries: holidayCountries,
    holidays: holidaysIcs,
    /** @param skipped - Lines of parts to leave out. @param onLine - Called with the line of the part that is read next. */
    read: async (
      text: string,
      skipped: readonly number[],
      onLine: OnLine,
    ): Promise<CalendarFacts> => {
      const { name, notes, items } = readCalendar(text, 'UTC', skipped, onLine);
      return { name, notes, events: items.length };
    },
    expand: async (
      text: string,
      { span, zone, most }: ExpandOrder,
      skipped: readonly number[],
      onLine: OnLine,
    ): Promise<CalendarTimes> => {
      const { items } = readCalendar(text, zone, skipped, onLine);
      return expandItems(items, { span, board: namedZone(zone) ?? UTC_ZONE, most, onLine });
    },
  }),
};
