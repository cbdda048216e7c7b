import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { Username } from '#contract/accounts/accounts.ts';
import { CatalogName } from './catalog.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { onlyParameters, pathOf } from '#contract/parameters.ts';
import { FEED, FEED_FORMATS, FREQUENCIES, REPEATS } from './catalog-feed.ts';
import { SET_TYPES } from './catalog-set.ts';

const ID = /^\d{1,16}$/;
const id = v.pipe(v.string(), v.regex(ID));
const nullable = v.nullable(v.string());

const NOTE_KINDS = ['error', 'warning'] as const;

/** Most rows of a page. */
export const MOST_ROWS = 100;

/** A run of a feed. Its rows are `created` + `updated` + `unchanged` + `refused`. */
export const FeedRunInfo = v.object({
  id,
  started_at: Time,
  /** Null while it runs. */
  ended_at: v.nullable(Time),
  /** `unchanged`: the host said that the file is still the one of `unchanged_since`, so it was not read. */
  outcome: v.picklist(['running', 'complete', 'unchanged', 'failed']),
  unchanged_since: v.nullable(Time),
  /** The reason it failed, in words. */
  fault: nullable,
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
  id,
  url: v.string(),
  format: v.picklist(FEED_FORMATS),
  frequency: v.picklist(FREQUENCIES),
  /** Every how many hours an hourly feed is read, or the weekday of a weekly one. */
  repeat: nullable,
  /** HH:MM in `time_zone`. */
  start_time: v.string(),
  time_zone: v.string(),
  next_run: Time,
});
export type FeedInfo = v.InferOutput<typeof FeedInfo>;

export const MerchantCatalog = v.object({
  id,
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

/** The account of a merchant; null for the only one that there is. */
const merchant = v.nullable(Username);

/** To read a feed now, or a file of this machine, once. */
export const FeedOrder = v.variant('action', [
  v.strictObject({
    action: v.literal('run'),
    username: merchant,
    /** True if the feed may be on this machine and its network; a running service decides that itself. */
    private: v.boolean(),
  }),
  v.strictObject({
    action: v.literal('file'),
    username: merchant,
    /** Absolute path. */
    file: v.string(),
    format: v.picklist(FEED_FORMATS),
  }),
]);
export type FeedOrder = v.InferOutput<typeof FeedOrder>;

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
      product: nullable,
      errors: v.array(Note),
      warnings: v.array(Note),
    }),
  ),
  /** The value of `after` for the next page; null on the last one. */
  next: nullable,
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

const RowsQuery = onlyParameters({
  after: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^(?:error|warning)-\d{1,15}$/,
        'The query parameter `after` is no place of a report',
      ),
      v.transform((text) => {
        const [kind, number] = text.split('-');
        return { kind: kind as (typeof NOTE_KINDS)[number], number: Number(number) };
      }),
    ),
  ),
  /** With `rule`, only the rows that break it. */
  kind: v.optional(
    v.picklist(NOTE_KINDS, 'The query parameter `kind` is not one of [error,warning]'),
  ),
  rule: v.optional(v.string()),
});

/** A catalog to create. */
const NewCatalog = v.strictObject({
  name: CatalogName,
  /** The account that it belongs to. */
  username: Username,
});

/** The settings of a feed, which replace those that it has. */
export const FeedTerms = v.variant('frequency', [
  v.strictObject({
    ...FEED,
    frequency: v.literal('HOURLY'),
    repeat: v.picklist(REPEATS.HOURLY),
  }),
  v.strictObject({ ...FEED, frequency: v.literal('DAILY') }),
  v.strictObject({
    ...FEED,
    frequency: v.literal('WEEKLY'),
    repeat: v.picklist(REPEATS.WEEKLY),
  }),
]);
export type FeedTerms = v.InferOutput<typeof FeedTerms>;

/** To create a catalog, to give it a feed, or to change that. */
export const MerchantOrder = v.variant('action', [
  v.strictObject({ action: v.literal('add'), username: merchant, name: CatalogName }),
  v.strictObject({ action: v.literal('add-feed'), username: merchant, feed: FeedTerms }),
  v.strictObject({
    action: v.literal('set-feed'),
    username: merchant,
    change: v.partial(v.strictObject({ ...FEED, repeat: v.string() })),
  }),
]);
export type MerchantOrder = v.InferOutput<typeof MerchantOrder>;

