import { CATALOG } from '#contract/catalog.ts';
import type { UserCaller } from '#server/auth/tokens.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import { entity, listing } from '#server/advertising/envelope.ts';
import type { Service } from '#server/auth/store.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { addFeed, changeFeed, feedJson, ownFeed } from './feeds.ts';
import { checkMerchant, checkUser, ownCatalog } from './merchant.ts';
import { productJson, putProducts, removeProducts } from './products.ts';
import { addSet, changeSet, ownSet, productsOf, setJson } from './sets.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';

export interface CatalogDeps {
  readonly http: Http;
  readonly service: Service;
  readonly catalogs: Catalogs;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The first products of a manual set are all that it has. */
const FIRST = { after: 0, limit: 100 };

function catalogJson({ id, name }: StoredCatalog) {
  return { id: String(id), name };
}

/** A page of a listing by ids: one more than `count` was read. */
function paged<T>(rows: readonly T[], count: number, keyOf: (row: T) => number) {
  const page = rows.slice(0, count);
  const last = page.at(-1);
  return { page, next: rows.length > count && last !== undefined ? String(keyOf(last)) : null };
}

/** Catalogs of products, with their sets and feeds. */
export function catalog({ http, service, catalogs, now }: CatalogDeps): Route[] {
  const { store } = catalogs;
  /** The catalog of a request that belongs to a catalog. */
  const within = (caller: UserCaller, id: string): number => {
    checkMerchant(service, caller);
    return ownCatalog(store, caller, 'product_catalog_id', id).id;
  };
  return [
    http.serve(CATALOG.catalogs, (call) => {
      checkMerchant(service, call.caller);
      checkUser(call.caller, call.query.user_id);
      const own = store.of(call.caller.user.id);
      return listing(call, { data: own ? [catalogJson(own)] : [], next: null });
    }),
    http.serve(CATALOG.addCatalog, (call) => {
      const { caller, query } = call;
      checkMerchant(service, caller);
      checkUser(caller, query.user_id);
      const own = store.of(caller.user.id);
      if (own) {
        const message = `The user already has a product catalog, ${own.id}; a user may have one`;
        throw advertiserFault(403, 'ACTION_NOT_ALLOWED', message);
      }
      return entity(call, catalogJson(store.add(caller.user.id, query.name, now())));
    }),
    http.serve(CATALOG.setCatalog, (call) => {
      checkMerchant(service, call.caller);
      const own = ownCatalog(store, call.caller, 'id', call.params.id);
      store.rename(own.id, call.query.name);
      return entity(call, catalogJson({ ...own, name: call.query.name }));
    }),
    http.serve(CATALOG.removeCatalog, (call) => {
      checkMerchant(service, call.caller);
      const own = ownCatalog(store, call.caller, 'id', call.params.id);
      store.remove(own.id);
      catalogs.removeOrphans();
      return entity(call, catalogJson(own));
    }),
    http.serve(CATALOG.products, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const { count, cursor, item_group_key } = call.query;
      const group = item_group_key === undefined ? null : Number(item_group_key);
      const after = Number(cursor ?? 0);
      const rows = store.products.page(of, { group, after, limit: count + 1 });
      const { page, next } = paged(rows, count, ({ key }) => key);
      return listing(call, { data: page.map(productJson), next });
    }),
    http.serve(CATALOG.putProducts, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const products_response = putProducts(store, of, call.body.products, now());
      return entity(call, { products_response });
    }),
    http.serve(CATALOG.removeProducts, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const { product_keys } = call.body;
      const delete_products = removeProducts(store, of, product_keys);
      return entity(call, { delete_products }, { product_keys });
    }),
    http.serve(CATALOG.sets, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const { count, cursor } = call.query;
      const rows = store.sets.page(of, Number(cursor ?? 0), count + 1);
      const { page, next } = paged(rows, count, ({ id }) => id);
      const data = page.map((set) =>
        setJson(set, set.type === 'MANUAL' ? productsOf(store, of, set, FIRST).products : null),
      );
      return listing(call, { data, next });
    }),
    http.serve(CATALOG.set, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const set = ownSet(store, of, call.params.id);
      const { count, cursor } = call.query;
      const { products, next } = productsOf(store, of, set, {
        after: Number(cursor ?? 0),
        limit: count,
      });
      const { request, data } = entity(call, setJson(set, products));
      return { request, next_cursor: next === null ? null : String(next), data };
    }),
    http.serve(CATALOG.addSet, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const set = addSet(store, of, call.body);
      const { products } = productsOf(store, of, set, FIRST);
      return entity(call, setJson(set, products), call.body);
    }),
    http.serve(CATALOG.setSet, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const set = changeSet(store, of, ownSet(store, of, call.params.id), call.body);
      return entity(call, setJson(set, store.sets.members(set.id)), call.body);
    }),
    http.serve(CATALOG.removeSet, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const set = ownSet(store, of, call.params.id);
      const { products } = productsOf(store, of, set, FIRST);
      store.sets.remove(set.id);
      return entity(call, setJson(set, products));
    }),
    http.serve(CATALOG.feeds, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const feed = store.feeds.of(of);
      return listing(call, { data: feed ? [feedJson(feed, of)] : [], next: null });
    }),
    http.serve(CATALOG.addFeed, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      return entity(call, feedJson(addFeed(store, of, call.query, now()), of));
    }),
    http.serve(CATALOG.setFeed, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const feed = ownFeed(store, of, call.params.id);
      return entity(call, feedJson(changeFeed(store, feed, call.query, now()), of));
    }),
    http.serve(CATALOG.removeFeed, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const feed = ownFeed(store, of, call.params.id);
      store.feeds.remove(feed.id);
      return entity(call, feedJson(feed, of));
    }),
  ];
}
