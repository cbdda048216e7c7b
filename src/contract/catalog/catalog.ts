import * as v from 'valibot';
import { FILTER_ATTRIBUTES, FILTER_OPERATORS } from '#core/catalog/filter.ts';
import {
  entityAnswer,
  expected,
  listAnswer,
  oneOf,
  parametersOf,
  wholeFrom,
} from '#contract/ads/advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { UNSTORED } from '#core/text/unstored.ts';
import { isZone } from '#core/time/zone-name.ts';

/** Most products of a batch, of a manual set, and of an order to delete; most filters of a set (specification, Limits). */
export const MOST_IN_BATCH = 25;
const MOST_IN_SET = 50;
const MOST_DELETED = 1000;
const MOST_FILTERS = 30;

/** Characters of a name and of a description. */
const MOST_NAME = 255;
const MOST_DESCRIPTION = 1000;

/** 25 products whose texts all have their full length, in JSON that escapes every character. */
const MAX_BATCH = 2 ** 22;

function text(parameter: string, most: number) {
  const message = expected(`a text of 1 to ${most} characters`, parameter);
  return v.pipe(
    v.string(message),
    v.trim(),
    v.check((value) => {
      const length = Array.from(value).length;
      return length > 0 && length <= most && !UNSTORED.test(value);
    }, message),
  );
}

/** An id of a path, of any form: the rule says that there is none. */
const path = v.string();
const CatalogPath = v.object({ id: path });
const ListPath = v.object({ product_catalog_id: path });
const ItemPath = v.object({ product_catalog_id: path, id: path });

/** The name of a catalog. */
export const CatalogName = text('name', MOST_NAME);

const user_id = v.optional(v.string());
const NONE = parametersOf({});
const PAGE = {
  count: v.optional(wholeFrom('count', 1, 100), '100'),
  cursor: v.optional(v.string()),
};

const keys = (most: number) =>
  v.pipe(
    v.array(
      v.pipe(v.string(), v.regex(/^\d{1,16}$/, expected('a product_key', 'product_keys'))),
      expected('a list of product keys', 'product_keys'),
    ),
    v.check(
      (list) => list.length > 0 && list.length <= most,
      expected(`1 to ${most} product keys`, 'product_keys'),
    ),
    v.check(
      (list) => new Set(list).size === list.length,
      expected('each product key once', 'product_keys'),
    ),
  );

const ProductsBody = parametersOf({
  products: v.pipe(
    v.array(v.record(v.string(), v.unknown()), expected('a list of products', 'products')),
    v.check(
      (list) => list.length > 0 && list.length <= MOST_IN_BATCH,
      ({ input }) => `Expected 1 to ${MOST_IN_BATCH} products, got ${input.length} for products`,
    ),
  ),
});

const DeleteBody = parametersOf({ product_keys: keys(MOST_DELETED) });

export const SET_TYPES = ['MANUAL', 'FILTERED'] as const;

const Filter = v.strictObject(
  {
    attribute: oneOf('filters', FILTER_ATTRIBUTES),
    operator: oneOf('filters', FILTER_OPERATORS),
    value: v.pipe(
      v.union(
        [v.string(), v.pipe(v.number(), v.transform(String))],
        expected('a text or a number as the value', 'filters'),
      ),
      v.check(
        (value) => Array.from(value).length <= 750 && !UNSTORED.test(value),
        expected('a value of at most 750 characters', 'filters'),
      ),
    ),
  },
  'Expected objects with attribute, operator and value for filters',
);

const SetBody = parametersOf({
  name: text('name', MOST_NAME),
  description: v.optional(v.nullable(text('description', MOST_DESCRIPTION))),
  type: oneOf('type', SET_TYPES),
  product_keys: v.optional(keys(MOST_IN_SET)),
  filters: v.optional(
    v.pipe(
      v.array(Filter, expected('a list of filters', 'filters')),
      v.check(
        (list) => list.length > 0 && list.length <= MOST_FILTERS,
        ({ input }) => `Expected 1 to ${MOST_FILTERS} filters, got ${input.length} for filters`,
      ),
    ),
  ),
});
export type SetBody = v.InferOutput<typeof SetBody>;

const SetChange = parametersOf({
  name: v.optional(text('name', MOST_NAME)),
  description: v.optional(v.nullable(text('description', MOST_DESCRIPTION))),
  product_keys: v.optional(keys(MOST_IN_SET)),
});
export type SetChange = v.InferOutput<typeof SetChange>;

export const FEED_FORMATS = ['CSV', 'TSV', 'XML'] as const;
export const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY'] as const;

