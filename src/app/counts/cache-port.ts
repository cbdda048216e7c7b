import type { SourceInfo } from '#contract/source.ts';
import type { PageFault } from '#core/counts/check.ts';
import type { CellRecord, Raised, Revision } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** One answer that was kept: who said it, when, of what, and what was noticed. */
export interface Receipt {
  readonly id: string;
  readonly series: string;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly asked: { readonly start: number; readonly end: number | null };
  readonly told: Span;
  readonly total: number;
  /** The answer's Date, epoch ms. */
  readonly at: number;
  readonly generation: number;
  /** What was noted though the page was kept. */
  readonly noted: readonly PageFault[];
}

/** A receipt as stored, with the settled buckets that it contradicts; those keep their counts. */
export interface StoredReceipt extends Receipt {
  readonly revisions: readonly Revision[];
}

/** What is known of a store of posts. */
export interface StoreRow {
  /** Source and store id. */
  readonly key: string;
  /** The revision up to which its changes are known. */
  readonly revision: number;
  readonly raised: readonly Raised[];
  /** Whole days of the shortest page it has sent. */
  readonly pageDays: number;
}

/** A stretch of one series' cells at one granularity, `to` inclusive. */
export interface CellRange {
  readonly series: string;
  readonly granularity: Granularity;
  readonly from: number;
  readonly to: number;
}

/**
 * Where counts are kept. Everything of one call is one transaction, whole or not at all.
 *
 * Every method throws a `Fault` of type `CACHE_FULL`, `CACHE_OUTDATED` or `CACHE_BROKEN`.
 */
export interface CountsCache {
  /** In order of cells. */
  summaries(range: CellRange): Promise<CellSummary[]>;
  /** In order of cells. */
  records(range: CellRange): Promise<CellRecord[]>;
  /**
   * Merges the records of one answer into what is there and writes them, their summaries and the receipt.
   *
   * @returns The records as they stand now, and what the answer contradicts.
   */
  write(
    records: readonly CellRecord[],
    receipt: Receipt,
    settleMs: number,
  ): Promise<{ records: CellRecord[]; revisions: Revision[] }>;
  /** Reads and rewrites what is known of a store; `change` is given null where nothing is. */
  updateStore(key: string, change: (row: StoreRow | null) => StoreRow): Promise<StoreRow>;
  /** The sources as they were last heard of, null if never. */
  sources(): Promise<SourceInfo[] | null>;
  rememberSources(sources: readonly SourceInfo[]): Promise<void>;
}

/** Types of the faults of a cache. */
export const CACHE_FULL = 'groundswell:cache-full';
export const CACHE_OUTDATED = 'groundswell:cache-outdated';
export const CACHE_BROKEN = 'groundswell:cache-broken';

/** The key under which a store's row is kept. */
export function storeKey(source: string, store: string): string {
  return JSON.stringify([source, store]);
}

/** The key of a series: of one source, one store, one canonical query under one version of the rules. */
export function seriesKey(
  source: string,
  store: string,
  canonical: string,
  rulesVersion: number,
): string {
  return JSON.stringify([source, store, canonical, rulesVersion]);
}
