import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** Pages that a figure still waits for; `total` is 0 before they are planned, and after loading has stopped. */
export interface Pending {
  readonly done: number;
  readonly total: number;
  /** True if the source has changed counts that are shown. */
  readonly outdated: boolean;
}

/**
 * The pages that the figures of a run wait for; null if they are final.
 *
 * @param share - The part of the counts that is known, 0 to 1; of all, only changed ones load again.
 */
export function pendingOf(
  {
    phase,
    progress,
    elsewhere,
    outdated,
  }: Pick<Run, 'phase' | 'progress' | 'elsewhere' | 'outdated'>,
  share: number,
): Pending | null {
  const { done, total } = (phase === 'fetching' ? progress : elsewhere) ?? { done: 0, total: 0 };
  // A single page replaces all counts at once.
  const isFirst = share === 0 && (phase === 'reading' || phase === 'fetching');
  return outdated || isFirst || (total > 1 && share !== 1) ? { done, total, outdated } : null;
}

/** The event for which several figures wait together; null if all are final. */
export function pendingOfAll(all: readonly { readonly pending: Pending | null }[]): Pending | null {
  return all.reduce<Pending | null>(
    (sum, { pending }) =>
      sum && pending
        ? {
            done: sum.done + pending.done,
            total: sum.total + pending.total,
            outdated: sum.outdated || pending.outdated,
          }
        : (sum ?? pending),
    null,
  );
}

/** Words as they begin a sentence. */
export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Posts of the source are being imported, so that none of its figures is final. */
export const GROWING: Pending = { done: 0, total: 0, outdated: false };

/** `reloading, 9 of 33`. */
export function pendingWords({ done, total, outdated }: Pending): string {
  if (total === 0) return outdated ? 'out of date' : 'loading';
  return `${outdated ? 're' : ''}loading, ${done} of ${total}`;
}
