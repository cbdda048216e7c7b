import { call, type EndpointClient } from '#app/api/endpoint-call.ts';
import { calendarAddress } from '#app/import/file-kind.ts';
import { CALENDARS, MOST_CALENDAR_BYTES, type CalendarInfo } from '#contract/accounts/calendars.ts';
import { plainProblem } from '#contract/fault.ts';
import { plural } from '#core/format/plural.ts';

const MIB = 1024 ** 2;

/**
 * Adds the calendar of a file, or the one at the address that is all that a file has.
 *
 * @throws {@link Fault} with a sentence, also if the file is too large.
 */
export async function addCalendarFile(client: EndpointClient, file: File): Promise<CalendarInfo> {
  if (file.size > MOST_CALENDAR_BYTES) {
    const most = MOST_CALENDAR_BYTES / MIB;
    throw plainProblem(413, 'Content Too Large', `“${file.name}” is larger than ${most} MiB.`);
  }
  const text = await file.text();
  const url = calendarAddress(text);
  const { calendar } =
    url === null
      ? await call(client, CALENDARS.addFile, { body: { name: file.name, text } })
      : await call(client, CALENDARS.addAddress, { body: { url } });
  return calendar;
}

/** `“Launches” was added, with 12 events.` */
export function addedText({ name, events }: Pick<CalendarInfo, 'name' | 'events'>): string {
  return `“${name}” was added, with ${plural(events, 'event')}.`;
}
