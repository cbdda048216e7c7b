import type { Plan } from '#app/counts/fetch/approval.svelte.ts';
import type { FaultBody } from '#contract/fault.ts';
import type { Coverage, SourceId, SourceInfo } from '#contract/source.ts';
import type { PageFault } from '#core/counts/check.ts';
import type { CellRecord, Invalidation, Revision } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
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

/**
 * Where counts are kept. Everything of one call is one transaction, whole or not at all.
 *
 * Every method throws a `Fault` of type `CACHE_FULL`, `CACHE_OUTDATED`, `CACHE_DELETED` or `CACHE_BROKEN`.
 */
export interface CountsCache {
  /** The receipts of a series as text: where that is the same as before, so are its cells. */
  version(series: string): Promise<string>;
  /** In order of cells. */
  summaries(range: CellRange): Promise<CellSummary[]>;
  /** In order of cells. */
  records(range: CellRange): Promise<CellRecord[]>;
  /**
   * Merges the records of one answer into what is there and writes them, their summaries and the receipt,
   * takes the receipt's ask out, and counts its price, the first time, to the run of the series.
   *
   * @param records - None where the page was not believed or only compared.
   * @param compared - Records that are only held against what is there: audits and probes.
   * @returns The records as they stand now, what the answer contradicts, and whether the receipt is a new one.
   */
  write(
    records: readonly CellRecord[],
    receipt: Receipt,
    settleMs: number,
    compared?: readonly CellRecord[],
  ): Promise<{ records: CellRecord[]; revisions: Revision[]; added: boolean }>;
  /** Asks of a series that are not answered yet, oldest first. */
  asks(series: string): Promise<Ask[]>;
  putAsk(ask: Ask): Promise<void>;
  dropAsk(id: string): Promise<void>;
  /** What was agreed for a series; null where nothing is under way. */
  run(series: string): Promise<RunRow | null>;
  putRun(row: RunRow): Promise<void>;
  /** Pauses what is under way, or lets it go on. @returns As it stands then, null where there is nothing. */
  pauseRun(series: string, paused: boolean): Promise<RunRow | null>;
  dropRun(series: string): Promise<void>;
  /** What is noted of a series; null where it was never looked at. */
  seriesRow(key: string): Promise<SeriesRow | null>;
  /** Notes that a series is looked at, and how its query was typed; the rest of what is noted of it stays. */
  touch(row: SeriesRow): Promise<void>;
  /** Notes a head in full length. @param row - Noted where nothing is noted of the series. @param day - As in the row. */
  noteFullHead(row: SeriesRow, day: number): Promise<void>;
  /**
   * Has spans of a series bought again: raises them to a generation above every one that was raised there.
   *
   * @param row - Noted where nothing is noted of the series.
   * @returns What is raised then.
   */
  raise(row: SeriesRow, spans: readonly Span[]): Promise<Invalidation[]>;
  /**
   * Deletes everything of the series that was looked at longest ago. One stays that has a run, or an ask that
   * has not failed: another tab may be buying it.
   *
   * @param except - Keys of series that stay.
   * @returns The series that made room, or null where none is left.
   */
  makeRoom(except: readonly string[]): Promise<SeriesRow | null>;
  /** Whether the user agreed to {@link makeRoom}. */
  mayMakeRoom(): Promise<boolean>;
  setMayMakeRoom(may: boolean): Promise<void>;
  /**
   * Reads and rewrites what is known of a store; `change` is given null where nothing is. Where that begins another
   * epoch, the cells and receipts of all series of the store are deleted with it.
   */
  updateStore(key: string, change: (row: StoreRow | null) => StoreRow): Promise<StoreRow>;
  /** The sources as they were last heard of, null if never. */
  sources(): Promise<SourceInfo[] | null>;
  rememberSources(sources: readonly SourceInfo[]): Promise<void>;
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
