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

/** A note of the service about one or more events that it left out for the same reason. */
const OMITTED = /^Line \d+(?: and (\d+) more)?: .*\bleft out\b/;
/** The note that there are others, some of which may be of events that were left out. */
const UNSAID = /^\d+ more lines? ha(?:s|ve) other problems\.$/;

/** `“Launches” was added, with 12 events. 1 event was left out: …` */
export function addedText({
  name,
  events,
  notes,
}: Pick<CalendarInfo, 'name' | 'events' | 'notes'>): string {
  const added = `“${name}” was added, with ${plural(events, 'event')}.`;
  const left = notes
    .map((note) => OMITTED.exec(note))
    .reduce((sum, found) => sum + (found ? 1 + Number(found[1] ?? 0) : 0), 0);
  if (left === 0) return added;
  const least = notes.some((note) => UNSAID.test(note)) ? 'At least ' : '';
  const verb = left === 1 ? 'was' : 'were';
  return `${added} ${least}${plural(left, 'event')} ${verb} left out: Settings › Sources › Calendars says why.`;
}
