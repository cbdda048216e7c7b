import type { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { OwnViews } from './own-views.ts';
import type { ViewSeries } from './view.ts';

/** The parts that the board needs from its surroundings. */
export interface BoardOptions {
  /**
   * Makes a run for one series.
   *
   * @param name - The name shown with its plan.
   * @param approval - The approval for which the plan waits.
   */
  run(name: () => string, approval: PlanApproval): Run;
  /** The sources to count from; `offline` if the answer comes from this browser, not from the service. */
  sources(): Promise<{ sources: readonly SourceInfo[]; offline: boolean; signedOut?: boolean }>;
  /** The platform's settings and spending; requested only if the platform is among the sources. */
  platform(): Promise<PlatformAnswer>;
  /** Absent: those of this page only. */
  readonly ownViews?: OwnViews;
  now(): number;
  readonly zone: string;
  /** The user's first day of the week: 1 is Monday, 7 is Sunday. */
  readonly weekStart: WeekStart;
  /** `setTimeout`. */
  later(act: () => void, ms: number): unknown;
}

/** The queries a first visit shows on the sample, with prepared names. */
export const SAMPLE_SERIES: readonly ViewSeries[] = [
  { query: '"oat milk" OR #oatmilk', label: 'Oat milk', hidden: false },
  { query: 'matcha', label: 'Matcha', hidden: false },
  { query: '"cold brew"', label: 'Cold brew', hidden: false },
];

/** Every Post of a source, as one query: the language refuses a query that only leaves out. */
export const ALL_POSTS: ViewSeries = { query: 'min_likes:0', label: 'All Posts', hidden: false };

/** True if a label is the prepared name of a query, not one the user gave: it goes when the query changes. */
export function isDerived(label: string, query: string): boolean {
  return [...SAMPLE_SERIES, ALL_POSTS].some(
    (series) => series.query === query && series.label === label,
  );
}
