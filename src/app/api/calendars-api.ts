import { CALENDARS } from '#contract/accounts/calendars.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';

/** An event of a calendar, in epoch ms. */
interface CalendarOccurrence {
  readonly id: string;
  readonly start: number;
  /** Exclusive; null for a moment. */
  readonly end: number | null;
  readonly title: string;
  readonly detail: string;
  readonly url: string | null;
  /** Name of the calendar. */
  readonly calendar: string;
}

/** Reads the calendars of the service. Both throw as `Client.json`. */
export type CalendarsApi = ReturnType<typeof calendarsApi>;

export function calendarsApi(client: Pick<Client, 'json'>) {
  return {
    /** True if the service has a calendar. */
    any: async (signal: AbortSignal): Promise<boolean> => {
      const { path, answer } = CALENDARS.list;
      const { calendars } = await client.json(path, answer, { signal, impatient: true });
      return calendars.length > 0;
    },
    /**
     * The events that begin, or last, in a span, and the reasons events are missing, a sentence each.
     *
     * @param zone - IANA name of the zone of dates, and of times without one.
     */
    events: async ({ start, end }: Span, zone: string, signal: AbortSignal) => {
      const { path, answer } = CALENDARS.events;
      const query = new URLSearchParams({
        start_time: formatInstant(start),
        end_time: formatInstant(end),
        zone,
      });
      const options = { signal, impatient: true };
      const { events, lacks } = await client.json(`${path}?${query}`, answer, options);
      return {
        events: events.map((event): CalendarOccurrence => ({
          ...event,
          start: Date.parse(event.start),
          end: event.end === null ? null : Date.parse(event.end),
        })),
        lacks,
      };
    },
  };
}
