import { keyOf, type BoardNeed } from './need-key.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** An extra need, and whether to fetch it or only read the cache because fetching costs money. */
export interface ExtraNeed {
  readonly need: BoardNeed;
  readonly ask: boolean;
}

/** The extra runs in loading order: finer counts of a zoom change its earlier period. */
export const EXTRA_KINDS = ['detail', 'earlier', 'fine', 'pace', 'history'] as const;
export type ExtraKind = (typeof EXTRA_KINDS)[number];

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
