import {
  isCondition,
  readFilter,
  type ProductCondition,
  type Filter,
} from '#core/catalog/filter.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { pathId, refuseUnknown } from './merchant.ts';
import { pageByKey } from './requests.ts';
import type { Member, StoredSet } from '#server/catalog/set-table.ts';
import type { CatalogStore } from '#server/catalog/store.ts';
import type { SetBody, SetChange, SetObject } from '#contract/catalog/catalog-set.ts';

/** @throws {@link Fault} 400 for a filter that cannot be used. */
function conditionOf(filter: Filter): ProductCondition {
  const read = readFilter(filter);
  if (isCondition(read)) return read;
  const value = filter[read.part];
  const message = `Expected ${read.expected} for the ${read.part} of a filter by ${filter.attribute}, got "${value}" for filters`;
  throw advertiserFault(400, 'INVALID_PARAMETER', message, { parameter: 'filters', value });
}

/** A set as answers have it. Its filters are evaluated as it is read, so it is always complete. */
export function setJson(
  { id, name, description, type, filters }: StoredSet,
  products: readonly Member[] | null,
): SetObject {
  return {
    id: String(id),
    name,
    description,
    type,
    filters: filters.map((filter) => ({ ...filter })),
    product_ids: products && products.map((product) => product.id),
    processing_status: 'DONE',
  };
}

/** Keys of products of a catalog. @throws {@link Fault} 400 for a key of none. */
function knownKeys(store: CatalogStore, catalog: number, keys: readonly string[]): number[] {
  return keys.map((key) => {
    if (store.products.has(catalog, Number(key))) return Number(key);
    const message = `Product ${key} was not found in this catalog`;
    const at = { parameter: 'product_keys', value: key };
    throw advertiserFault(400, 'INVALID_PARAMETER', message, at);
  });
}

/** @throws {@link Fault} 404 if the catalog has no such set. */
export function ownSet(store: CatalogStore, catalog: number, id: string): StoredSet {
  return store.sets.find(catalog, pathId(id)) ?? refuseUnknown('Product set', 'id', id);
}

/** Products of a set, all of a manual one and a page of a filtered one; and the key to continue after, null at the end. */
export function productsOf(
  store: CatalogStore,
  catalog: number,
  { id, type, filters }: StoredSet,
  { after, limit }: { readonly after: number; readonly limit: number },
): readonly [products: readonly Member[], next: number | null] {
  if (type === 'MANUAL') return [store.sets.members(id), null];
  const conditions = filters.map(conditionOf);
  const found = store.sets.matching(catalog, conditions, { after, limit: limit + 1 });
  return pageByKey(found, limit, ({ key }) => key);
}

/** The number of products of a set, of a filtered one `most` at most. */
export function countMembers(
  store: CatalogStore,
  catalog: number,
  { id, type, filters }: StoredSet,
  most: number,
): number {
  if (type === 'MANUAL') return store.sets.members(id).length;
  return store.sets.count(catalog, filters.map(conditionOf), most);
}

/**
 * Creates a set.
 *
 * @throws {@link Fault} 400 unless a manual set has products and a filtered one filters that can be used.
 */
export function addSet(store: CatalogStore, catalog: number, body: SetBody): StoredSet {
  const { name, description = null, type, product_keys, filters } = body;
  const [needed, other] =
    type === 'MANUAL'
      ? (['product_keys', 'filters'] as const)
      : (['filters', 'product_keys'] as const);
  if (body[other] !== undefined) {
    const message = `"${other}" is not a parameter of a ${type} set`;
    throw advertiserFault(400, 'EXCLUSIVE_PARAMETERS', message, { parameter: other });
  }
  if (body[needed] === undefined) {
    const message = `"${needed}" is a missing parameter of a ${type} set`;
    throw advertiserFault(400, 'MISSING_PARAMETER', message, { parameter: needed });
  }
  for (const filter of filters ?? []) conditionOf(filter);
  return store.write('add-set', () => {
    const keys = knownKeys(store, catalog, product_keys ?? []);
    return store.sets.add(catalog, { name, description, type, filters: filters ?? [] }, keys);
  });
}

/**
 * Changes a manual set.
 *
 * @throws {@link Fault} 403 for a filtered set (platform-facts, section 11); 400 without a change, and for products that
 *   the catalog does not have.
 */
export function changeSet(
  store: CatalogStore,
  catalog: number,
  set: StoredSet,
  change: SetChange,
): StoredSet {
  if (set.type === 'FILTERED') {
    const message = 'A FILTERED set cannot be changed: delete it, and create another';
    throw advertiserFault(403, 'ACTION_NOT_ALLOWED', message);
  }
  const { name = set.name, description = set.description, product_keys } = change;
  if (Object.values(change).every((value) => value === undefined)) {
    const message = 'Expected at least one of name, description, product_keys';
    throw advertiserFault(400, 'MISSING_PARAMETER', message);
  }
  const changed = { ...set, name, description };
  store.write('change-set', () => {
    store.sets.put(changed, product_keys ? knownKeys(store, catalog, product_keys) : null);
  });
  return changed;
}
