import type { Client, Wait } from '#app/api/client.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import type { Buy } from '#contract/platform.ts';
import type { Need, View } from '#app/counts/bucket-layout.ts';
import type { Purpose, StoreRow, Tally } from '#app/counts/cache/records.ts';
import type { SourceChanges } from '#app/counts/source-changes.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import type { Loaded, Rendered } from '#app/counts/worker/messages.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** What a load uses. */
export interface LoadServices {
  readonly store: StoreClient;
  readonly client: Client;
  readonly changes: SourceChanges;
  /** In `[0, 1)`. */
  readonly random: () => number;
}

/** What a load session shows and fetches. */
export interface LoadTarget {
  readonly need: Need;
  readonly view: View;
  /** Of the series. */
  readonly key: string;
  /** Granularity of the requests. */
  readonly bought: Granularity;
  /** Whether the head is fetched though it is fresh. */
  readonly force: boolean;
  /** Whether everything is bought again. */
  readonly again: boolean;
  /** Whether nothing is fetched at all. */
  readonly only?: boolean;
  /** Whether it is only priced: the cache then notes no use of the series. */
  readonly quote?: boolean;
  readonly signal: AbortSignal;
}

/** What is to be fetched, given what the cache has. */
export interface FetchRequest extends LoadTarget {
  /** Number of the worker's session. */
  readonly session: number;
  readonly loaded: Loaded;
  /** The coarsest granularity that counts as known. */
  readonly knownBy: Granularity;
  /** What is known of the source's store. */
  readonly store: StoreRow;
  /** The time of which the source has data. */
  readonly covered: Span;
}

/** A request for one page. */
export interface PageRequest {
  readonly id: string;
  /** The request whose answer was not believed, where this one repeats it; else its own id. */
  readonly first: string;
  readonly purpose: Purpose;
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  /** Null: the source's own end. */
  readonly end: number | null;
  readonly granularity: Granularity;
  readonly token: string | null;
  readonly followed: boolean;
  /** Of the query as it is sent. */
  readonly query: string;
  readonly generation: number;
  /** Null: bought unless the service holds it. */
  readonly buy: Buy | null;
}

/** What a load session reports; nothing once its signal is aborted. */
export type LoadEvent =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'sent' }
  | { readonly kind: 'waiting'; readonly id: string; readonly wait: Wait | null }
  /** An answer was paid for, or a request may have been billed without one. */
  | { readonly kind: 'bought'; readonly tally: Tally }
  /** A page was shorter than any before. */
  | { readonly kind: 'short-page'; readonly store: StoreRow }
  /** A page arrived, was believed, or failed. */
  | { readonly kind: 'page' }
  | { readonly kind: 'rendered'; readonly rendered: Rendered };

export type Emit = (event: LoadEvent) => void;
