import type { Plan } from '#app/counts/cache/records.ts';
import { DAY_MS } from '#core/time/span.ts';

/** A plan of `all` pages of the archive, by hour, at the public price. */
export function planned(all: number, over: Partial<Plan> = {}): Plan {
  return {
    granularity: 'hour',
    span: { start: 0, end: DAY_MS },
    recent: 0,
    all,
    money: all / 100,
    leastMs: 1_000 * Math.max(0, all - 1),
    bytes: 6_500 * all,
    days: 31 * all,
    owned: 0,
    held: 0,
    minuteBytes: 320_000 * all,
    ...over,
  };
}
