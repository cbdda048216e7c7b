import { setImmediate } from 'node:timers/promises';
import { FEEDS, MOST_COUNTED } from '#contract/catalog/feeds.ts';
import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import type { StoredProduct } from '#server/catalog/product-reader.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { countMembers, productsOf } from './sets.ts';

/** Products of a page, and the earlier values of each; sets of a catalog. */
const PRODUCTS_SHOWN = 50;
const CHANGES_SHOWN = 10;
const SETS_SHOWN = 100;

/** Products that are searched at once, which takes some milliseconds. */
const SEARCHED = 2000;

/** The number of the catalog that a path names. @throws {@link Fault} 404 if there is none. */
export function catalogIn(store: CatalogStore, { id }: { readonly id: string }): number {
  if (store.has(Number(id))) return Number(id);
  throw plainProblem(404, 'Not Found', `The catalog ${id} does not exist.`);
}

function productRow({ key, product }: StoredProduct) {
  const { id, title, price, sale_price, availability } = product;
  return { key: String(key), id, title, price, sale_price, availability };
}

/** The first products whose id or title has a text, after a key, and the key to continue after; null at the end. */
async function productsWith(
  store: CatalogStore,
  catalog: number,
  text: string,
  start: number,
): Promise<readonly [shown: StoredProduct[], next: number | null]> {
  const among = text === '' ? PRODUCTS_SHOWN : SEARCHED;
  const found: StoredProduct[] = [];
  let after: number | null = start;
  while (after !== null && found.length < PRODUCTS_SHOWN) {
    const [some, next]: readonly [StoredProduct[], number | null] = store.products.search(
      catalog,
      text,
      { after, among },
    );
    found.push(...some);
    after = next;
    // Other requests come in between.
    await setImmediate();
  }
  const shown = found.slice(0, PRODUCTS_SHOWN);
  return [shown, found.length > PRODUCTS_SHOWN ? (shown.at(-1)?.key ?? null) : after];
}

/** The products and sets of catalogs on the page of developers. */
export function productSettings({ http, catalogs: { store } }: ServiceContext): Route[] {
  return [
    http.serve(FEEDS.products, async ({ params, query }) => {
      const catalog = catalogIn(store, params);
      const text = query.search?.trim().toLowerCase() ?? '';
      const [shown, next] = await productsWith(store, catalog, text, Number(query.after ?? 0));
      const products = shown.map((stored) => {
        const changes = store.products.history(stored.key).toReversed();
        return {
          ...productRow(stored),
          changes: changes.slice(0, CHANGES_SHOWN).map((each) => ({
            until: formatInstant(each.until),
            price: each.price,
            sale_price: each.salePrice,
            availability: each.availability,
          })),
        };
      });
      const total = store.products.count(catalog);
      return { total, products, next: next === null ? null : String(next) };
    }),
    http.serve(FEEDS.sets, ({ params }) => {
      const sets = store.sets.page(catalogIn(store, params), 0, SETS_SHOWN);
      return {
        sets: sets.map(({ id, name, type, filters }) => ({
          id: String(id),
          name,
          type,
          filters: filters.map(
            ({ attribute, operator, value }) => `${attribute} ${operator} ${value}`,
          ),
        })),
      };
    }),
    http.serve(FEEDS.setProducts, ({ params, query }) => {
      const catalog = catalogIn(store, params);
      const set = store.sets.find(catalog, Number(params.set));
      if (!set) throw plainProblem(404, 'Not Found', `There is no set ${params.set}.`);
      const part = { after: Number(query.after ?? 0), limit: PRODUCTS_SHOWN };
      const [members, next] = productsOf(store, catalog, set, part);
      const products = members.flatMap(({ key }) => {
        const found = store.products.find(catalog, key);
        return found ? [productRow(found)] : [];
      });
      const total = countMembers(store, catalog, set, MOST_COUNTED);
      return { total, products, next: next === null ? null : String(next) };
    }),
  ];
}
