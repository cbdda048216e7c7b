import { CALENDARS } from '#contract/accounts/calendars.ts';
import { formatInstant } from '#contract/instant.ts';
import type { Span } from '#core/time/span.ts';
import type { Client } from './client.ts';

/** An event of a calendar, in epoch ms. */
export interface CalendarOccurrence {
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
export interface CalendarsApi {
  /** True if the service has a calendar. */
  any(signal: AbortSignal): Promise<boolean>;
  /**
   * The events that begin, or last, in a span.
   *
   * @param zone - IANA name of the zone of dates, and of times without one.
   */
  events(
    span: Span,
    zone: string,
    signal: AbortSignal,
  ): Promise<{
    readonly events: readonly CalendarOccurrence[];
    /** The reasons events are missing, a sentence each. */
    readonly lacks: readonly string[];
  }>;
}

export function calendarsApi(client: Pick<Client, 'json'>): CalendarsApi {
  return {
    any: async (signal) => {
      const { path, answer } = CALENDARS.list;
      const { calendars } = await client.json(path, answer, { signal, impatient: true });
      return calendars.length > 0;
    },
    events: async ({ start, end }, zone, signal) => {
      const { path, answer } = CALENDARS.events;
      const query = new URLSearchParams({
        start_time: formatInstant(start),
        end_time: formatInstant(end),
        zone,
      });
      const options = { signal, impatient: true };
      const { events, lacks } = await client.json(`${path}?${query}`, answer, options);
      return {
        events: events.map((event) => ({
          ...event,
          start: Date.parse(event.start),
          end: event.end === null ? null : Date.parse(event.end),
        })),
        lacks,
      };
    },
  };
}
