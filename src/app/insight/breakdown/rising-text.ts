import type { Rising } from '#app/api/breakdown-api.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { MOST_RISING_DAYS } from '#contract/counts/breakdown.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { DAY_MS, HOUR_MS, SECOND_MS, type Span } from '#core/time/span.ts';
import { localDayAfter, type ZoneTable } from '#core/time/zone.ts';
import { timesWords } from '#app/insight/drawer/drawer-text.ts';
import { account } from '#core/query/values.ts';

/** A line of a list: what rises, and its curve. */
export interface RisingLine {
  readonly name: string;
  readonly clause: string;
  /** The size of its highest peak, and when that is. */
  readonly text: string;
  readonly counts: Float64Array;
}

export interface RisingList {
  readonly heading: string;
  readonly lines: readonly RisingLine[];
}

/**
 * The part of a window that a source has Posts in, at most its latest 400 days; null if that is none.
 *
 * @param source - Null if it is not known yet.
 */
export function searchedSpan(
  window: Span,
  source: Pick<SourceInfo, 'first' | 'last'> | null,
  table: ZoneTable,
): Span | null {
  if (!source?.first || !source.last) return null;
  const [first, last] = [Date.parse(source.first), Date.parse(source.last)];
  if (last < window.start || first >= window.end) return null;
  const end = Math.min(window.end, last + SECOND_MS);
  const start = Math.max(
    window.start,
    localDayAfter(table, first, 0),
    localDayAfter(table, end, 1 - MOST_RISING_DAYS),
  );
  return { start: start - (start % SECOND_MS), end: Math.ceil(end / SECOND_MS) * SECOND_MS };
}

/** Days of 24 hours drift from those of the zone by at most as much. */
const DRIFT_MS = 2 * HOUR_MS;

/** The days of the zone that a peak by days of 24 hours has; the last day may be running. */
function daysOf(peak: { readonly start: string; readonly end: string }, table: ZoneTable): Span {
  const start = localDayAfter(table, Date.parse(peak.start) + DRIFT_MS, 0);
  const end = localDayAfter(table, Date.parse(peak.end) - DRIFT_MS, 1);
  return { start, end: Math.max(end, localDayAfter(table, start, 1)) };
}

/** The lists of what rises that have something to say. */
export function risingLists(data: Rising, table: ZoneTable, format: Formatter): RisingList[] {
  const daily = data.bucket_ms >= DAY_MS;
  const linesOf = (items: Rising['words'], nameOf = (name: string): string => name): RisingLine[] =>
    items.flatMap(({ name, clause, alone, peak, counts }) => {
      const { start, end, posts, expected } = peak;
      const span = daily ? daysOf(peak, table) : { start: Date.parse(start), end: Date.parse(end) };
      const times = timesWords(posts, expected, format);
      const size = times
        ? `${times} the usual`
        : `${format.count(posts)} Posts, usually ${expected > 0 ? 'hardly any' : 'none'}`;
      const line = {
        name: nameOf(name),
        clause,
        text: `${size} · ${format.span(span)}`,
        counts: Float64Array.from(counts, (count) => count ?? Number.NaN),
      };
      return alone ? [line] : [];
    });
  const lists = [
    { heading: 'Words', lines: linesOf(data.words) },
    { heading: 'Hashtags', lines: linesOf(data.hashtags) },
    { heading: 'Accounts', lines: linesOf(data.authors, account) },
  ];
  return lists.filter(({ lines }) => lines.length > 0);
}
