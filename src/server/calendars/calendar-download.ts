import { MOST_CALENDAR_BYTES } from '#contract/accounts/calendars.ts';
import { SECOND_MS } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import type { Machine } from '#server/machine.ts';
import { CalendarError } from './blocks.ts';
import type { CalendarTable } from './calendar-table.ts';
import type { HolidayPlace } from './holidays.ts';

/** The time that a download may take, ms. */
const DOWNLOAD_MS = 30 * SECOND_MS;

const MIB = 1024 * 1024;
export const TOO_SLOW = 'The calendar takes too long to read.';
export const TOO_FAR = 'this event repeats too often before this time, so it is missing.';
const TOO_LARGE = `The calendar is larger than ${MOST_CALENDAR_BYTES / MIB} MiB.`;

/** The parts that calendars use. */
export interface CalendarsDeps extends Pick<Machine, 'host' | 'timer' | 'every' | 'now' | 'log'> {
  readonly table: CalendarTable;
  readonly fetcher: Pick<Fetcher, 'check' | 'stream'>;
}

/** SQLite's driver would end a text at a character 0, which no calendar may have. */
export function storable(text: string): string {
  return text.replaceAll('\0', '');
}

/** Requires a file that is not too large. */
export function checkCalendarSize(bytes: number): void {
  if (bytes > MOST_CALENDAR_BYTES) throw new CalendarError(TOO_LARGE);
}

/** Downloads a calendar. @throws {@link FetchError}; {@link CalendarError} if the answer is none of its size. */
export async function downloadCalendar(
  { fetcher, timer }: Pick<CalendarsDeps, 'fetcher' | 'timer'>,
  url: string,
  closing: AbortSignal,
): Promise<string> {
  const late = new AbortController();
  const signal = AbortSignal.any([late.signal, closing]);
  const cancel = timer(DOWNLOAD_MS, () => late.abort());
  try {
    const headers = { accept: 'text/calendar', 'accept-encoding': 'identity' };
    const answer = await fetcher.stream({ url, headers, signal });
    try {
      if (answer.status !== 200) {
        throw new FetchError('status', `The host answered with status ${answer.status}.`);
      }
      const parts: Buffer[] = [];
      let bytes = 0;
      for await (const part of answer.body) {
        checkCalendarSize((bytes += part.length));
        parts.push(part);
      }
      return storable(Buffer.concat(parts).toString('utf8'));
    } finally {
      answer.discard();
    }
  } catch (error) {
    if (!late.signal.aborted) throw error;
    const seconds = DOWNLOAD_MS / SECOND_MS;
    throw new FetchError('timeout', `The host took longer than ${seconds} seconds.`);
  } finally {
    cancel();
  }
}

/** The address of holidays, which are computed instead of downloaded. */
export const HOLIDAYS = 'holidays:';

/** The address by which the holidays of a place are stored. */
export function holidaysUrl({ country, region }: HolidayPlace): string {
  return HOLIDAYS + [country, region].filter((code) => code !== null).join('/');
}
