import type { SearchAsk, SearchedPage } from '#app/api/search-api.ts';

/** Requests Posts from the source; rejects when aborted. */
export type FindPosts = (
  ask: Pick<SearchAsk, 'query' | 'span' | 'next' | 'max'>,
  signal: AbortSignal,
) => Promise<SearchedPage>;

/** The most that loading this many Posts can cost, USD; null if it is free. */
export type PriceOfPosts = (
  most: number,
) => { readonly posts: number; readonly money: number } | null;
