import { Cron } from 'croner';
import { errorMessage } from '#core/thrown.ts';

/**
 * The first time of a pattern after an instant. A time that the clock skips is the first moment after it; of a time that
 * it shows twice, the first one.
 *
 * @param pattern - Minute, hour, day of the month, month and weekday, as cron has them.
 * @param zone - IANA name.
 * @param after - Epoch ms.
 * @returns Epoch ms; null if there is no such time, as on 30 February.
 * @throws {RangeError} if the pattern cannot be read, or the zone is unknown.
 */
export function nextTime(pattern: string, zone: string, after: number): number | null {
  try {
    const cron = new Cron(pattern, {
      timezone: zone,
      mode: '5-part',
      // Without that rule, hours that are listed are left out where the clock skips them, and repeated where it repeats them.
      fixedTimeRule: 'no-wildcard',
    });
    return cron.nextRun(new Date(after))?.getTime() ?? null;
  } catch (error) {
    const why = errorMessage(error);
    throw new RangeError(`expected a cron pattern in a zone, got ${pattern} in ${zone}: ${why}`);
  }
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** The time at which a schedule runs that names none: before the working day, after the night's imports. */
const DEFAULT_TIME = '06:00';

/** Days of a pattern by word: day of the month, month, weekday. */
function daysOf(word: string): string | null {
  const weekday = WEEKDAYS.indexOf(word);
  if (weekday >= 0) return `* * ${weekday}`;
  if (word === 'day') return '* * *';
  if (word === 'weekdays') return '* * 1-5';
  return word === 'month' ? '1 * *' : null;
}

/** The words of {@link schedulePattern}, for messages. */
export const SCHEDULE_WORDS = ['hour', 'day', 'weekdays', ...WEEKDAYS.slice(1), 'sunday', 'month'];

/**
 * The cron pattern of a schedule as people type it: `hour`; `day`, `weekdays`, a weekday or `month`, with or without a
 * time such as `07:30`; or a pattern of five parts.
 *
 * @returns Null for anything else. A pattern's parts are not checked: see {@link nextTime}.
 */
export function schedulePattern(text: string): string | null {
  const parts = text.trim().toLowerCase().split(/\s+/);
  if (parts.length === 5) return parts.join(' ');
  const [word = '', time = DEFAULT_TIME, ...rest] = parts;
  if (word === 'hour') return parts.length === 1 ? '0 * * * *' : null;
  const days = daysOf(word);
  const [, hour, minute] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (days === null || rest.length > 0 || minute === undefined) return null;
  return `${Number(minute)} ${Number(hour)} ${days}`;
}
