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
import type { Ask, Purpose, RunRow, SeriesRow, Tally } from '#app/counts/cache/records.ts';

/** What a look opens: one series at one granularity over one span. */
export interface LoadRequest {
  readonly series: SeriesRow;
  /** That the view needs: anything as fine serves. */
  readonly granularity: Granularity;
  /** The coarsest that counts as known: finer than the view where minutes are bought for later. */
  readonly told: Granularity;
  readonly span: Span;
  readonly raised: readonly Invalidation[];
  /** Spans of the series to be bought again as they would be once that is agreed to; null: as they are. */
  readonly raisedIfAgreed: readonly Invalidation[] | null;
  readonly settleMs: number;
  /** The run's desk until now: what is on it need not be read again. */
  readonly before: number | null;
  /** Whether it is only priced: no use of the series is noted then, since it may be half a word. */
  readonly quote?: boolean;
  /** Whether {@link before} was of the same look: what was confirmed there vouches here too. */
  readonly continues?: boolean;
}

/** For each granularity that is fine enough: what is known and of a good generation, ascending. */
export type Knowledge = readonly (readonly Known[])[];

/** What a desk begins with. */
export interface Loaded {
  readonly known: Knowledge;
  /** Requests that were begun and not answered, and those that failed, oldest first. */
  readonly asks: readonly Ask[];
  /** What was agreed to and is not done; null where nothing is under way. */
  readonly run: RunRow | null;
  /** UTC day on which the head was last asked in full length by minutes, in days since 1970; 0 never. */
  readonly fullHead: number;
  /** Spans that are bought again: pages from before their generation, epoch ms, are out of date. */
  readonly raised: readonly Invalidation[];
}

export interface RenderRequest {
  /** Of the buckets drawn. */
  readonly edges: Edges;
  readonly cut: Cut;
  /** What figures are computed from; null where that is the buckets drawn. */
  readonly basis: { readonly unit: BasisUnit; readonly edges: Edges } | null;
  /** What the source can tell now. */
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

/** An answer of status 200 to one send. */
export interface PageResponse {
  /** The ask that it answers. */
  readonly ask: string;
  /** Names the answer for ever, in every browser: the ask for which it was bought. */
  readonly receipt: string;
  /** The first ask for the same stretch, where this one was sent because that was not believed. */
  readonly first: string;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly purpose: Purpose;
  readonly start: number;
  /** Null where the source was left to take its own end. */
  readonly end: number | null;
  readonly body: ArrayBuffer;
  /** As they were sent, packed or not. */
  readonly bytes: number;
  /** Of the answer, by the source's clock, epoch ms. */
  readonly date: number;
  /** When the source told it, by the earlier of its clock and the service's: counts settle by it. Epoch ms. */
  readonly fetched: number;
  readonly generation: number;
  /** Of the platform's index; 0 of own posts. */
  readonly index: number;
  /** USD. */
  readonly price: number;
  /** Whether the answer was had by following a token. */
  readonly followed: boolean;
  /** Pages of the run that answered other bounds. */
  readonly earlier: readonly Span[];
}

export interface PageResult {
  /**
   * `kept` is written; `empty` waits for `CountsStore.judge`; `nothing` had no bucket but promises more;
   * `compared` told nothing new, as it was asked for.
   */
  readonly kind: 'kept' | 'empty' | 'nothing' | 'refused' | 'compared';
  readonly faults: readonly PageFault[];
  readonly told: Span | null;
  readonly token: string | null;
  readonly known: Knowledge;
  /** What was noted as bought with it. */
  readonly bought: Tally;
  /** What the page cost, be it noted as bought yet or not, USD. */
  readonly price: number;
}

/** Requests of one ask to which no whole answer came, and which may have been billed. */
export interface LostSend {
  readonly ask: string;
  readonly first: string;
  /** How many of the ask so far. */
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
  /** Asks whose empty answer was believed and written. */
  readonly believed: readonly string[];
  /** Asks to be sent once more. */
  readonly again: readonly {
    readonly ask: string;
    readonly endpoint: 'recent' | 'all';
    readonly start: number;
    readonly end: number | null;
    readonly afterMs: number;
  }[];
  readonly known: Knowledge;
  /** What was noted as bought with what was believed. */
  readonly bought: Tally;
}