/** Values of `repeat` by frequency; a daily feed has none (platform-facts, section 11). */
export const REPEATS = {
  HOURLY: ['1', '2', '3', '4', '6', '8', '12'],
  DAILY: [],
  WEEKLY: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'],
} as const satisfies Record<(typeof FREQUENCIES)[number], readonly string[]>;

function isAddress(value: string): boolean {
  if (!URL.canParse(value) || value.length > 2000) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** True for the name of a zone, which an offset is not. */
const isNamedZone = (value: string): boolean => isZone(value) && !/^[+-]/.test(value);

/** The parameters of every feed, whatever its frequency. */
export const FEED = {
  feed_url: v.pipe(
    v.string(),
    v.check(isAddress, expected('an http or https address without a password', 'feed_url')),
  ),
  feed_format: oneOf('feed_format', FEED_FORMATS),
  frequency: oneOf('frequency', FREQUENCIES),
  start_time: v.pipe(
    v.string(),
    v.regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, expected('a time HH:MM', 'start_time')),
  ),
  time_zone: v.pipe(v.string(), v.check(isNamedZone, expected('an IANA time zone', 'time_zone'))),
};
const repeat = v.optional(v.string());
const FeedQuery = parametersOf({ ...FEED, repeat });
export type FeedQuery = v.InferOutput<typeof FeedQuery>;
const FeedChange = parametersOf({ ...v.partial(v.object(FEED)).entries, repeat });
export type FeedChange = v.InferOutput<typeof FeedChange>;

const nullable = v.nullable(v.string());
export const CatalogObject = v.object({ id: v.string(), name: v.string() });
const ProductObject = v.looseObject({
  id: v.string(),
  product_key: v.string(),
  item_group_key: nullable,
  title: v.string(),
  price: v.string(),
});
const SetObject = v.object({
  id: v.string(),
  name: v.string(),
  description: nullable,
  type: v.picklist(SET_TYPES),
  filters: v.array(v.object({ attribute: v.string(), operator: v.string(), value: v.string() })),
  product_ids: v.nullable(v.array(v.string())),
  processing_status: v.picklist(['DONE', 'PROCESSING', 'FAILED']),
});
export type SetObject = v.InferOutput<typeof SetObject>;
const FeedObject = v.object({
  id: v.string(),
  product_catalog_id: v.string(),
  feed_url: v.string(),
  feed_format: v.picklist(FEED_FORMATS),
  frequency: v.picklist(FREQUENCIES),
  repeat: nullable,
  start_time: v.string(),
  time_zone: v.string(),
  created_at: v.string(),
  updated_at: v.string(),
});
export type FeedObject = v.InferOutput<typeof FeedObject>;

const Note = v.object({
  code: v.string(),
  parameter: v.string(),
  value: v.optional(v.string()),
  message: v.string(),
});
const ProductsAnswer = v.object({
  products_response: v.array(
    v.object({
      id: nullable,
      product_key: nullable,
      status: v.picklist(['CREATE_SUCCESS', 'UPDATE_SUCCESS', 'NO_CHANGE', 'ERROR']),
      warnings: v.array(Note),
      errors: v.array(Note),
    }),
  ),
});
export type ProductResult = v.InferOutput<typeof ProductsAnswer>['products_response'][number];
const DeletedAnswer = v.object({
  delete_products: v.array(
    v.object({ product_key: nullable, failed_product_key: nullable, message: nullable }),
  ),
});

const READ = { authentication: ['oauth1'], level: 'read' } as const;
const WRITE = { authentication: ['oauth1'], level: 'read-write' } as const;

const CATALOGS = '/5/product_catalogs';
const PRODUCTS = `${CATALOGS}/:product_catalog_id/products` as const;
const SETS = `${CATALOGS}/:product_catalog_id/product_sets` as const;
const FEEDS = `${CATALOGS}/:product_catalog_id/scheduled_feeds` as const;

/** Requests of a user in 15 minutes: by one app, and by all of them, which answers state too. */
function perUser(requests: number) {
  return { user: quarterHour(requests), account: quarterHour(requests) };
}

/** The table of limits has one row for the sets of a catalog; the reference adds reading one. */
const readSets = { limits: perUser(2000), budget: 'product sets' } as const;

