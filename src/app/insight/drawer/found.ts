import type { SearchedPage } from '#app/api/search-api.ts';
import type { Span } from '#core/time/span.ts';

/** Requests Posts from the source; rejects when aborted. */
export type FindPosts = (
  ask: {
    readonly query: string;
    readonly span: Span;
    readonly next?: string | null;
    readonly most?: number;
  },
  signal: AbortSignal,
) => Promise<SearchedPage>;

/** The most that loading this many Posts can cost, USD; null if it is free. */
export type PriceOfPosts = (
  most: number,
) => { readonly posts: number; readonly money: number } | null;
