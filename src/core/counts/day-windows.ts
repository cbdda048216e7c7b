import { DAY_MS } from '#core/time/span.ts';

/** Whole UTC days, `to` exclusive, in days since 1970-01-01. */
export interface DayWindow {
  readonly from: number;
  readonly to: number;
}

/** The UTC day that contains an instant, in days since 1970-01-01. */
export function dayOf(instant: number): number {
  return Math.floor(instant / DAY_MS);
}

/**
 * Plans the fewest windows that cover a need, each from its first to its last needed day: a request
 * covers at most a page of whole UTC days and costs the same however many it covers.
 *
 * @param need - Stretches of needed days, ascending, disjoint.
 * @returns Newest first, disjoint, none longer than `pageDays`.
 * @throws {RangeError} if a page has no day.
 */
export function cover(need: readonly DayWindow[], pageDays: number): DayWindow[] {
  if (!Number.isInteger(pageDays) || pageDays < 1) {
    throw new RangeError(`expected a page of at least one whole day, got ${pageDays}`);
  }
  const tight: DayWindow[] = [];
  let i = need.length - 1;
  let to = need[i]?.to ?? 0;
  while (i >= 0) {
    const floor = to - pageDays;
    let from = to;
    let next = to;
    for (let stretch = need[i]; stretch && next > floor; stretch = need[i]) {
      from = Math.max(floor, stretch.from);
      next = from;
      if (stretch.from < floor) break;
      i -= 1;
      next = need[i]?.to ?? -Infinity;
    }
    tight.push({ from, to });
    to = next;
  }
  return tight;
}

/**
 * Extends windows into days that were never requested, which costs nothing: half of the spare length on
 * each side, then on either, never over a neighbour.
 *
 * @param tight - Newest first, disjoint, none longer than a page.
 * @param growable - Whether a day outside the need was never requested and can be, by the window it
 *   would join.
 */
export function growWindows<W extends DayWindow>(
  tight: readonly W[],
  growable: (day: number, window: W) => boolean,
  pageDays: number,
): W[] {
  const out: W[] = [];
  tight.forEach((window, i) => {
    const { from, to } = window;
    const floor = tight[i + 1]?.to ?? -Infinity;
    const ceiling = out[i - 1]?.from ?? Infinity;
    const spare = pageDays - (to - from);
    let left = 0;
    while (left < spare && from - left > floor && growable(from - left - 1, window)) left += 1;
    let right = 0;
    while (right < spare && to + right < ceiling && growable(to + right, window)) right += 1;
    const half = Math.min(left, Math.floor(spare / 2));
    const after = Math.min(right, spare - half);
    out.push({ ...window, from: from - Math.min(left, spare - after), to: to + after });
  });
  return out;
}
