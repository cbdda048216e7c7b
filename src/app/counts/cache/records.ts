import type { FaultBody } from '#contract/fault.ts';
import type { Coverage, SourceId } from '#contract/counts/source.ts';
import type { PageFault } from '#core/counts/check.ts';
import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import type { CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';
import type { Invalidation } from '#core/counts/invalidation.ts';
import type { Known } from '#core/counts/known-counts.ts';
import type { Revision } from '#core/counts/count-revisions.ts';

/** The purpose of a request: to count, to repeat a rejected page, to compare at random, or to compare at a seam. */
export type Purpose = 'count' | 'again' | 'audit' | 'probe';

/** The page that a request asks for. */
export interface RequestedPage {
  /** Id of the request that this one repeats because its answer was rejected; else its own id. */
  readonly first: string;
  readonly granularity: Granularity;
  readonly endpoint: CountsEndpoint;
  readonly start: number;
  /** Null: the source's own end. */
  readonly end: number | null;
  readonly purpose: Purpose;
  /** Of the answer: above zero if it replaces an earlier one. */
  readonly generation: number;
}

/** A request that was sent, or is about to be, and whose answer is not stored yet. */
export interface PendingRequest extends RequestedPage {
  readonly id: string;
  readonly series: string;
  /** The query as sent. */
  readonly query: string;
  /** Requests the page that follows another; null for a first page. */
  readonly token: string | null;
  readonly followed: boolean;
  /** By the source's clock, epoch ms. */
  readonly at: number;
  /** Set if it failed and is not repeated automatically. */
  readonly failed: (FaultBody & { readonly status: number }) | null;
}

/** One answer: its source, time, request, price, and what its check found. */
export interface Receipt {
  readonly id: string;
  /** Id of the request that it answers. */
  readonly request: string;
  readonly series: string;
  readonly granularity: Granularity;
  readonly endpoint: CountsEndpoint;
  readonly purpose: Purpose;
  /** The requested span; an end of null: the source's own end. */
  readonly requested: { readonly start: number; readonly end: number | null };
  /** The span of the reported counts. */
  readonly reported: Span;
  readonly total: number;
  /** The time at which it was fetched, by the earlier of the source's clock and the service's; epoch ms. */
  readonly at: number;
  readonly generation: number;
  /** Version of the platform's index when it answered; 0 for own posts. */
  readonly index: number;
  /** USD; 0 where the answer cost nothing. */
  readonly price: number;
  /** Bytes of the body. */
  readonly bytes: number;
  /**
   * USD that the platform may have billed for a request without a complete answer. The other fields then mean
   * nothing, and `request` is empty. Absent if an answer came.
   */
  readonly uncertain?: number;
  /** False if the page was rejected: no record contains any of it. */
  readonly accepted: boolean;
  /** The faults that its check found. */
  readonly faults: readonly PageFault[];
}

/** A receipt as stored, with the settled buckets that it contradicts and does not change. */
export interface StoredReceipt extends Receipt {
  readonly revisions: readonly Revision[];
}

/** A revision of a store: its number, and its random mark if the store named one. */
export interface RevisionPoint {
  readonly revision: number;
  readonly mark?: string | undefined;
}

/** The last known state of a store of Posts. */
export interface StoreRow extends RevisionPoint {
  /** Source and store id. */
  readonly key: string;
  /** The number of times that the store was restored from a backup; absent: never. */
  readonly epoch?: number;
  /** Revisions of counts imported from a backup, which the store must know too. */
  readonly named?: readonly RevisionPoint[];
  readonly invalidated: readonly Invalidation[];
  /** Its shortest page, by granularity; absent if all had full length. */
  readonly pages?: Readonly<Partial<Record<Granularity, ShortPage>>>;
  /** The times that it covered when its changes were last read; not stored. */
  readonly coverage?: Coverage;
}

/** A page that is shorter than requested although more pages follow. */
export interface ShortPage {
  readonly buckets: number;
  /** By the source's clock, epoch ms: a day later, full pages are requested again. */
  readonly at: number;
}

/** A series of the cache. */
export interface SeriesRow {
  readonly key: string;
  readonly source: SourceId;
  readonly store: string;
  /** The query as it was last typed. */
  readonly query: string;
  /** The time at which it was last opened, epoch ms. */
  readonly usedAt: number;
  /** UTC day of the last head of minutes in full length, in days since 1970; 0: never. */
  readonly fullHead: number;
  /** Spans that the user chose to buy again: answers of a lower generation are out of date. */
  readonly invalidated: readonly Invalidation[];
}

/** The sum of paid requests. */
export interface Tally {
  readonly requests: number;
  /** USD. */
  readonly money: number;
  readonly bytes: number;
  /** Requests without a complete answer, which may have been billed; not counted above. */
  readonly uncertain?: RequestSum;
}

/** A number of requests and their cost. */
export interface RequestSum {
  readonly requests: number;
  /** USD. */
  readonly money: number;
}

/** The purchase that one series needs. */
export interface Plan {
  readonly granularity: Granularity;
  readonly span: Span;
  /** Requests to buy. */
  readonly recent: number;
  readonly all: number;
  /** USD. */
  readonly money: number;
  /** Minimum duration under the rate limits, ms. */
  readonly leastMs: number;
  /** Estimated size of the answers, compressed. */
  readonly bytes: number;
  /** UTC days of the view that the source can count, and how many of them are already fetched. */
  readonly days: number;
  readonly owned: number;
  /** Needed pages that the service already has: free, and not counted above. */
  readonly held: number;
  /** Bytes if bought by minutes; null if it already is. */
  readonly minuteBytes: number | null;
}

/** An approved purchase and its progress. */
export interface RunRow {
  readonly series: string;
  /** The time at which it was approved, by the source's clock, epoch ms. */
  readonly at: number;
  readonly plan: Plan;
  readonly paused: boolean;
  /** The requests bought so far: `CountsCache.write` adds every receipt that cost something, or may have. */
  readonly made: Tally;
  /** The uncertain requests of this run before the approval: shown, but not deducted from it. */
  readonly before?: RequestSum;
  /** Pages paid for before the approval, which {@link made} includes once they are accepted. */
  readonly unnoted?: RequestSum;
}

/** Cells of one series at one granularity, `to` inclusive. */
export interface CellRange {
  readonly series: string;
  readonly granularity: Granularity;
  readonly from: number;
  readonly to: number;
}

/** Everything stored of a series except its cells. */
export interface SeriesMetadata {
  readonly row: SeriesRow;
  /** Of the store that it counts; null if the store is unknown. */
  readonly store: StoreRow | null;
  readonly run: RunRow | null;
  readonly requests: readonly PendingRequest[];
  readonly receipts: readonly StoredReceipt[];
}

/** Everything stored of a series. */
export interface SeriesContents extends SeriesMetadata {
  /** In order of their keys. */
  readonly records: readonly CellRecord[];
}

/** The parts of a series that the settings show. */
export interface SeriesOverview {
  readonly row: SeriesRow;
  /** In order of their keys. */
  readonly summaries: readonly CellSummary[];
  readonly receipts: readonly StoredReceipt[];
  readonly requests: number;
}

/** A series in the cache. */
export interface CachedSeries extends SeriesRow {
  /** Estimated bytes on the disk, before the browser compresses them. */
  readonly bytes: number;
  /** Finest first; only granularities with known counts. */
  readonly coverage: readonly {
    readonly granularity: Granularity;
    readonly known: readonly Known[];
  }[];
  readonly receipts: number;
  /** USD. */
  readonly paid: number;
  /** Unanswered requests, including failed ones. */
  readonly requests: number;
}

export interface ImportTotals {
  readonly series: number;
  readonly records: number;
  readonly receipts: number;
  readonly boards: number;
}

/** Types of the cache's faults. */
export const CACHE_FULL = 'groundswell:cache-full';
export const CACHE_OUTDATED = 'groundswell:cache-outdated';
export const CACHE_EARLIER = 'groundswell:cache-earlier';
export const CACHE_DELETED = 'groundswell:cache-deleted';
export const CACHE_BROKEN = 'groundswell:cache-broken';

/** Type of the fault for a file that is not a backup of a cache, or a damaged one. */
export const BAD_BACKUP = 'groundswell:bad-backup';

/** The key of a store's row. */
export function storeKey(source: string, store: string): string {
  return JSON.stringify([source, store]);
}

/** The prefix of the keys of a store's series. @param key - From {@link storeKey}. */
export function seriesPrefix(key: string): string {
  return `${key.slice(0, -1)},`;
}

/** The key of a series: its source, store, and canonical query under one version of the rules. */
export function seriesKey(
  source: string,
  store: string,
  canonical: string,
  rulesVersion: number,
): string {
  return JSON.stringify([source, store, canonical, rulesVersion]);
}
