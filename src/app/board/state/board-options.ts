import type { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import type { PlatformAnswer } from '#contract/platform.ts';
import type { SourceInfo } from '#contract/source.ts';
import type { WeekStart } from '#core/time/resolution.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { ViewSeries } from './view.ts';

/** What the board needs of the world. */
export interface BoardOptions {
  /**
   * A run for one series.
   *
   * @param name - What its plan is called.
   * @param gate - Where it waits with it.
   */
  run(name: () => string, gate: PlanApproval): Run;
  /** What can be counted from; `offline` where that was remembered, not asked. */
  sources(): Promise<{ sources: readonly SourceInfo[]; offline: boolean; signedOut?: boolean }>;
  /** The platform's settings and what was spent; asked where it is among the sources. */
  platform(): Promise<PlatformAnswer>;
  now(): number;
  readonly zone: string;
  /** 1 Monday, 7 Sunday: the user's. */
  readonly weekStart: WeekStart;
  /** `setTimeout`. */
  later(act: () => void, ms: number): unknown;
}

/** The queries that a first visit finds on the sample, with names made for them. */
export const SAMPLE_SERIES: readonly ViewSeries[] = [
  { query: '"oat milk" OR #oatmilk', label: 'Oat milk', hidden: false },
  { query: 'matcha', label: 'Matcha', hidden: false },
  { query: '"cold brew"', label: 'Cold brew', hidden: false },
];

/** Whether a label is what a query is called where the user gave it no name: then it goes with the query. */
export function isDerived(label: string, query: string): boolean {
  return SAMPLE_SERIES.some((one) => one.query === query && one.label === label);
}
