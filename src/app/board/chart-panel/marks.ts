import type { ChartMark } from '#app/chart/chart-props.ts';
import type { Span } from '#core/time/span.ts';
import type { DatedChange, Seam } from '#core/counts/seams.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** The parts of a run that the chart marks. */
export interface Marked {
  readonly seams: readonly Seam[];
  readonly changes: readonly DatedChange[];
}

/** Shortens lists of operators for the chart; its text alternative has the full list. */
function shortOf(text: string): string {
  return text.replace(/^min_\w+.* (withdrawn|back)$/, 'operators $1');
}

/**
 * Marks for the dates in the window that affect the shown series, ascending, one per date: changes of the platform,
 * and seams between two of its indexes. The dates are the platform's, in UTC.
 */
export function marksOf(runs: readonly Marked[], window: Span, format: Formatter): ChartMark[] {
  const at = new Map<number, Set<string>>();
  const note = (instant: number, text: string): void => {
    if (instant < window.start || instant >= window.end) return;
    at.set(instant, (at.get(instant) ?? new Set()).add(text));
  };
  for (const { seams, changes } of runs) {
    for (const change of changes) note(change.at, change.text);
    for (const seam of seams) note(seam.at, 'index seam');
  }
  return [...at]
    .sort(([a], [b]) => a - b)
    .map(([instant, texts]) => {
      const date = format.date(instant, 'UTC');
      return {
        at: instant,
        text: `${date}: ${[...texts].map(shortOf).join(', ')}`,
        full: `${date}: ${[...texts].join(', ')}`,
      };
    });
}
