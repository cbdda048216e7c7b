import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { pathOf } from '#contract/parameters.ts';
import { FEED_FORMATS, FREQUENCIES } from './catalog-feed.ts';

export const CATALOG_ID = /^\d{1,16}$/;
/** An id of a catalog, a feed or a run. */
export const feedId = v.pipe(v.string(), v.regex(CATALOG_ID));
export const feedNullable = v.nullable(v.string());

export const NOTE_KINDS = ['error', 'warning'] as const;

/** Most rows of a page. */
export const MOST_ROWS = 100;

/** A run of a feed. Its rows are `created` + `updated` + `unchanged` + `refused`. */
export const FeedRunInfo = v.object({
  id: feedId,
  started_at: Time,
  /** Null while it runs. */
  ended_at: v.nullable(Time),
  /** `unchanged`: the host said that the file is still the one of `unchanged_since`, so it was not read. */
  outcome: v.picklist(['running', 'complete', 'unchanged', 'failed']),
  unchanged_since: v.nullable(Time),
  /** The reason it failed, in words. */
  fault: feedNullable,
  /** Size of the file as it was downloaded; null if that did not complete. */
  bytes: v.nullable(Whole),
  created: Whole,
  updated: Whole,
  unchanged: Whole,
  refused: Whole,
  /** The number of rows that break each rule: errors first, and of each kind the most frequent. */
  rules: v.array(v.object({ kind: v.picklist(NOTE_KINDS), rule: v.string(), rows: Whole })),
});
export type FeedRunInfo = v.InferOutput<typeof FeedRunInfo>;

/**
 * The present activity of a feed. It waits while the feed of another catalog is read, and reads the whole file before it
 * writes the first product.
 */
export const FeedProgress = v.object({
  state: v.picklist(['waiting', 'downloading', 'reading', 'writing']),
  /** Bytes that are downloaded or read. */
  bytes: Whole,
  /** All bytes of the file; null if the host does not say, and while it writes. */
  bytes_total: v.nullable(Whole),
  /** Rows that are read; those that are written while it writes. */
  rows: Whole,
  /** All rows; null unless it writes. */
  rows_total: v.nullable(Whole),
});
export type FeedProgress = v.InferOutput<typeof FeedProgress>;

const FeedInfo = v.object({
  id: feedId,
  url: v.string(),
  format: v.picklist(FEED_FORMATS),
  frequency: v.picklist(FREQUENCIES),
  /** Every how many hours an hourly feed is read, or the weekday of a weekly one. */
  repeat: feedNullable,
  /** HH:MM in `time_zone`. */
  start_time: v.string(),
  time_zone: v.string(),
  next_run: Time,
});
export type FeedInfo = v.InferOutput<typeof FeedInfo>;

export const MerchantCatalog = v.object({
  id: feedId,
  name: v.string(),
  /** The account that it belongs to. */
  username: v.string(),
  /** Null for a catalog without a feed. */
  feed: v.nullable(FeedInfo),
});
export type MerchantCatalog = v.InferOutput<typeof MerchantCatalog>;

/** All catalogs with their feeds and up to ten runs of each, the newest first, also of earlier feeds and of files. */
export const CatalogsAnswer = v.object({
  catalogs: v.array(
    v.object({
      ...MerchantCatalog.entries,
      /** Null unless a run is going on. */
      progress: v.nullable(FeedProgress),
      runs: v.array(FeedRunInfo),
    }),
  ),
});
export type CatalogsAnswer = v.InferOutput<typeof CatalogsAnswer>;

const Note = v.object({
  parameter: v.string(),
  value: v.optional(v.string()),
  message: v.string(),
});

/**
 * Rows of a run with errors, then those with warnings alone. A run stores the first 10,000 of either kind, and the first
 * 100 of each rule in any case.
 */
export const FeedRowsAnswer = v.object({
  rows: v.array(
    v.object({
      /** Its number, from 1 on; 0 for what concerns the whole feed. */
      row: Whole,
      /** The line of the file on which it begins, from 1 on. */
      line: Whole,
      /** The merchant's id of its product, if it has one. */
      product: feedNullable,
      errors: v.array(Note),
      warnings: v.array(Note),
    }),
  ),
  /** The value of `after` for the next page; null on the last one. */
  next: feedNullable,
});
export type FeedRowsAnswer = v.InferOutput<typeof FeedRowsAnswer>;

/** The text of a place in a report. */
export function reportPlaceText({
  kind,
  number,
}: {
  readonly kind: string;
  readonly number: number;
}) {
  return `${kind}-${number}`;
}

export const catalogPath = pathOf('id', CATALOG_ID);
export const runPath = v.object({ ...catalogPath.entries, ...pathOf('run', CATALOG_ID).entries });
