import { keyOf, type BoardNeed } from './need-key.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';

/** How a need beside the series' own is met: asked, or only looked up where asking would cost something. */
export interface Beside {
  readonly need: BoardNeed;
  readonly ask: boolean;
}

/** What is looked at beside a series, in this order: finer counts of a zoom make another earlier time of it. */
export const BESIDE = ['detail', 'earlier', 'fine'] as const;
export type BesideKind = (typeof BESIDE)[number];

/** A run beside a series' own: a part of the range in finer buckets, an earlier time, what a tab shows. */
export class SideRun {
  readonly #make: () => Run;
  /** Null until there was something to look at. */
  run = $state.raw<Run | null>(null);
  /** What was looked at last, as text. */
  #looked = '';

  constructor(make: () => Run) {
    this.#make = make;
  }

  /**
   * Looks at a need unless that was looked at last.
   *
   * @param again - Looks even then: what was asked meanwhile may tell more.
   */
  async look(query: string, { need, ask }: Beside, again: boolean): Promise<void> {
    const key = `${String(ask)} ${keyOf(query, need)}`;
    if (key === this.#looked && !again) return;
    this.#looked = key;
    this.run ??= this.#make();
    await (ask ? this.run.ask({ ...need, query }) : this.run.peek({ ...need, query }));
  }

  dispose(): void {
    this.run?.dispose();
    this.run = null;
    this.#looked = '';
  }
}
