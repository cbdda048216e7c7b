import { STATE } from '#core/series/series.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { pendingOfAll, pendingWords } from './pending.ts';
import { coveredPart } from './summary.ts';

/** The completeness of the counts in view, in a few words; empty until all series are counted. */
export function completenessWords(
  shown: readonly Pick<InsightSeries, 'summary' | 'curve' | 'kind' | 'pending'>[],
  { end, now }: { readonly end: number; readonly now: number },
): string {
  if (shown.length === 0 || shown.some((series) => !series.summary)) return '';
  const pending = pendingOfAll(shown);
  if (pending) {
    const [first = '', ...rest] = pendingWords(pending);
    return first.toUpperCase() + rest.join('');
  }
  const whole = shown.every(({ summary }) => summary?.share === 1 || summary?.covered === 0);
  if (!whole) return 'Some counts are missing';
  const uncovered = shown.filter(({ summary }) => summary !== null && coveredPart(summary) < 1);
  if (uncovered.length > 0) {
    return uncovered.every((series) => series.kind === 'file')
      ? 'The file covers only part of this time'
      : 'No data for part of this time';
  }
  const open = shown.some((series) => series.curve?.states.includes(STATE.provisional));
  if (open) return 'Complete · latest may change';
  return end > now ? 'Complete · latest still running' : 'Complete';
}
