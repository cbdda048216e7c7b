import type { Service } from '#server/auth/store.ts';
import type { CatalogStore, StoredCatalog } from '#server/catalog/store.ts';
import { CommandError } from '#server/command-error.ts';

/**
 * The one of a merchant.
 *
 * @param username - Null for the only one.
 * @param several - Several, in a sentence.
 * @param none - The message if there is none.
 * @throws {@link CommandError} if there is none, or no name for one of several.
 */
export function merchantsOne<T extends { readonly username: string }>(
  all: readonly T[],
  username: string | null,
  several: string,
  none: string,
): T {
  const named = all.filter(
    (each) => username === null || each.username.toLowerCase() === username.toLowerCase(),
  );
  const [first, second] = named;
  if (second) {
    const names = all.map((each) => each.username).join(', ');
    throw new CommandError(`${several}: name one with --user (${names}).`);
  }
  if (first) return first;
  throw new CommandError(none);
}

/** All catalogs with the accounts that they belong to. */
function merchantCatalogs(store: CatalogStore, service: Service) {
  return store.all().flatMap((catalog) => {
    const username = service.accountOf(catalog.user)?.username;
    return username === undefined ? [] : [{ ...catalog, username }];
  });
}

/**
 * The catalog of a merchant that has a feed.
 *
 * @param username - Null for the only one.
 * @throws {@link CommandError} if there is none, or no name for one of several.
 */
export function catalogWithFeed(
  store: CatalogStore,
  service: Service,
  username: string | null,
): StoredCatalog {
  const feeds = store.feeds.all();
  const none =
    username === null
      ? 'No product catalog has a scheduled feed.'
      : `@${username} has no product catalog with a scheduled feed.`;
  const having = merchantCatalogs(store, service).filter(({ id }) => feeds.has(id));
  return merchantsOne(having, username, 'Several merchants have a feed', none);
}

/** The catalog of a merchant. @throws {@link CommandError} as {@link catalogWithFeed}. */
export function catalogOf(store: CatalogStore, service: Service, username: string | null) {
  const none =
    username === null
      ? 'There is no product catalog: create one with groundswell catalog add NAME.'
      : `@${username} has no product catalog.`;
  const all = merchantCatalogs(store, service);
  return merchantsOne(all, username, 'Several merchants have a catalog', none);
}
