import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { SeriesTables } from '#app/counts/cache/inventory-tables.ts';
import { SavedBoards } from '#app/counts/cache/saved-boards.ts';

/** A cache including the tables that the app loads on first use. */
export type WholeCache<T extends CountsCache = CountsCache> = T & {
  readonly inventory: SeriesTables;
  readonly boards: SavedBoards;
};

export function wholeCache<T extends CountsCache>(cache: T): WholeCache<T> {
  const inventory = new SeriesTables(cache.parts);
  return Object.assign(cache, { inventory, boards: new SavedBoards(cache.parts) });
}
