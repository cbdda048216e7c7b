import { cursorAfter, readCursor, type Bound } from '#server/ads/cursor.ts';
import type { ServiceContext } from '#server/context.ts';
import { sealBy } from '#server/http/page-token.ts';
import { checkMerchant, ownCatalog } from './merchant.ts';
import type { UserCaller } from '#server/auth/caller.ts';

/** A request that belongs to a catalog. */
interface Within {
  readonly caller: UserCaller;
  readonly params: { readonly product_catalog_id: string };
}

/** The parameters of a listing. */
interface Paged {
  readonly count: number;
  readonly cursor?: string | undefined;
}

/** The members that requests that belong to a catalog have in common. */
export function requestsWithin({
  service,
  catalogs,
  pageKey,
}: Pick<ServiceContext, 'service' | 'catalogs' | 'pageKey'>) {
  const seal = sealBy(pageKey);
  const within = ({ caller, params }: Within): number => {
    checkMerchant(service, caller);
    return ownCatalog(catalogs.store, caller, 'product_catalog_id', params.product_catalog_id).id;
  };
  return {
    /** The id of the catalog of a request. */
    within,
    /** Changes the catalog of a request, while no feed is written. */
    change: <T>(call: Within, work: (catalog: number) => T): Promise<T> =>
      catalogs.feeds.write(() => work(within(call))),
    /** A page of a listing by keys. @param read - Returns rows after a key, and the key to continue after. */
    page: <T>(
      { count, cursor }: Paged,
      bound: Bound,
      read: (after: number, limit: number) => readonly [rows: T, next: number | null],
    ): readonly [rows: T, next: string | null] => {
      const after = cursor === undefined ? 0 : Number(readCursor(cursor, bound, seal)[0]);
      const [rows, next] = read(after, count);
      return [rows, next === null ? null : cursorAfter([String(next)], bound, seal)];
    },
  };
}

/** The first rows of those found, and the key to continue after; null if there are no more. */
export function pageByKey<T>(found: readonly T[], limit: number, keyOf: (row: T) => number) {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return [rows, last === undefined ? null : keyOf(last)] as const;
}
