import {
  advertiserFault,
  advertiserFaults,
  type AdvertiserError,
} from '#server/ads/advertiser-fault.ts';
import type { Service } from '#server/auth/store.ts';
import type { Catalogs } from '#server/catalog/catalogs.ts';
import type { CatalogStore, StoredCatalog } from '#server/catalog/store.ts';
import type { UserCaller } from '#server/auth/caller.ts';

/** An id or key of this interface. */
const ID = /^\d{1,16}$/;

/**
 * Requires early access of the app and accepted merchant terms of the account (specification, Authentication 6).
 *
 * @throws {@link Fault} 403 that names what is missing and how to obtain it here.
 */
export function checkMerchant(
  service: Service,
  { app, user }: Pick<UserCaller, 'app' | 'user'>,
): void {
  const missing: AdvertiserError[] = [];
  if (app && !app.settings.early_access) {
    missing.push({
      code: 'UNAUTHORIZED_CLIENT_APPLICATION',
      message: `Catalog operations need early access, which the app ${app.name} does not have. Give it early access on the page /developers of the dashboard, or run: groundswell app set "${app.name}" --early-access yes`,
    });
  }
  if (!service.accountOf(user.id)?.profile.merchant_terms) {
    missing.push({
      code: 'ACTION_NOT_ALLOWED',
      message: `Catalog operations need the merchant terms, which @${user.username} has not accepted. Accept them on the page /developers of the dashboard, or run: groundswell user set ${user.username} --merchant-terms yes`,
    });
  }
  if (missing.length > 0) throw advertiserFaults(403, missing);
}

/** @throws {@link Fault} 403 for another user than the caller, whom `user_id` may name. */
export function checkUser({ user }: UserCaller, id: string | undefined): void {
  if (id === undefined || id === user.id) return;
  const message = `User ${id} was not found, or is not the user of this request`;
  throw advertiserFault(403, 'USER_NOT_FOUND', message, { parameter: 'user_id', value: id });
}

/** @throws {@link Fault} 404 for an id that nothing has. */
export function refuseUnknown(what: string, parameter: string, value: string): never {
  const code = ID.test(value) ? 'NOT_FOUND' : 'INVALID_ID_ILLEGAL_CHARACTERS';
  throw advertiserFault(404, code, `${what} ${value} was not found`, { parameter, value });
}

/** An id of a path as a number; NaN, which nothing has, for another text. */
export function pathId(text: string): number {
  return ID.test(text) ? Number(text) : NaN;
}

/**
 * The caller's catalog, by its id.
 *
 * @throws {@link Fault} 404 if the caller has no catalog of that id.
 */
export function ownCatalog(
  store: CatalogStore,
  { user }: UserCaller,
  parameter: 'id' | 'product_catalog_id',
  id: string,
): StoredCatalog {
  const catalog = store.of(user.id);
  return catalog && catalog.id === pathId(id)
    ? catalog
    : refuseUnknown('Product catalog', parameter, id);
}

/**
 * Creates the catalog of a user.
 *
 * @param at - Epoch ms.
 * @throws {@link Fault} as {@link checkMerchant}; 403 if the user has a catalog.
 */
export async function addCatalog(
  { store, feeds }: Catalogs,
  service: Service,
  caller: Pick<UserCaller, 'app' | 'user'>,
  name: string,
  at: number,
): Promise<StoredCatalog> {
  checkMerchant(service, caller);
  const { id, username } = caller.user;
  return await feeds.write(() => {
    const own = store.of(id);
    if (!own) return store.add(id, name, at);
    const message = `@${username} already has a product catalog, ${own.id}; a user may have one`;
    throw advertiserFault(403, 'ACTION_NOT_ALLOWED', message);
  });
}
