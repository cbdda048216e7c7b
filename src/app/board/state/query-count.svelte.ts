import { faultText } from '#app/format/fault-text.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { statistics } from '#core/series/statistics.ts';
import type { Span } from '#core/time/span.ts';
import type { Board } from './board.svelte.ts';

/** The number of Posts of a query in a time, or why there is none. */
export type QueryTotal =
  | { readonly kind: 'counting' }
  | { readonly kind: 'counted'; readonly posts: number }
  /** Counting costs money, so nothing is counted before the query is on the board. */
  | { readonly kind: 'priced' }
  | { readonly kind: 'failed'; readonly why: string };

/** Counts the Posts of a query in the time in view before it is on the board. */
export class QueryCount {
  readonly #board: Board;
  readonly #run: Run;
  #asked = $state.raw<Span | null>(null);
  readonly total: QueryTotal = $derived.by(() => {
    const { curve, phase, fault, offline } = this.#run;
    if (this.#board.need()?.policy.terms) return { kind: 'priced' };
    if (phase === 'failed' && fault) return { kind: 'failed', why: faultText(fault) };
    if (offline) return { kind: 'failed', why: 'The service doesn’t answer.' };
    if (!this.#asked || !curve || phase !== 'done') return { kind: 'counting' };
    const { total: posts } = statistics(curve, this.#board.time.now, this.#asked);
    return { kind: 'counted', posts };
  });

  /** @param make - Makes a run for counts that the board does not show. */
  constructor(board: Board, make: () => Run) {
    this.#board = board;
    this.#run = make();
  }

  /** Counts a query in the time in view. */
  async count(query: string): Promise<void> {
    const { resting: span } = this.#board.time;
    const need = this.#board.need();
    if (!need || need.policy.terms) return;
    this.#asked = null;
    await this.#run.ask({ ...need, span, query });
    this.#asked = span;
  }

  dispose(): void {
    this.#run.dispose();
  }
}
