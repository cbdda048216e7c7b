import type { Client, Wait } from '#app/api/client.ts';
import type { Buy } from '#contract/counts/platform.ts';
import type { Need } from '#app/counts/need.ts';
import type { BucketView } from '#core/series/bucket-layout.ts';
import type { PendingRequest, StoreRow, Tally } from '#app/counts/cache/records.ts';
import type { SourceChanges } from '#app/counts/source-changes.ts';
import type { StoreClient } from '#app/counts/worker/client.ts';
import type { SessionStart, Rendered } from '#app/counts/worker/messages.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** The services that a load uses. */
export interface LoadServices {
  readonly store: StoreClient;
  readonly client: Client;
  readonly changes: SourceChanges;
  /** In `[0, 1)`. */
  readonly random: () => number;
}

/** The counts that a load session shows and fetches. */
export interface LoadTarget {
  readonly need: Need;
  readonly view: BucketView;
  /** Of the series. */
  readonly key: string;
  /** Granularity of the requests. */
  readonly bought: Granularity;
  /** True if the head is fetched even if it is fresh. */
  readonly force: boolean;
  /** True if everything is bought again. */
  readonly again: boolean;
  /** True if nothing is fetched. */
  readonly only?: boolean;
  /** True if the series is only priced. The cache then notes no use of it. */
  readonly quote?: boolean;
  readonly signal: AbortSignal;
}

/** A load, given the state of the cache. */
export interface FetchRequest extends LoadTarget {
  /** Number of the worker's session. */
  readonly session: number;
  readonly loaded: SessionStart;
  /** The coarsest granularity that counts as known. */
  readonly knownBy: Granularity;
  /** The last known state of the source's store. */
  readonly store: StoreRow;
  /** The times for which the source has data, ascending. */
  readonly covered: readonly Span[];
}

/** A request for one page. */
export interface PageRequest extends Omit<PendingRequest, 'series' | 'at' | 'failed'> {
  /** Null: bought unless the service already has it. */
  readonly buy: Buy | null;
}

/** An event of a load session. There are none after its signal is aborted. */
export type LoadEvent =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'sent' }
  | { readonly kind: 'waiting'; readonly id: string; readonly wait: Wait | null }
  /** An answer was paid for, or a request may have been billed without one. */
  | { readonly kind: 'bought'; readonly tally: Tally }
  /** A page was shorter than all before. */
  | { readonly kind: 'short-page'; readonly store: StoreRow }
  /** A page arrived, was accepted, or failed. */
  | { readonly kind: 'page' }
  | { readonly kind: 'rendered'; readonly rendered: Rendered };

export type EmitLoadEvent = (event: LoadEvent) => void;
