import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

/** The pause in typing after which the price is computed, ms. */
const PRICE_MS = 120;

/** The cost of loading a text; `pending` until it is computed. */
export type LoadPrice =
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly money: number };

/**
 * Tracks the cost of loading a series' typed text. Call it while a component initialises.
 *
 * @param of - The series; null if nothing waits to load.
 */
export function loadPrice(
  board: () => Board,
  of: () => BoardSeries | null,
): { readonly price: LoadPrice } {
  let price = $state.raw<LoadPrice>({ kind: 'pending' });
  $effect(() => {
    const series = of();
    if (!series) return;
    const needs = board().loadNeeds(series);
    const controller = new AbortController();
    const { signal } = controller;
    // The price of another text or range does not apply.
    price = { kind: needs.length > 0 ? 'pending' : 'unknown' };
    if (needs.length === 0) return;
    const timer = setTimeout(() => {
      board()
        .price(series, needs, signal)
        .then((money) => (price = { kind: 'known', money }))
        .catch(() => {
          if (!signal.aborted) price = { kind: 'unknown' };
        });
    }, PRICE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  });
  return {
    get price() {
      return price;
    },
  };
}
