import type { Plan } from '#app/counts/cache/records.ts';
import { DAY_MS } from '#core/time/span.ts';

const END = Date.UTC(2026, 10, 21, 19);

/** A plan for three years by hour, with nothing fetched yet. */
export const plan = (over: Partial<Plan> = {}): Plan => ({
  granularity: 'hour',
  span: { start: END - 1097 * DAY_MS, end: END },
  recent: 0,
  all: 36,
  money: 0.36,
  leastMs: 35_000,
  bytes: 236_000,
  days: 1097,
  owned: 0,
  held: 0,
  minuteBytes: 11_600_000,
  ...over,
});