/** The catalog. Sources: specification, Catalog endpoints and Limits; platform-facts, section 11, and its additions. */
export const CATALOG = {
  catalogs: endpoint('GET', CATALOGS, {
    ...READ,
    source: 'GET /product_catalogs',
    limits: perUser(1000),
    query: parametersOf({ user_id }),
    response: listAnswer(CatalogObject),
  }),
  addCatalog: endpoint('POST', CATALOGS, {
    ...WRITE,
    source: 'POST /product_catalogs',
    limits: perUser(20),
    formParameters: true,
    query: parametersOf({ name: CatalogName, user_id }),
    response: entityAnswer(CatalogObject),
  }),
  setCatalog: endpoint('PUT', `${CATALOGS}/:id`, {
    ...WRITE,
    source: 'PUT /product_catalogs/:product_catalog_id',
    limits: perUser(20),
    formParameters: true,
    params: CatalogPath,
    query: parametersOf({ name: CatalogName }),
    response: entityAnswer(CatalogObject),
  }),
  removeCatalog: endpoint('DELETE', `${CATALOGS}/:id`, {
    ...WRITE,
    source: 'DELETE /product_catalogs/:product_catalog_id',
    limits: perUser(20),
    params: CatalogPath,
    query: NONE,
    response: entityAnswer(CatalogObject),
  }),
  products: endpoint('GET', PRODUCTS, {
    ...READ,
    source: 'GET /product_catalogs/:product_catalog_id/products',
    limits: perUser(1000),
    params: ListPath,
    query: parametersOf({
      item_group_key: v.optional(
        v.pipe(v.string(), v.regex(/^\d{1,16}$/, expected('an item_group_key', 'item_group_key'))),
      ),
      ...PAGE,
    }),
    response: listAnswer(ProductObject),
  }),
  putProducts: endpoint('PUT', PRODUCTS, {
    ...WRITE,
    source: 'PUT /product_catalogs/:product_catalog_id/products',
    limits: perUser(600),
    params: ListPath,
    query: NONE,
    body: ProductsBody,
    maxBody: MAX_BATCH,
    response: entityAnswer(ProductsAnswer),
  }),
  removeProducts: endpoint('DELETE', PRODUCTS, {
    ...WRITE,
    source: 'DELETE /product_catalogs/:product_catalog_id/products',
    limits: perUser(150),
    params: ListPath,
    query: NONE,
    body: DeleteBody,
    response: entityAnswer(DeletedAnswer),
  }),
  sets: endpoint('GET', SETS, {
    ...READ,
    source: 'GET /product_catalogs/:product_catalog_id/product_sets',
    ...readSets,
    params: ListPath,
    query: parametersOf(PAGE),
    response: listAnswer(SetObject),
  }),
  set: endpoint('GET', `${SETS}/:id`, {
    ...READ,
    source: 'platform-facts, section 11',
    ...readSets,
    params: ItemPath,
    query: parametersOf(PAGE),
    response: v.object({
      ...entityAnswer(SetObject).entries,
      next_cursor: v.nullable(v.string()),
    }),
  }),
  addSet: endpoint('POST', SETS, {
    ...WRITE,
    source: 'POST /product_catalogs/:product_catalog_id/product_sets',
    limits: perUser(100),
    params: ListPath,
    query: NONE,
    body: SetBody,
    response: entityAnswer(SetObject),
  }),
  setSet: endpoint('PUT', `${SETS}/:id`, {
    ...WRITE,
    source: 'PUT /product_catalogs/:product_catalog_id/product_sets/:product_set_id',
    limits: perUser(500),
    params: ItemPath,
    query: NONE,
    body: SetChange,
    response: entityAnswer(SetObject),
  }),
  removeSet: endpoint('DELETE', `${SETS}/:id`, {
    ...WRITE,
    source: 'DELETE /product_catalogs/:product_catalog_id/product_sets/:product_set_id',
    limits: perUser(100),
    params: ItemPath,
    query: NONE,
    response: entityAnswer(SetObject),
  }),
  feeds: endpoint('GET', FEEDS, {
    ...READ,
    source: 'GET /product_catalogs/:product_catalog_id/scheduled_feeds',
    limits: perUser(1000),
    params: ListPath,
    query: NONE,
    response: listAnswer(FeedObject),
  }),
  addFeed: endpoint('POST', FEEDS, {
    ...WRITE,
    source: 'POST /product_catalogs/:product_catalog_id/scheduled_feeds',
    limits: perUser(20),
    formParameters: true,
    params: ListPath,
    query: FeedQuery,
    response: entityAnswer(FeedObject),
  }),
  setFeed: endpoint('PUT', `${FEEDS}/:id`, {
    ...WRITE,
    source: 'PUT /product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id',
    limits: perUser(20),
    formParameters: true,
    params: ItemPath,
    query: FeedChange,
    response: entityAnswer(FeedObject),
  }),
  removeFeed: endpoint('DELETE', `${FEEDS}/:id`, {
    ...WRITE,
    source: 'DELETE /product_catalogs/:product_catalog_id/scheduled_feeds/:scheduled_feed_id',
    limits: perUser(20),
    params: ItemPath,
    query: NONE,
    response: entityAnswer(FeedObject),
  }),
};
