import { DAY_MS, PAGE_DAYS } from '#core/time/span.ts';
import { settledOf, type Known } from './known-counts.ts';
import { dayOf, type DayWindow } from './day-windows.ts';

/** A whole number in `[0, n)`. */
const pick = (n: number, random: () => number): number => Math.min(n - 1, Math.floor(random() * n));

/** Windows of whole days that are settled by now, ascending. */
function settledDays(known: readonly Known[], now: number, settleMs: number): DayWindow[] {
  const reported = known.map((each) => ({ ...each, at: Math.min(each.at, now), generation: 0 }));
  return settledOf(reported, settleMs)
    .map(({ from, to }) => ({ from: Math.ceil(from / DAY_MS), to: dayOf(to) }))
    .filter(({ from, to }) => from < to);
}

/**
 * Chooses settled spans to buy again and compare. It picks a settled day at random, each equally
 * likely, and includes as many fetched days around it as one request covers; then it picks among the
 * remaining days.
 *
 * @param known - Of one granularity, ascending.
 * @param count - The number of windows; fewer if there are not enough settled days.
 * @param random - In `[0, 1)`.
 * @returns Newest first, disjoint, each of settled days alone and at most a page.
 */
export function auditWindows(
  known: readonly Known[],
  now: number,
  settleMs: number,
  count: number,
  random: () => number,
): DayWindow[] {
  let free = settledDays(known, now, settleMs);
  const chosen: DayWindow[] = [];
  while (chosen.length < count && free.length > 0) {
    const days = free.reduce((sum, { from, to }) => sum + to - from, 0);
    let place = pick(days, random);
    const stretch = free.find(({ from, to }) => {
      if (place < to - from) return true;
      place -= to - from;
      return false;
    });
    if (!stretch) break;
    const day = stretch.from + place;
    const latest = Math.max(stretch.from, stretch.to - PAGE_DAYS);
    const from = Math.min(latest, Math.max(stretch.from, day - pick(PAGE_DAYS, random)));
    const window = { from, to: Math.min(stretch.to, from + PAGE_DAYS) };
    chosen.push(window);
    free = free.flatMap((each) =>
      each === stretch
        ? [
            { from: each.from, to: window.from },
            { from: window.to, to: each.to },
          ].filter(({ from: first, to }) => first < to)
        : [each],
    );
  }
  return chosen.sort((a, b) => b.from - a.from);
}
