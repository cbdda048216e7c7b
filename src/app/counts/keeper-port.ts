import type { SourceInfo } from '#contract/source.ts';
import type { PageFault } from '#core/counts/check.ts';
import type { EmptyPolicy } from '#core/counts/doubt.ts';
import type { Known, Raised } from '#core/counts/ledger.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import type { Cut } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { StoreRow } from './cache-port.ts';

/** What a look opens: one series at one granularity over one span. */
export interface Opening {
  /** Key of the series. */
  readonly series: string;
  readonly granularity: Granularity;
  readonly span: Span;
  readonly raised: readonly Raised[];
  readonly settleMs: number;
  /** The run's desk until now: what is on it need not be read again. */
  readonly before: number | null;
}

/** For each granularity that serves the opening: what is known and of a good generation, ascending. */
export type Knowledge = readonly (readonly Known[])[];

export interface Drawing {
  readonly bounds: Float64Array;
  readonly cut: Cut;
  /** What the source can tell now. */
  readonly reach: Span;
  readonly failed: readonly Span[];
}

export interface Drawn {
  readonly curve: Curve;
  readonly pyramid: Pyramid;
}

/** An answer of status 200 to one send. */
export interface Arrival {
  /** The ask that it answers; a second answer to the same ask carries the same. */
  readonly ask: string;
  /** Names this answer for ever. */
  readonly receipt: string;
  readonly endpoint: 'recent' | 'all';
  readonly start: number;
  /** Null where the source was left to take its own end. */
  readonly end: number | null;
  readonly body: ArrayBuffer;
  readonly date: number;
  readonly generation: number;
  /** Whether the answer was had by following a token. */
  readonly followed: boolean;
  /** Pages of the run that answered other bounds. */
  readonly earlier: readonly Span[];
}

export interface Accepted {
  /** `kept` is written; `empty` waits for {@link Keeping.judge}; `nothing` had no bucket but promises more. */
  readonly kind: 'kept' | 'empty' | 'nothing' | 'refused';
  readonly faults: readonly PageFault[];
  readonly told: Span | null;
  readonly token: string | null;
  readonly known: Knowledge;
}

export interface Judged {
  /** Asks whose empty answer was believed and written. */
  readonly believed: readonly string[];
  /** Asks to be sent once more. */
  readonly again: readonly {
    readonly ask: string;
    readonly start: number;
    readonly end: number | null;
    readonly afterMs: number;
  }[];
  readonly known: Knowledge;
}

/**
 * Keeps the counts of all series: reads answers, checks and merges them, writes them to the cache and draws
 * curves of them. In the browser it runs in a worker, so everything it takes and gives is plain data.
 *
 * Every method throws a `Fault` of the cache's types; what could not be written for want of room is kept in
 * memory, shown, and written by {@link Keeping.open} later.
 */
export interface Keeping {
  /** Lays a desk out. @param desk - A number of its own. */
  open(desk: number, opening: Opening): Promise<Knowledge>;
  draw(desk: number, drawing: Drawing): Promise<Drawn>;
  /** Takes the body over: where it runs in a worker the caller's buffer is empty afterwards. */
  accept(desk: number, arrival: Arrival): Promise<Accepted>;
  /** Judges the empty answers that wait. @param pending - Spans whose answers are still to come. */
  judge(desk: number, pending: readonly Span[], policy: EmptyPolicy): Promise<Judged>;
  close(desk: number): Promise<void>;
  /** What is known of a store; begun at `revision` where nothing is. */
  store(key: string, revision: number): Promise<StoreRow>;
  /** Notes that spans changed up to a revision. */
  raise(key: string, revision: number, spans: readonly Span[]): Promise<StoreRow>;
  /** Notes the whole days of a short page. */
  shorten(key: string, pageDays: number): Promise<StoreRow>;
  sources(): Promise<SourceInfo[] | null>;
  rememberSources(sources: readonly SourceInfo[]): Promise<void>;
}
