import type { PageFault } from '#core/counts/check.ts';
import type { Known, Invalidation } from '#core/counts/ledger.ts';
import type { Basis, BasisUnit } from '#core/series/basis.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import type { Cut } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Edges } from '#core/time/edges.ts';
import type { Span } from '#core/time/span.ts';
import type { Seam } from '#core/counts/seams.ts';
import type {
  PendingRequest,
  Purpose,
  RunRow,
  SeriesRow,
  Tally,
} from '#app/counts/cache/records.ts';

/** What a session opens: one series at one granularity over one span. */
export interface LoadRequest {
  readonly series: SeriesRow;
  /** What the view needs; finer counts serve as well. */
  readonly granularity: Granularity;
  /** The coarsest that counts as known: finer than the view where minutes are bought. */
  readonly knownBy: Granularity;
  readonly span: Span;
  readonly invalidated: readonly Invalidation[];
  /** Invalidated spans as they would be after an approval; null: as they are. */
  readonly invalidatedIfApproved: readonly Invalidation[] | null;
  readonly settleMs: number;
  /** The run's session so far: what it has need not be read again. */
  readonly before: number | null;
  /** Whether it is only priced: the cache then notes no use, since the query may be half a word. */
  readonly quote?: boolean;
  /** Whether {@link before} was of the same load: empty answers confirmed there vouch for others here. */
  readonly continues?: boolean;
}

/** What is known and still valid, ascending, for each granularity that is fine enough. */
export type Knowledge = readonly (readonly Known[])[];

/** What a session begins with. */
export interface Loaded {
  readonly known: Knowledge;
  /** Requests that were sent and not answered, and those that failed, oldest first. */
  readonly pending: readonly PendingRequest[];
  /** The approved purchase in progress; null where there is none. */
  readonly run: RunRow | null;
  /** UTC day of the last head of minutes in full length, in days since 1970; 0: never. */
  readonly fullHead: number;
  /** Spans that are bought again: pages of lower generations are out of date. */
  readonly invalidated: readonly Invalidation[];
}

export interface RenderRequest {
  /** Of the buckets to render. */
  readonly edges: Edges;
  readonly cut: Cut;
  /** What figures are computed from; null: the rendered buckets. */
  readonly basis: { readonly unit: BasisUnit; readonly edges: Edges } | null;
  /** What the source can count now. */
  readonly reach: Span;
  /** The time of which the source has data. */
  readonly covered: Span;
  readonly failed: readonly Span[];
}

export interface Rendered {
  readonly curve: Curve;
  readonly pyramid: Pyramid;
  readonly basis: Basis | null;
  /** Where stretches fetched under different indexes of the platform meet. */
  readonly seams: readonly Seam[];
  /** Whether small counts seem rounded up, so that sums of minutes are upper bounds. */
  readonly upperBounds: boolean;
}

/** An answer of status 200 to one request. */
export interface PageResponse {
  /** Id of the request that it answers. */
  readonly request: string;
  /** Names the answer for ever, in every browser: the request that bought it. */
  readonly receipt: string;
  /** The first request, where this one repeats it because its answer was not believed. */
  readonly first: string;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly purpose: Purpose;
  readonly start: number;
  /** Null: the source's own end. */
  readonly end: number | null;
  readonly body: ArrayBuffer;
  /** As sent, compressed or not. */
  readonly bytes: number;
  /** Of the answer, by the source's clock, epoch ms. */
  readonly date: number;
  /** When it was fetched, by the earlier of the source's clock and the service's: counts settle by it. Epoch ms. */
  readonly fetched: number;
  readonly generation: number;
  /** Of the platform's index; 0 of own posts. */
  readonly index: number;
  /** USD. */
  readonly price: number;
  /** Whether a token led to the answer. */
  readonly followed: boolean;
  /** Pages of the session that answered other bounds. */
  readonly earlier: readonly Span[];
}

export interface PageResult {
  /**
   * `kept` is written; `empty` waits for `CountsStore.judge`; `nothing` had no bucket but promises more;
   * `compared` is not written, as requested.
   */
  readonly kind: 'kept' | 'empty' | 'nothing' | 'refused' | 'compared';
  readonly faults: readonly PageFault[];
  readonly reported: Span | null;
  readonly token: string | null;
  readonly known: Knowledge;
  /** What counts as bought with it. */
  readonly bought: Tally;
  /** What the page cost, whether it counts as bought yet or not, USD. */
  readonly price: number;
}

/** Repetitions of one request without a whole answer, which may have been billed. */
export interface LostSend {
  readonly request: string;
  readonly first: string;
  /** How many so far. */
  readonly times: number;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly purpose: Purpose;
  readonly start: number;
  readonly end: number | null;
  /** When the last of them was noticed, by the source's clock, epoch ms. */
  readonly at: number;
  readonly generation: number;
  readonly index: number;
  /** Of each, USD. */
  readonly price: number;
}

export interface EmptyVerdicts {
  /** Requests whose empty answer was believed and written. */
  readonly believed: readonly string[];
  /** Requests to be repeated. */
  readonly again: readonly {
    readonly request: string;
    readonly endpoint: 'recent' | 'all';
    readonly start: number;
    readonly end: number | null;
    readonly afterMs: number;
  }[];
  readonly known: Knowledge;
  /** What counts as bought with what was believed. */
  readonly bought: Tally;
}
