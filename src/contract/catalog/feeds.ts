import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { Username } from '#contract/accounts/accounts.ts';
import { CatalogName } from './catalog.ts';
import { sessionEndpoint } from '#contract/endpoint.ts';
import { onlyParameters, pathOf } from '#contract/parameters.ts';
import { FEED, FEED_FORMATS, REPEATS } from './catalog-feed.ts';
import { SET_TYPES } from './catalog-set.ts';
import {
  NOTE_KINDS,
  feedNullable,
  CATALOG_ID,
  feedId,
  CatalogsAnswer,
  catalogPath,
  runPath,
  FeedRowsAnswer,
} from './feed-answers.ts';

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

/** The values of a product that change. */
const OFFER = { price: v.string(), sale_price: feedNullable, availability: v.string() };
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
  next: feedNullable,
});
export type ProductPage = v.InferOutput<typeof ProductPage>;

const AFTER = { after: v.optional(v.pipe(v.string(), v.regex(CATALOG_ID))) };
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
  next: feedNullable,
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
      id: feedId,
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
  add: sessionEndpoint('POST', '/catalogs', { body: NewCatalog, answer: v.object({ id: feedId }) }),
  /** Gives a catalog its feed, or changes it. A run that reads another file ends. */
  putFeed: sessionEndpoint('PUT', '/catalogs/:id/feed', {
    params: catalogPath,
    body: FeedTerms,
    answer: v.object({ id: feedId }),
  }),
  /** Reads the feed of a catalog now; does nothing if it is being read. */
  run: sessionEndpoint('POST', '/catalogs/:id/run', {
    params: catalogPath,
    answer: v.object({ running: v.boolean() }),
  }),
  /** Reads the file that is the body, with a `content-length`, into a catalog, once. */
  file: sessionEndpoint('POST', '/catalogs/:id/file', {
    params: catalogPath,
    query: onlyParameters(FILE),
    answer: v.object({ running: v.boolean() }),
  }),
  /** Ends the run of a catalog's feed after its current batch, which stays. */
  cancel: sessionEndpoint('POST', '/catalogs/:id/cancel', {
    params: catalogPath,
    answer: v.object({ cancelled: v.boolean() }),
  }),
  rows: sessionEndpoint('GET', '/catalogs/:id/runs/:run/rows', {
    params: runPath,
    query: RowsQuery,
    answer: FeedRowsAnswer,
  }),
  /** The report of a run as CSV. */
  csv: sessionEndpoint('GET', '/catalogs/:id/runs/:run/csv', {
    params: runPath,
    answer: v.object({ csv: v.string() }),
  }),
  products: sessionEndpoint('GET', '/catalogs/:id/products', {
    params: catalogPath,
    query: onlyParameters(PRODUCTS),
    answer: ProductPage,
  }),
  sets: sessionEndpoint('GET', '/catalogs/:id/sets', { params: catalogPath, answer: SetList }),
  /** The products that are in a set now. */
  setProducts: sessionEndpoint('GET', '/catalogs/:id/sets/:set/products', {
    params: v.object({ ...catalogPath.entries, ...pathOf('set', CATALOG_ID).entries }),
    query: onlyParameters(AFTER),
    answer: SetProducts,
  }),
};
