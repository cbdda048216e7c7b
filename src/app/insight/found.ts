import type { FoundPage } from '#app/api/search-api.ts';
import type { Span } from '#core/time/span.ts';

export type { FoundPage, FoundPost } from '#app/api/search-api.ts';

/** Asks the source for Posts; an abort rejects. */
export type FindPosts = (
  ask: {
    readonly query: string;
    readonly span: Span;
    readonly next?: string | null;
    readonly most?: number;
  },
  signal: AbortSignal,
) => Promise<FoundPage>;

/** What opening so many Posts costs at most, before it is done; null where it is free. */
export type PriceOfPosts = (
  most: number,
) => { readonly posts: number; readonly money: number } | null;
