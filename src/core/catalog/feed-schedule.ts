import { nextTime } from '#core/time/cron.ts';

/** The times at which a feed is read, as its merchant states them. */
export interface FeedSchedule {
  readonly frequency: 'HOURLY' | 'DAILY' | 'WEEKLY';
  /** Every how many hours, which divide a day, or a weekday such as `MONDAY`; null for a daily feed. */
  readonly repeat: string | null;
  /** HH:MM, the clock's time of a run. */
  readonly start_time: string;
  /** IANA name. */
  readonly time_zone: string;
}

const DAY_HOURS = 24;

/** All hours of the clock at which a feed is read. */
function hoursOf({ frequency, repeat }: FeedSchedule, first: number): number[] {
  if (frequency !== 'HOURLY') return [first];
  const every = Number(repeat);
  if (!Number.isInteger(every) || every < 1 || DAY_HOURS % every !== 0) {
    throw new RangeError(`expected hours that divide a day, got ${repeat}`);
  }
  return Array.from({ length: DAY_HOURS / every }, (_, i) => (first + i * every) % DAY_HOURS);
}

/**
 * The first run of a schedule after an instant. A time that the clock skips is the first moment after it; of a time that
 * it shows twice, the first one.
 *
 * @param after - Epoch ms.
 * @returns Epoch ms.
 * @throws {@link RangeError} for an hourly schedule whose hours do not divide a day.
 */
export function nextRun(schedule: FeedSchedule, after: number): number {
  const [hour = 0, minute = 0] = schedule.start_time.split(':').map(Number);
  const weekday = schedule.frequency === 'WEEKLY' ? String(schedule.repeat).slice(0, 3) : '*';
  const pattern = `${minute} ${hoursOf(schedule, hour).join(',')} * * ${weekday}`;
  const next = nextTime(pattern, schedule.time_zone, after);
  if (next === null) throw new RangeError(`expected a run of ${pattern} after ${after}, got none`);
  return next;
}
