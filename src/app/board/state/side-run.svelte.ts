import { keyOf, type BoardNeed } from './need-key.ts';
import { MOST_PERIODS } from '#core/series/comparison.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** An extra need, and whether to fetch it or only read the cache because fetching costs money. */
export interface ExtraNeed {
  readonly need: BoardNeed;
  readonly ask: boolean;
}

/**
 * The extra runs by rounds of loading. Finer counts of a zoom change its earlier periods; only one kind of a round may
 * be bought.
 */
export const EXTRA_ROUNDS = [['detail'], ['earlier', 'pace', 'history'], ['fine']] as const;
export type ExtraKind = (typeof EXTRA_ROUNDS)[number][number];

/** The extra runs of a series by kind. */
export type ExtraRuns = Readonly<Record<ExtraKind, readonly SideRun[]>>;

/** Creates the extra runs of a series: one of each kind, and one for each earlier period. */
export function extraRuns(make: () => Run): ExtraRuns {
  const some = (size = 1): SideRun[] => Array.from({ length: size }, () => new SideRun(make));
  const earlier = some(MOST_PERIODS);
  return { detail: some(), earlier, fine: some(), pace: some(), history: some() };
}

/** An extra run of a series: a zoom in finer buckets, an earlier period, the buckets of a tab, the hours of an unfinished day, or the time before the view. */
export class SideRun {
  readonly #make: () => Run;
  /** Null before the first load. */
  run = $state.raw<Run | null>(null);
  /** The last loaded need, as text. */
  #loaded = '';

  constructor(make: () => Run) {
    this.#make = make;
  }

  /**
   * Loads a need unless it was the last one loaded.
   *
   * @param again - Loads even then: the cache may hold more by now.
   */
  async load(query: string, { need, ask }: ExtraNeed, again: boolean): Promise<void> {
    const key = `${String(ask)} ${keyOf(query, need)}`;
    if (key === this.#loaded && !again) return;
    this.#loaded = key;
    this.run ??= this.#make();
    await (ask ? this.run.ask({ ...need, query }) : this.run.peek({ ...need, query }));
  }

  dispose(): void {
    this.run?.dispose();
    this.run = null;
    this.#loaded = '';
  }
}
