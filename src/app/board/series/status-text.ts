import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { remainingOf } from '#app/board/state/series.svelte.ts';
import { budgetWords, perhapsWords } from '#app/format/cost-text.ts';
import { pagesFor } from '#app/format/pages-text.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { countdown, type Formatter } from '#app/format/formatter.ts';
import { plural } from '#core/format/plural.ts';

/** The parts of a run that its status shows. */
export type RunStatus = Pick<Run, 'phase' | 'progress' | 'wait' | 'plan' | 'made' | 'elsewhere'>;

/** The facts that the status text needs besides the run. */
export interface StatusContext {
  /** Epoch ms. */
  readonly clock: number;
  readonly zone: string;
  readonly platform: PlatformAnswer | null;
  readonly format: Formatter;
}

function waitWords(wait: NonNullable<RunStatus['wait']>, context: StatusContext): string {
  const { clock, zone, platform, format } = context;
  const remaining = countdown(wait.until - clock);
  switch (wait.reason) {
    case 'limit':
      return `waiting ${remaining} for the rate limit`;
    case 'busy':
      return `the source is busy, retrying in ${remaining}`;
    case 'cut':
      return `the service cannot reach the platform, retrying in ${remaining}`;
    case 'away':
      return `the service does not answer, retrying in ${remaining}`;
    case 'confirm':
      return `checking an empty answer again in ${remaining}`;
    case 'budget':
      return budgetWords(wait.until, platform, clock, format, zone);
  }
}

/** `21 of 36 pages · $0.15 left · perhaps $0.02 more`. */
function pagesWords(run: RunStatus, format: Formatter): string {
  const { done, total } = run.progress;
  const pages = total > 0 ? `${done} of ${plural(total, 'page')}` : 'Requesting';
  const money = total > 0 ? (remainingOf(run)?.money ?? 0) : 0;
  const left = money > 0 ? `${format.money(money)} left` : '';
  return [pages, left, perhapsWords(run.made, format)].filter(Boolean).join(' · ');
}

/** `Paused at 21 of 36 pages · $0.15 left`; after a reload only what is left. */
function pausedWords(run: RunStatus, format: Formatter): string {
  const { progress, plan } = run;
  if (progress.total > 0) return `Paused at ${pagesWords(run, format)}`;
  return plan ? `Paused, ${pagesFor(plan.recent + plan.all, plan.money, format)} left` : 'Paused';
}

/** The progress of a series in a line; empty if nothing is happening. */
export function statusWords(run: RunStatus, context: StatusContext): string {
  const { format } = context;
  if (run.elsewhere && run.phase !== 'paused' && run.phase !== 'planned') {
    const { done, total } = run.elsewhere;
    return `Another tab is fetching: ${done} of ${plural(total, 'page')}`;
  }
  switch (run.phase) {
    case 'reading':
      return 'Reading stored counts';
    case 'planned': {
      const pages = run.plan ? run.plan.recent + run.plan.all : 0;
      const money = run.plan?.money ?? 0;
      const load = money > 0 ? format.money(money) : plural(pages, 'page');
      const waits = `${load} to load · needs your approval`;
      return [waits, perhapsWords(run.made, format)].filter(Boolean).join(' · ');
    }
    case 'paused':
      return `${pausedWords(run, format)}. Stays paused after a reload.`;
    case 'fetching': {
      const pages = pagesWords(run, format);
      return run.wait ? `${pages} · ${waitWords(run.wait, context)}` : pages;
    }
    default:
      return '';
  }
}
