import type { Span } from '#core/time/span.ts';

/** One Post as search answers it. */
export interface FoundPost {
  readonly id: string;
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
  readonly lang: string | null;
  readonly author: { readonly name: string; readonly username: string } | null;
  readonly reposts: number | null;
  readonly likes: number | null;
}

/** Posts of a span, newest first; `next` asks for the ones before them. */
export interface FoundPage {
  readonly posts: readonly FoundPost[];
  readonly next: string | null;
}

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
