import { plural } from '#core/format/plural.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';

/** A duration in the largest unit that fits twice: `119 minutes`, `47 hours`, `2 days`; at least one minute. */
export function roughDuration(ms: number, round: (n: number) => number = Math.round): string {
  if (ms < 2 * HOUR_MS) return plural(Math.max(1, round(ms / MINUTE_MS)), 'minute');
  if (ms < 2 * DAY_MS) return plural(round(ms / HOUR_MS), 'hour');
  return plural(round(ms / DAY_MS), 'day');
}
