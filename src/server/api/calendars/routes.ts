import { CALENDARS, type CalendarInfo } from '#contract/accounts/calendars.ts';
import { invalidRequest } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { CalendarError } from '#server/calendars/blocks.ts';
import type { StoredCalendar } from '#server/calendars/calendar-table.ts';
import { namedZone } from '#server/calendars/zones.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import { shownName } from '#server/http/sent-file.ts';
import { explained } from '#server/http/explained.ts';
import type { Route } from '#server/http/serve.ts';
import type { ServiceContext } from '#server/context.ts';

function infoOf({ id, name, url, events, readAt, fault, notes }: StoredCalendar): CalendarInfo {
  const host = (url !== null && new URL(url).hostname) || null;
  return { id, name, host, events, read_at: formatInstant(readAt), fault, notes: [...notes] };
}

/** A mistake keeps its sentence. */
const MISTAKES = [CalendarError, FetchError];

/** `/calendars`: the calendars of the service, and their events of a time. */
export function calendarRoutes({ http, calendars }: ServiceContext): Route[] {
  return [
    http.serve(CALENDARS.list, () => ({ calendars: calendars.list().map(infoOf) })),
    http.serve(CALENDARS.addFile, async ({ body: { name, text } }) => ({
      calendar: infoOf(await explained(MISTAKES, () => calendars.addFile(shownName(name), text))),
    })),
    http.serve(CALENDARS.addAddress, async ({ body: { url } }) => ({
      calendar: infoOf(await explained(MISTAKES, () => calendars.addAddress(url))),
    })),
    http.serve(CALENDARS.countries, async () => ({ countries: await calendars.countries() })),
    http.serve(CALENDARS.addHolidays, async ({ body: { country, region } }) => ({
      calendar: infoOf(await explained(MISTAKES, () => calendars.addHolidays({ country, region }))),
    })),
    http.serve(CALENDARS.remove, ({ params: { id } }) => ({ removed: calendars.remove(id) })),
    http.serve(CALENDARS.restore, async ({ params: { id } }) => ({
      restored: await explained(MISTAKES, () => calendars.restore(id)),
    })),
    http.serve(CALENDARS.events, async ({ query: { start_time, end_time, zone } }) => {
      if (!namedZone(zone)) throw invalidRequest('zone', zone, 'expected the name of a time zone');
      const { events, lacks } = await calendars.between({ start: start_time, end: end_time }, zone);
      return {
        events: events.map(({ id, start, end, title, detail, url, calendar }) => ({
          id,
          start: formatInstant(start),
          end: end === null ? null : formatInstant(end),
          title,
          detail,
          url,
          calendar,
        })),
        lacks,
      };
    }),
  ];
}
