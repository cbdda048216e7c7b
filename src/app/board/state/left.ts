import { usd } from '#core/counts/price.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** What of a run's plan is not fetched yet, over pauses and reloads; null without a plan. */
export function leftOf({
  plan,
  made,
  progress,
}: Pick<Run, 'plan' | 'made' | 'progress'>): { pages: number; money: number } | null {
  if (!plan) return null;
  const planned = plan.recent + plan.all;
  const [total, done] = progress.total > 0 ? [progress.total, progress.done] : [planned, 0];
  const pages = Math.max(0, total - done);
  return { pages, money: pages === 0 ? 0 : Math.max(0, usd(plan.money - made.money)) };
}
