import type { PlatformAnswer } from '#contract/platform.ts';
import { leftOf } from '#app/board/state/left.ts';
import { budgetWords, pagesFor, perhapsWords } from '#app/format/cost-text.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { countdown, plural, type Formatter } from '#app/format/formatter.ts';

/** What of a run its status tells. */
export type RunStatus = Pick<Run, 'phase' | 'progress' | 'wait' | 'plan' | 'made' | 'elsewhere'>;

/** Where the words are said. */
export interface StatusContext {
  /** Epoch ms. */
  readonly clock: number;
  readonly zone: string;
  readonly platform: PlatformAnswer | null;
  readonly words: Formatter;
}

function waitWords(wait: NonNullable<RunStatus['wait']>, context: StatusContext): string {
  const { clock, zone, platform, words } = context;
  const left = countdown(wait.until - clock);
  switch (wait.reason) {
    case 'limit':
      return `waiting ${left} for the limit`;
    case 'busy':
      return `the source is busy, trying again in ${left}`;
    case 'cut':
      return `the service cannot reach the platform, trying again in ${left}`;
    case 'away':
      return `the service does not answer, trying again in ${left}`;
    case 'confirm':
      return `an empty answer is asked again in ${left}`;
    case 'budget':
      return budgetWords(wait.until, platform, clock, words, zone);
  }
}

/** `21 of 36 pages · $0.15 left · perhaps $0.02 more`. */
function pagesWords(run: RunStatus, words: Formatter): string {
  const { done, total } = run.progress;
  const pages = total > 0 ? `${done} of ${plural(total, 'page')}` : 'Asking';
  const money = total > 0 ? (leftOf(run)?.money ?? 0) : 0;
  const left = money > 0 ? `${words.money(money)} left` : '';
  return [pages, left, perhapsWords(run.made, words)].filter(Boolean).join(' · ');
}

/** `Paused at 21 of 36 pages · $0.15 left`; of a page opened again, what is left alone. */
function pausedWords(run: RunStatus, words: Formatter): string {
  const { progress, plan } = run;
  if (progress.total > 0) return `Paused at ${pagesWords(run, words)}`;
  return plan ? `Paused, ${pagesFor(plan.recent + plan.all, plan.money, words)} left` : 'Paused';
}

/** What is happening to a series, in a line; empty where nothing is. */
export function statusWords(run: RunStatus, context: StatusContext): string {
  const { words } = context;
  if (run.elsewhere && run.phase !== 'paused' && run.phase !== 'planned') {
    const { done, total } = run.elsewhere;
    return `Another tab is fetching: ${done} of ${plural(total, 'page')}`;
  }
  switch (run.phase) {
    case 'reading':
      return 'Reading what is kept here';
    case 'planned': {
      const pages = run.plan ? run.plan.recent + run.plan.all : 0;
      const waits = `${pagesFor(pages, run.plan?.money ?? 0, words)} ${pages === 1 ? 'waits' : 'wait'} for your word`;
      return [waits, perhapsWords(run.made, words)].filter(Boolean).join(' · ');
    }
    case 'paused':
      return `${pausedWords(run, words)}. Stays paused when this page is opened again.`;
    case 'fetching': {
      const pages = pagesWords(run, words);
      return run.wait ? `${pages} · ${waitWords(run.wait, context)}` : pages;
    }
    default:
      return '';
  }
}
