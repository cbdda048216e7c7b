import type { ChartMark } from '#app/chart/chart-props.ts';
import type { Span } from '#core/time/span.ts';
import type { DatedChange, Seam } from '#core/counts/seams.ts';
import type { Formatter } from '#app/format/formatter.ts';

/** What of a run is marked on the chart. */
export interface Marked {
  readonly seams: readonly Seam[];
  readonly changes: readonly DatedChange[];
}

/** Operators are many words; two stand on the chart, and the picture's summary has all. */
function shortOf(text: string): string {
  return text.replace(/^min_\w+.* (withdrawn|back)$/, 'operators $1');
}

/**
 * The dates that concern the series shown and lie in the window, ascending, each once: changes of the platform,
 * and where counts of two of its indexes adjoin. Their dates are the platform's own, UTC.
 */
export function marksOf(runs: readonly Marked[], window: Span, words: Formatter): ChartMark[] {
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
      const date = words.date(instant, 'UTC');
      return {
        at: instant,
        text: `${date}: ${[...texts].map(shortOf).join(', ')}`,
        full: `${date}: ${[...texts].join(', ')}`,
      };
    });
}
