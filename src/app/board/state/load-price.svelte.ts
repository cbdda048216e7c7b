import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';

/** A pause in typing after which the price is worked out, ms. */
const PRICE_MS = 120;

/** What loading a text costs: `pending` while that is worked out. */
export type LoadPrice =
  | { readonly kind: 'pending' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'known'; readonly money: number };

/**
 * Follows what loading the typed text of a series would cost. To be made while a component is.
 *
 * @param of - The series; null where nothing waits to be loaded.
 */
export function loadPrice(
  board: () => Board,
  of: () => BoardSeries | null,
): { readonly price: LoadPrice } {
  let price = $state.raw<LoadPrice>({ kind: 'pending' });
  $effect(() => {
    const one = of();
    if (!one) return;
    const needs = board().loadNeeds(one);
    const controller = new AbortController();
    const { signal } = controller;
    // A price of another text or range is none.
    price = { kind: needs.length > 0 ? 'pending' : 'unknown' };
    if (needs.length === 0) return;
    const timer = setTimeout(() => {
      board()
        .price(one, needs, signal)
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