const catalog = pathOf('id', ID);
const run = v.object({ ...catalog.entries, ...pathOf('run', ID).entries });

/** The values of a product that change. */
const OFFER = { price: v.string(), sale_price: nullable, availability: v.string() };
const PRODUCT = {
  /** Its key. */
  key: v.string(),
  id: v.string(),
  title: v.string(),
  ...OFFER,
};

export const ProductPage = v.object({
  /** All products of the catalog. */
  total: Whole,
  products: v.array(
    v.object({
      ...PRODUCT,
      /** Earlier values and until when they were valid, the newest first. */
      changes: v.array(v.object({ until: Time, ...OFFER })),
    }),
  ),
  /** The value of `after` for the next page; null on the last one. */
  next: nullable,
});
export type ProductPage = v.InferOutput<typeof ProductPage>;

const AFTER = { after: v.optional(v.pipe(v.string(), v.regex(ID))) };
const FILE = {
  format: v.picklist(
    FEED_FORMATS,
    `The query parameter \`format\` is not one of [${FEED_FORMATS.join()}]`,
  ),
};

/** Most products of a filtered set that are counted. */
export const MOST_COUNTED = 10_000;

const SetProducts = v.object({
  /** The number of products, of a filtered set {@link MOST_COUNTED} at most. */
  total: Whole,
  products: v.array(v.object(PRODUCT)),
  next: nullable,
});
export type SetProducts = v.InferOutput<typeof SetProducts>;

const PRODUCTS = {
  /** A part of the id or the title, in any case. */
  search: v.optional(v.pipe(v.string(), v.maxLength(150))),
  ...AFTER,
};

const SetList = v.object({
  sets: v.array(
    v.object({
      id,
      name: v.string(),
      type: v.picklist(SET_TYPES),
      filters: v.array(v.string()),
    }),
  ),
});

/** The feeds of all catalogs, for the page of developers. */
export const FEEDS = {
  catalogs: sessionEndpoint('GET', '/catalogs', { answer: CatalogsAnswer }),
  /** Creates the catalog of an account that accepted the merchant terms and has none. */
  add: sessionEndpoint('POST', '/catalogs', { body: NewCatalog, answer: v.object({ id }) }),
  /** Gives a catalog its feed, or changes it. A run that reads another file ends. */
  putFeed: sessionEndpoint('PUT', '/catalogs/:id/feed', {
    params: catalog,
    body: FeedTerms,
    answer: v.object({ id }),
  }),
  /** Reads the feed of a catalog now; does nothing if it is being read. */
  run: sessionEndpoint('POST', '/catalogs/:id/run', {
    params: catalog,
    answer: v.object({ running: v.boolean() }),
  }),
  /** Reads the file that is the body, with a `content-length`, into a catalog, once. */
  file: sessionEndpoint('POST', '/catalogs/:id/file', {
    params: catalog,
    query: onlyParameters(FILE),
    answer: v.object({ running: v.boolean() }),
  }),
  /** Ends the run of a catalog's feed after its current batch, which stays. */
  cancel: sessionEndpoint('POST', '/catalogs/:id/cancel', {
    params: catalog,
    answer: v.object({ cancelled: v.boolean() }),
  }),
  rows: sessionEndpoint('GET', '/catalogs/:id/runs/:run/rows', {
    params: run,
    query: RowsQuery,
    answer: FeedRowsAnswer,
  }),
  /** The report of a run as CSV. */
  csv: sessionEndpoint('GET', '/catalogs/:id/runs/:run/csv', {
    params: run,
    answer: v.object({ csv: v.string() }),
  }),
  products: sessionEndpoint('GET', '/catalogs/:id/products', {
    params: catalog,
    query: onlyParameters(PRODUCTS),
    answer: ProductPage,
  }),
  sets: sessionEndpoint('GET', '/catalogs/:id/sets', { params: catalog, answer: SetList }),
  /** The products that are in a set now. */
  setProducts: sessionEndpoint('GET', '/catalogs/:id/sets/:set/products', {
    params: v.object({ ...catalog.entries, ...pathOf('set', ID).entries }),
    query: onlyParameters(AFTER),
    answer: SetProducts,
  }),
};
