import * as v from 'valibot';
import {
  entityAnswer,
  expected,
  listAnswer,
  parametersOf,
  wholeFrom,
} from '#contract/ads/advertising.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { shortText, MOST_IN_NAME, keys, orNull } from './catalog-text.ts';
import { SetObject, SetBody, SetChange } from './catalog-set.ts';
import { FeedObject, FeedQuery, FeedChange } from './catalog-feed.ts';

/** Most products of a batch, of a manual set, and of an order to delete; most filters of a set (specification, Limits). */
export const MOST_IN_BATCH = 25;

const MOST_DELETED = 1000;

/** 25 products whose texts all have their full length, in JSON that escapes every character. */
const MAX_BATCH = 2 ** 22;

/** An id of a path, of any form: the rule says that there is none. */
const path = v.string();
const CatalogPath = v.object({ id: path });
const ListPath = v.object({ product_catalog_id: path });
const ItemPath = v.object({ product_catalog_id: path, id: path });

/** The name of a catalog. */
export const CatalogName = shortText('name', MOST_IN_NAME);

const user_id = v.optional(v.string());
const NONE = parametersOf({});
const PAGE = {
  count: v.optional(wholeFrom('count', 1, 100), '100'),
  cursor: v.optional(v.string()),
};

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

export const CatalogObject = v.object({ id: v.string(), name: v.string() });
const ProductObject = v.looseObject({
  id: v.string(),
  product_key: v.string(),
  item_group_key: orNull,
  title: v.string(),
  price: v.string(),
});

const Note = v.object({
  code: v.string(),
  parameter: v.string(),
  value: v.optional(v.string()),
  message: v.string(),
});
const ProductsAnswer = v.object({
  products_response: v.array(
    v.object({
      id: orNull,
      product_key: orNull,
      status: v.picklist(['CREATE_SUCCESS', 'UPDATE_SUCCESS', 'NO_CHANGE', 'ERROR']),
      warnings: v.array(Note),
      errors: v.array(Note),
    }),
  ),
});
export type ProductResult = v.InferOutput<typeof ProductsAnswer>['products_response'][number];
const DeletedAnswer = v.object({
  delete_products: v.array(
    v.object({ product_key: orNull, failed_product_key: orNull, message: orNull }),
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
