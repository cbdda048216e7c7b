import type { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { SeriesTables } from '#app/counts/cache/inventory-tables.ts';
import { SavedBoards } from '#app/counts/cache/saved-boards.ts';

/** A cache with the tables that the app loads when they are first used. */
export type WholeCache<T extends CountsCache = CountsCache> = T & {
  readonly inventory: SeriesTables;
  readonly boards: SavedBoards;
};

export function wholeCache<T extends CountsCache>(cache: T): WholeCache<T> {
  const inventory = new SeriesTables(cache.parts);
  return Object.assign(cache, { inventory, boards: new SavedBoards(cache.parts) });
}
