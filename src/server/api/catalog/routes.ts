import { CATALOG } from '#contract/catalog/catalog.ts';
import { entity, listing } from '#server/ads/envelope.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { addFeed, changeFeed, feedJson, ownFeed } from './feeds.ts';
import { addCatalog, checkMerchant, checkUser, ownCatalog } from './merchant.ts';
import { productJson, putProducts, removeProducts } from './products.ts';
import { pageByKey, requestsWithin } from './requests.ts';
import { addSet, changeSet, ownSet, productsOf, setJson } from './sets.ts';
import type { StoredCatalog } from '#server/catalog/store.ts';
import type { UserCaller } from '#server/auth/caller.ts';

/** The first products of a manual set are all that it has. */
const FIRST = { after: 0, limit: 100 };

function catalogJson({ id, name }: StoredCatalog) {
  return { id: String(id), name };
}

/** The reason a run of a feed ends, for its report. */
const REMOVED = 'The feed was removed while it was read.';

/** Catalogs of products, with their sets and feeds. */
export function catalog({ http, now, ...deps }: ServiceContext): Route[] {
  const { service, catalogs } = deps;
  const { store, feeds } = catalogs;
  const { write } = feeds;
  const { within, change, page } = requestsWithin(deps);
  /** The catalog that a request is about. */
  const own = ({ caller, params }: { caller: UserCaller; params: { id: string } }) => {
    checkMerchant(service, caller);
    return ownCatalog(store, caller, 'id', params.id);
  };
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
      const added = await addCatalog(catalogs, service, caller, query.name, now());
      return entity(call, catalogJson(added));
    }),
    http.serve(CATALOG.setCatalog, async (call) => {
      const found = own(call);
      await write(() => store.rename(found.id, call.query.name));
      return entity(call, catalogJson({ ...found, name: call.query.name }));
    }),
    http.serve(CATALOG.removeCatalog, async (call) => {
      const found = own(call);
      await catalogs.remove(found.id);
      return entity(call, catalogJson(found));
    }),
    http.serve(CATALOG.products, (call) => {
      const of = within(call);
      const { item_group_key } = call.query;
      const group = item_group_key === undefined ? null : Number(item_group_key);
      const [rows, next] = page(call.query, ['products', of, group], (after, limit) => {
        const found = store.products.page(of, { group, after, limit: limit + 1 });
        return pageByKey(found, limit, ({ key }) => key);
      });
      return listing(call, { data: rows.map(productJson), next });
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
      const of = within(call);
      const [rows, next] = page(call.query, ['sets', of], (after, limit) =>
        pageByKey(store.sets.page(of, after, limit + 1), limit, ({ id }) => id),
      );
      const data = rows.map((set) =>
        setJson(set, set.type === 'MANUAL' ? productsOf(store, of, set, FIRST)[0] : null),
      );
      return listing(call, { data, next });
    }),
    http.serve(CATALOG.set, (call) => {
      const of = within(call);
      const set = ownSet(store, of, call.params.id);
      const [products, next_cursor] = page(call.query, ['set', set.id], (after, limit) =>
        productsOf(store, of, set, { after, limit }),
      );
      const { request, data } = entity(call, setJson(set, products));
      return { request, next_cursor, data };
    }),
    http.serve(CATALOG.addSet, async (call) => {
      const [set, products] = await change(call, (of) => {
        const added = addSet(store, of, call.body);
        return [added, productsOf(store, of, added, FIRST)[0]] as const;
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
        const had = productsOf(store, of, found, FIRST)[0];
        store.sets.remove(found.id);
        return [found, had] as const;
      });
      return entity(call, setJson(set, products));
    }),
    http.serve(CATALOG.feeds, (call) => {
      const of = within(call);
      const feed = store.feeds.of(of);
      return listing(call, { data: feed ? [feedJson(feed, of)] : [], next: null });
    }),
    http.serve(CATALOG.addFeed, async (call) => {
      const json = await change(call, (of) => feedJson(addFeed(store, of, call.query, now()), of));
      return entity(call, json);
    }),
    http.serve(CATALOG.setFeed, async (call) => {
      const of = within(call);
      ownFeed(store, of, call.params.id);
      return entity(call, feedJson(await changeFeed(catalogs, of, call.query, now()), of));
    }),
    http.serve(CATALOG.removeFeed, async (call) => {
      const of = within(call);
      const feed = ownFeed(store, of, call.params.id);
      await feeds.change(of, REMOVED, () => {
        store.feeds.remove(feed.id);
        store.downloads.forget(of);
      });
      return entity(call, feedJson(feed, of));
    }),
  ];
}
