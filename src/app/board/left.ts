import type { Run } from './series.svelte.ts';

/**
 * What of a run's plan is not fetched yet; null without a plan. A run that was paused plans its rest anew,
 * while what it made goes on being counted from its beginning.
 */
export function leftOf({
  plan,
  made,
  progress,
}: Pick<Run, 'plan' | 'made' | 'progress'>): { pages: number; money: number } | null {
  if (!plan) return null;
  const planned = plan.recent + plan.all;
  const [total, done] = progress.total > 0 ? [progress.total, progress.done] : [planned, 0];
  const pages = Math.max(0, total - done);
  const rest = made.requests > done ? (plan.money * pages) / total : plan.money - made.money;
  // Without the dust of binary fractions.
  return { pages, money: pages === 0 ? 0 : Math.max(0, Math.round(rest * 1e6) / 1e6) };
}
