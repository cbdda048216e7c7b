import type { ProductResult } from '#contract/catalog/catalog.ts';
import { readProduct, type ProductReading } from '#core/catalog/read-product.ts';
import type { StoredProduct } from '#server/catalog/product-reader.ts';
import type { Written } from '#server/catalog/product-table.ts';
import type { CatalogStore } from '#server/catalog/store.ts';

const STATUSES: Readonly<Record<Written['did'], ProductResult['status']>> = {
  created: 'CREATE_SUCCESS',
  updated: 'UPDATE_SUCCESS',
  unchanged: 'NO_CHANGE',
};

/** A product as answers have it. */
export function productJson({ key, group, product }: StoredProduct) {
  return {
    ...product,
    product_key: String(key),
    item_group_key: group === null ? null : String(group),
  };
}

/**
 * Creates and updates products, all in one transaction. Every occurrence of an id that a batch has more than once is
 * ignored.
 *
 * @param at - Epoch ms.
 * @returns A result for each product, in their order.
 */
export function putProducts(
  store: CatalogStore,
  catalog: number,
  products: readonly Readonly<Record<string, unknown>>[],
  at: number,
): ProductResult[] {
  const ids = products.map(({ id }) => (typeof id === 'string' ? id.trim() : null));
  const isRepeated = (index: number): boolean => {
    const id = ids[index] ?? '';
    return id !== '' && ids.indexOf(id) !== ids.lastIndexOf(id);
  };
  const read = products.map((raw, index): ProductReading => {
    if (!isRepeated(index)) return readProduct(raw);
    const message = 'This id occurs more than once in the batch; every occurrence was ignored';
    const value = ids[index] ?? '';
    const error = { code: 'INVALID_PARAMETER', parameter: 'id', value, message } as const;
    return { product: null, errors: [error], warnings: [] };
  });
  const valid = read.flatMap(({ product }) => (product ? [{ product, digest: null }] : []));
  const written = store.write('products', () => {
    const all = store.products.put(catalog, valid, at);
    if (all.some(({ did }) => did !== 'unchanged')) store.downloads.forget(catalog);
    return all;
  });
  const results = written.values();
  return read.map(({ product, warnings, errors }, index): ProductResult => {
    const { key, did } = (product && results.next().value) ?? { key: null, did: null };
    return {
      id: ids[index] ?? null,
      product_key: key === null ? null : String(key),
      status: did ? STATUSES[did] : 'ERROR',
      warnings: [...warnings],
      errors: [...errors],
    };
  });
}

/**
 * Removes products, all in one transaction.
 *
 * @returns The products that were removed and those that were not, in the order of the keys.
 */
export function removeProducts(store: CatalogStore, catalog: number, keys: readonly string[]) {
  return store.write('remove-products', () => {
    store.downloads.forget(catalog);
    return keys.map((key) =>
      store.products.remove(catalog, Number(key))
        ? { product_key: key, failed_product_key: null, message: null }
        : {
            product_key: null,
            failed_product_key: key,
            message: `Product ${key} was not found in this catalog`,
          },
    );
  });
}
