import type { FaultBody } from '#contract/fault.ts';
import type { Coverage, SourceId } from '#contract/source.ts';
import type { PageFault } from '#core/counts/check.ts';
import type { Invalidation, Revision } from '#core/counts/ledger.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Span } from '#core/time/span.ts';

/** What a request was sent for: to count, again because a page was not believed, to compare at random, or at a seam. */
export type Purpose = 'count' | 'again' | 'audit' | 'probe';

/** A request that was begun and whose answer is not written yet. */
export interface Ask {
  readonly id: string;
  /** The ask that was not believed, where this one is sent because of that; else its own id. */
  readonly first: string;
  readonly series: string;
  /** The query as it was sent. */
  readonly query: string;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly start: number;
  /** Null where the source was left to take its own end. */
  readonly end: number | null;
  readonly purpose: Purpose;
  /** Of the answer: above zero where a span is bought again. */
  readonly generation: number;
  /** Sent where a page is followed to the next. */
  readonly token: string | null;
  readonly followed: boolean;
  /** When it was begun, by the source's clock, epoch ms. */
  readonly at: number;
  /** What it failed with, where it is not to be sent again by itself. */
  readonly failed: (FaultBody & { readonly status: number }) | null;
}

/** One answer: who said it, when, of what, for how much, and what was noticed. */
export interface Receipt {
  readonly id: string;
  /** The ask that it answered. */
  readonly ask: string;
  readonly series: string;
  readonly granularity: Granularity;
  readonly endpoint: 'recent' | 'all';
  readonly purpose: Purpose;
  readonly asked: { readonly start: number; readonly end: number | null };
  readonly told: Span;
  readonly total: number;
  /** When it was fetched, by the earlier of the source's clock and the service's; epoch ms. */
  readonly at: number;
  readonly generation: number;
  /** Of the platform's index when it answered; 0 for own posts. */
  readonly index: number;
  /** USD; 0 where the answer cost nothing. */
  readonly price: number;
  /** Bytes of the body. */
  readonly bytes: number;
  /**
   * USD that the platform may have billed for a request to which no whole answer came; the rest then tells
   * nothing, and `ask` is empty. Absent where an answer came.
   */
  readonly uncertain?: number;
  /** False where the page was not believed: nothing of it is in a record. */
  readonly kept: boolean;
  /** What was noted though the page was kept, or why it was not. */
  readonly noted: readonly PageFault[];
}

/** A receipt as stored, with the settled buckets that it contradicts; those keep their counts. */
export interface StoredReceipt extends Receipt {
  readonly revisions: readonly Revision[];
}

/** A revision of a store by its number and its random mark; without the mark where the store named none. */
export interface RevisionPoint {
  readonly revision: number;
  readonly mark?: string | undefined;
}

/** What is known of a store of posts. */
export interface StoreRow extends RevisionPoint {
  /** Source and store id. */
  readonly key: string;
  /** How often the store was found to have been put back from a backup; absent: never. */
  readonly epoch?: number;
  /** Revisions that counts from a backup file are of: the store must know these too. */
  readonly named?: readonly RevisionPoint[];
  readonly raised: readonly Invalidation[];
  /** The shortest page that it has sent, by granularity; absent where all were as long as they may be. */
  readonly pages?: Readonly<Partial<Record<Granularity, ShortPage>>>;
  /** What it covered when its changes were last followed; never written. */
  readonly coverage?: Coverage | null;
}

/** A page that was shorter than was asked for, and ends where others follow. */
export interface ShortPage {
  readonly buckets: number;
  /** When it came, by the source's clock, epoch ms: a day later full pages are tried again. */
  readonly at: number;
}

/** What a series is, for whom its key says nothing, and when it was last looked at. */
export interface SeriesRow {
  readonly key: string;
  readonly source: SourceId;
  readonly store: string;
  /** The query as it was last typed. */
  readonly query: string;
  /** Epoch ms. */
  readonly usedAt: number;
  /** UTC day on which the head was last asked in full length by minutes, in days since 1970; 0 never. */
  readonly fullHead: number;
  /** Spans that the user had bought again: what was asked for under a lower generation is out of date. */
  readonly raised: readonly Invalidation[];
}

/** What requests come to. */
export interface Tally {
  readonly requests: number;
  /** USD. */
  readonly money: number;
  readonly bytes: number;
  /** Requests to which no whole answer came and that may have been billed, in USD: not counted above. */
  readonly uncertain?: Sum;
}

/** Requests and what they cost. */
export interface Sum {
  readonly requests: number;
  /** USD. */
  readonly money: number;
}

/** What one series will ask, and what that comes to. */
export interface Plan {
  readonly granularity: Granularity;
  readonly span: Span;
  /** Requests to be bought. */
  readonly recent: number;
  readonly all: number;
  /** USD. */
  readonly money: number;
  /** Least time under the limits, ms. */
  readonly leastMs: number;
  /** About what is sent, packed. */
  readonly bytes: number;
  /** UTC days of the look that the source can tell, and how many of them are owned. */
  readonly days: number;
  readonly owned: number;
  /** Pages among those needed that the service holds already: they cost nothing and are not counted above. */
  readonly held: number;
  /** The same in minutes: how many bytes that would be; null where minutes are asked already. */
  readonly minuteBytes: number | null;
}

/** What the user agreed to have asked of a series, and how far that is. */
export interface RunRow {
  readonly series: string;
  /** When it was agreed to, by the source's clock, epoch ms. */
  readonly at: number;
  readonly plan: Plan;
  readonly paused: boolean;
  /** What was bought of it: {@link CountsCache.write} counts every receipt that cost something, or may have. */
  readonly made: Tally;
  /** What was uncertain in this run before this was agreed to: shown, and not counted against it. */
  readonly before?: Sum;
  /** Pages that were paid for before this was agreed to, and are noted in {@link made} when they are believed. */
  readonly unnoted?: Sum;
}

/** A stretch of one series' cells at one granularity, `to` inclusive. */
export interface CellRange {
  readonly series: string;
  readonly granularity: Granularity;
  readonly from: number;
  readonly to: number;
}

/** Types of the faults of a cache. */
export const CACHE_FULL = 'groundswell:cache-full';
export const CACHE_OUTDATED = 'groundswell:cache-outdated';
export const CACHE_DELETED = 'groundswell:cache-deleted';
export const CACHE_BROKEN = 'groundswell:cache-broken';

/** The key under which a store's row is kept. */
export function storeKey(source: string, store: string): string {
  return JSON.stringify([source, store]);
}

/** How the keys of all series of a store begin. @param key - Of {@link storeKey}. */
export function seriesPrefix(key: string): string {
  return `${key.slice(0, -1)},`;
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
