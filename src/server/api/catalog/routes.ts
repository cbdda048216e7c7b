import { CATALOG } from '#contract/catalog/catalog.ts';
import type { UserCaller } from '#server/auth/tokens.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { entity, listing } from '#server/ads/envelope.ts';
import { cursorAfter, readCursor, type Bound } from '#server/ads/cursor.ts';
import type { Service } from '#server/auth/store.ts';
import { sealBy } from '#server/http/page-token.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import { addFeed, changedSettings, changeFeed, feedJson, isOtherFile, ownFeed } from './feeds.ts';
import { checkMerchant, checkUser, ownCatalog } from './merchant.ts';
import { productJson, putProducts, removeProducts } from './products.ts';
import { addSet, changeSet, ownSet, productsOf, setJson } from './sets.ts';
import type { StoredFeed } from '#server/catalog/feed-table.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';

export interface CatalogDeps {
  readonly http: Http;
  readonly service: Service;
  readonly catalogs: Catalogs;
  /** Seals cursors. */
  readonly pageKey: Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The first products of a manual set are all that it has. */
const FIRST = { after: 0, limit: 100 };

function catalogJson({ id, name }: StoredCatalog) {
  return { id: String(id), name };
}

/** Why a run of a feed ends, for its report. */
const CHANGED = 'The address or the format of the feed changed while it was read.';
const REMOVED = 'The feed was removed while it was read.';

/** A request that belongs to a catalog. */
interface Within {
  readonly caller: UserCaller;
  readonly params: { readonly product_catalog_id: string };
}

/** Catalogs of products, with their sets and feeds. */
export function catalog({ http, service, catalogs, pageKey, now }: CatalogDeps): Route[] {
  const { store, feeds } = catalogs;
  const seal = sealBy(pageKey);
  const { write } = feeds;
  /** Key after which a page of a listing begins. */
  const startOf = (cursor: string | undefined, bound: Bound): number =>
    cursor === undefined ? 0 : Number(readCursor(cursor, bound, seal)[0]);
  /** A page of a listing by keys: one more than `count` was read. */
  const paged = <T>(rows: readonly T[], count: number, keyOf: (row: T) => number, bound: Bound) => {
    const page = rows.slice(0, count);
    const last = page.at(-1);
    const next =
      rows.length > count && last !== undefined
        ? cursorAfter([String(keyOf(last))], bound, seal)
        : null;
    return { page, next };
  };
  /** The catalog of a request that belongs to a catalog. */
  const within = (caller: UserCaller, id: string): number => {
    checkMerchant(service, caller);
    return ownCatalog(store, caller, 'product_catalog_id', id).id;
  };
  /** Changes the catalog of a request, while no feed is written. */
  const change = <T>({ caller, params }: Within, work: (catalog: number) => T): Promise<T> =>
    write(() => work(within(caller, params.product_catalog_id)));
  return [
    http.serve(CATALOG.catalogs, (call) => {
      checkMerchant(service, call.caller);
      checkUser(call.caller, call.query.user_id);
      const own = store.of(call.caller.user.id);
      return listing(call, { data: own ? [catalogJson(own)] : [], next: null });
    }),
    http.serve(CATALOG.addCatalog, async (call) => {
      const { caller, query } = call;
      checkMerchant(service, caller);
      checkUser(caller, query.user_id);
      const added = await write(() => {
        const own = store.of(caller.user.id);
        if (!own) return store.add(caller.user.id, query.name, now());
        const message = `The user already has a product catalog, ${own.id}; a user may have one`;
        throw advertiserFault(403, 'ACTION_NOT_ALLOWED', message);
      });
      return entity(call, catalogJson(added));
    }),
    http.serve(CATALOG.setCatalog, async (call) => {
      checkMerchant(service, call.caller);
      const own = ownCatalog(store, call.caller, 'id', call.params.id);
      await write(() => store.rename(own.id, call.query.name));
      return entity(call, catalogJson({ ...own, name: call.query.name }));
    }),
    http.serve(CATALOG.removeCatalog, async (call) => {
      checkMerchant(service, call.caller);
      const own = ownCatalog(store, call.caller, 'id', call.params.id);
      await catalogs.remove(own.id);
      return entity(call, catalogJson(own));
    }),
    http.serve(CATALOG.products, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const { count, cursor, item_group_key } = call.query;
      const group = item_group_key === undefined ? null : Number(item_group_key);
      const bound = ['products', of, group];
      const after = startOf(cursor, bound);
      const rows = store.products.page(of, { group, after, limit: count + 1 });
      const { page, next } = paged(rows, count, ({ key }) => key, bound);
      return listing(call, { data: page.map(productJson), next });
    }),
    http.serve(CATALOG.putProducts, async (call) => {
      const { products } = call.body;
      const products_response = await change(call, (of) => putProducts(store, of, products, now()));
      return entity(call, { products_response });
    }),
    http.serve(CATALOG.removeProducts, async (call) => {
      const { product_keys } = call.body;
      const delete_products = await change(call, (of) => removeProducts(store, of, product_keys));
      return entity(call, { delete_products }, { product_keys });
    }),
    http.serve(CATALOG.sets, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const { count, cursor } = call.query;
      const bound = ['sets', of];
      const rows = store.sets.page(of, startOf(cursor, bound), count + 1);
      const { page, next } = paged(rows, count, ({ id }) => id, bound);
      const data = page.map((set) =>
        setJson(set, set.type === 'MANUAL' ? productsOf(store, of, set, FIRST).products : null),
      );
      return listing(call, { data, next });
    }),
    http.serve(CATALOG.set, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const set = ownSet(store, of, call.params.id);
      const { count, cursor } = call.query;
      const bound = ['set', set.id];
      const { products, next } = productsOf(store, of, set, {
        after: startOf(cursor, bound),
        limit: count,
      });
      const { request, data } = entity(call, setJson(set, products));
      const next_cursor = next === null ? null : cursorAfter([String(next)], bound, seal);
      return { request, next_cursor, data };
    }),
    http.serve(CATALOG.addSet, async (call) => {
      const [set, products] = await change(call, (of) => {
        const added = addSet(store, of, call.body);
        return [added, productsOf(store, of, added, FIRST).products] as const;
      });
      return entity(call, setJson(set, products), call.body);
    }),
    http.serve(CATALOG.setSet, async (call) => {
      const set = await change(call, (of) =>
        changeSet(store, of, ownSet(store, of, call.params.id), call.body),
      );
      return entity(call, setJson(set, store.sets.members(set.id)), call.body);
    }),
    http.serve(CATALOG.removeSet, async (call) => {
      const [set, products] = await change(call, (of) => {
        const found = ownSet(store, of, call.params.id);
        const had = productsOf(store, of, found, FIRST).products;
        store.sets.remove(found.id);
        return [found, had] as const;
      });
      return entity(call, setJson(set, products));
    }),
    http.serve(CATALOG.feeds, (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const feed = store.feeds.of(of);
      return listing(call, { data: feed ? [feedJson(feed, of)] : [], next: null });
    }),
    http.serve(CATALOG.addFeed, async (call) => {
      const json = await change(call, (of) => feedJson(addFeed(store, of, call.query, now()), of));
      return entity(call, json);
    }),
    http.serve(CATALOG.setFeed, async (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const found = (): StoredFeed => ownFeed(store, of, call.params.id);
      const put = (): StoredFeed => changeFeed(store, of, found(), call.query, now());
      const before = found();
      // Refused before a run ends for it.
      const isOther = isOtherFile(before, changedSettings(before, call.query));
      const feed = await (isOther ? feeds.change(of, CHANGED, put) : write(put));
      return entity(call, feedJson(feed, of));
    }),
    http.serve(CATALOG.removeFeed, async (call) => {
      const of = within(call.caller, call.params.product_catalog_id);
      const feed = ownFeed(store, of, call.params.id);
      await feeds.change(of, REMOVED, () => {
        store.feeds.remove(feed.id);
        store.downloads.forget(of);
      });
      return entity(call, feedJson(feed, of));
    }),
  ];
}
