import * as v from 'valibot';
import { Time } from '#contract/members.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { instant, onlyParameters, pathOf } from '#contract/parameters.ts';

/** Most bytes of a calendar. */
export const MOST_CALENDAR_BYTES = 5 * 1024 * 1024;
/** Most calendars of a service. */
export const MOST_CALENDARS = 20;
/** Most events of an answer. */
export const MOST_CALENDAR_EVENTS = 10_000;

/** JSON escapes each line break of a calendar. */
const MOST_BODY = 2 * MOST_CALENDAR_BYTES + 64 * 1024;

const id = pathOf('id', /^\d{1,15}$/);

export const CalendarInfo = v.object({
  id: v.string(),
  /** As the calendar calls itself, else the name of the file or host. */
  name: v.string(),
  /** The host that it is downloaded from each day; null for a file and for holidays. The rest of an address is often secret. */
  host: v.nullable(v.string()),
  /** Its events, each once however often it repeats. */
  events: v.number(),
  read_at: Time,
  /** The reason the last download failed, a sentence; null if it did not. The events are those of `read_at`. */
  fault: v.nullable(v.string()),
  /** The parts that could not be used as they are, a sentence each. */
  notes: v.array(v.string()),
});
export type CalendarInfo = v.InferOutput<typeof CalendarInfo>;

/** A country whose public holidays are known. */
const HolidayCountry = v.object({
  /** Two letters, in capitals. */
  code: v.string(),
  name: v.string(),
  /** Those that have holidays of their own, by name; the code of a part of a region follows that of the region. */
  regions: v.array(v.object({ code: v.string(), name: v.string() })),
});
export type HolidayCountry = v.InferOutput<typeof HolidayCountry>;

const placeCode = v.pipe(v.string(), v.maxLength(30));

/** An occurrence of an event. */
const CalendarEvent = v.object({
  /** Unique, and the same at every time that it is asked for. */
  id: v.string(),
  start: Time,
  /** Exclusive; null for a moment. */
  end: v.nullable(Time),
  title: v.string(),
  detail: v.string(),
  url: v.nullable(v.string()),
  /** Name of the calendar. */
  calendar: v.string(),
});

const EventsQuery = onlyParameters({
  start_time: v.nonOptional(instant('start_time')),
  end_time: v.nonOptional(instant('end_time')),
  /** IANA name of the zone in which days begin, and of times without a zone. */
  zone: v.pipe(v.string(), v.maxLength(64)),
});

const answer = v.object({ calendar: CalendarInfo });

/** Calendars whose events are under the curve, for the dashboard. All boards of a service have the same. */
export const CALENDARS = {
  list: sessionEndpoint('GET', '/calendars', {
    answer: v.object({ calendars: v.array(CalendarInfo) }),
  }),
  addFile: sessionEndpoint('POST', '/calendars/file', {
    body: v.strictObject({
      /** Name of the file. */
      name: v.pipe(v.string(), v.minLength(1), v.maxLength(300)),
      /** iCalendar, RFC 5545. */
      text: v.string(),
    }),
    maxBody: MOST_BODY,
    answer,
  }),
  /** Downloads a calendar, and again each day. */
  addAddress: sessionEndpoint('POST', '/calendars/address', {
    body: v.strictObject({ url: v.pipe(v.string(), v.minLength(1), v.maxLength(4000)) }),
    answer,
  }),
  /** The countries whose public holidays are known. */
  countries: sessionEndpoint('GET', '/calendars/holidays', {
    answer: v.object({ countries: v.array(HolidayCountry) }),
  }),
  /** Adds the public holidays of a country, or of a region of it with those of all the country. */
  addHolidays: sessionEndpoint('POST', '/calendars/holidays', {
    body: v.strictObject({ country: placeCode, region: v.nullable(placeCode) }),
    answer,
  }),
  remove: sessionEndpoint('DELETE', '/calendars/:id', {
    params: id,
    answer: v.object({ removed: v.boolean() }),
  }),
  /** Undoes the removal, for 30 minutes. */
  restore: sessionEndpoint('POST', '/calendars/:id/restore', {
    params: id,
    answer: v.object({ restored: v.boolean() }),
  }),
  /** The events that begin, or last, in a time. */
  events: sessionEndpoint('GET', '/calendars/events', {
    query: EventsQuery,
    answer: v.object({
      events: v.array(CalendarEvent),
      /** The reasons events are missing, a sentence each. */
      lacks: v.array(v.string()),
    }),
  }),
};
