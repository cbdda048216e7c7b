import type { PageFault } from '#core/counts/check.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { Basis, BasisUnit } from '#core/series/basis.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import type { Cut } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Span } from '#core/time/span.ts';
import type { Seam } from '#core/counts/seams.ts';
import type {
  PendingRequest,
  RequestedPage,
  RunRow,
  SeriesRow,
  Tally,
} from '#app/counts/cache/records.ts';
import type { Known } from '#core/counts/known-counts.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';

/** Opens a session: one series at one granularity over one span. */
export interface LoadRequest {
  readonly series: SeriesRow;
  /** The granularity that the view needs; finer counts will do as well. */
  readonly granularity: Granularity;
  /** The coarsest granularity that counts as known: finer than the view's if minutes are bought. */
  readonly knownBy: Granularity;
  readonly span: Span;
  readonly invalidated: readonly Invalidation[];
  /** The invalidated spans as they would be after an approval; null: the current ones. */
  readonly invalidatedIfApproved: readonly Invalidation[] | null;
  readonly settleMs: number;
  /** The run's previous session, whose cells need not be read again. */
  readonly before: number | null;
  /** True if the series is only priced. The cache then notes no use, because the query may be half typed. */
  readonly quote?: boolean;
  /** True if {@link before} belongs to the same load: empty answers confirmed there support others here. */
  readonly continues?: boolean;
}

/** The known and still valid spans, ascending, for each granularity that is fine enough. */
export type Knowledge = readonly (readonly Known[])[];

/** The state that a session begins with. */
export interface SessionStart {
  readonly known: Knowledge;
  /** Requests without an answer, and those that failed, oldest first. */
  readonly pending: readonly PendingRequest[];
  /** The approved purchase in progress; null if there is none. */
  readonly run: RunRow | null;
  /** UTC day of the last head of minutes in full length, in days since 1970; 0: never. */
  readonly fullHead: number;
  /** Spans to buy again: pages of lower generations are out of date. */
  readonly invalidated: readonly Invalidation[];
}

export interface RenderRequest {
  /** Of the buckets to render. */
  readonly edges: Edges;
  readonly cut: Cut;
  /** The buckets that figures are computed from; null: the rendered ones. */
  readonly basis: { readonly unit: BasisUnit; readonly edges: Edges } | null;
  /** The span that the source can count now. */
  readonly reach: Span;
  /** The time for which the source has data. */
  readonly covered: readonly Span[];
  readonly failed: readonly Span[];
}

export interface Rendered {
  readonly curve: Curve;
  readonly pyramid: Pyramid;
  readonly basis: Basis | null;
  /** Boundaries between stretches that were fetched under different indexes of the platform. */
  readonly seams: readonly Seam[];
  /** True if small counts seem rounded up, so that sums of minutes are upper bounds. */
  readonly upperBounds: boolean;
  /** True if counts are shown that the store has changed since, other than the newest. */
  readonly outdated: boolean;
}

/** An answer of status 200 to one request. */
export interface PageResponse extends RequestedPage {
  /** Id of the request that it answers. */
  readonly request: string;
  /** Id of the request that bought the answer, which identifies it permanently in every browser. */
  readonly receipt: string;
  readonly body: ArrayBuffer;
  /** As transferred, compressed or not. */
  readonly bytes: number;
  /** Of the answer, by the source's clock, epoch ms. */
  readonly date: number;
  /** The time it was fetched, by the earlier of the clocks of source and service; counts settle by it. Epoch ms. */
  readonly fetched: number;
  /** Version of the platform's index; 0 for own posts. */
  readonly index: number;
  /** USD. */
  readonly price: number;
  /** True if the request had a token. */
  readonly followed: boolean;
  /** Spans of the session's pages for other bounds. */
  readonly earlier: readonly Span[];
}

export interface PageResult {
  /**
   * `accepted`: written. `empty`: waits for `CountsStore.judge`. `nothing`: no bucket, but more pages follow. `compared`:
   * not written, as requested.
   */
  readonly kind: 'accepted' | 'empty' | 'nothing' | 'refused' | 'compared';
  readonly faults: readonly PageFault[];
  readonly reported: Span | null;
  readonly token: string | null;
  readonly known: Knowledge;
  /** The purchases that now count as bought. */
  readonly bought: Tally;
  /** Cost of the page, whether or not it counts as bought yet, USD. */
  readonly price: number;
}

/** Sends of one request without a complete answer, which may have been billed. */
export interface LostSend extends RequestedPage {
  readonly request: string;
  /** The number of them so far. */
  readonly times: number;
  /** The time at which the last of them was noticed, by the source's clock, epoch ms. */
  readonly at: number;
  readonly index: number;
  /** Of each, USD. */
  readonly price: number;
}

export interface EmptyVerdicts {
  /** Requests whose empty answer was accepted and written. */
  readonly accepted: readonly string[];
  /** Requests to repeat. */
  readonly again: readonly {
    readonly request: string;
    readonly endpoint: CountsEndpoint;
    readonly start: number;
    readonly end: number | null;
    readonly afterMs: number;
  }[];
  readonly known: Knowledge;
  /** The purchases that now count as bought. */
  readonly bought: Tally;
}
