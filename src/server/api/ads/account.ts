import type { Context } from 'hono';
import type { RateLimit } from '#contract/endpoint.ts';
import { advertiserFault } from '#server/advertising/advertiser-fault.ts';
import type { UserCaller } from '#server/auth/tokens.ts';
import { RateLimiter, takeRequest } from '#server/http/rate-limit.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';

/** A request that reads or changes an ad account. */
interface AccountCall {
  readonly c: Context;
  readonly caller: UserCaller;
}

/**
 * Gives the ad account of a request.
 *
 * @throws {@link Fault} 403 ACCOUNT_NOT_FOUND if there is none of that id, or it belongs to another user; 429 beyond the
 *   limit of the ad account.
 */
export type OpenAccount = (call: AccountCall, id: string, withDeleted?: boolean) => AdEntity;

/** @param now - Epoch ms. */
export function accountOpener(store: AdsStore, now: () => number) {
  /** @param limit - Requests to an ad account, of all its users together. */
  return (limit: RateLimit): OpenAccount => {
    const limiter = new RateLimiter(limit, now, null);
    return ({ c, caller }, id, withDeleted = false) => {
      const account = store.find('ACCOUNT', id);
      if (!account || account.holder !== caller.user.id || (account.deleted && !withDeleted)) {
        const message = `There is no ad account of the id "${id}" for this user`;
        const at = { parameter: 'account_id', value: id };
        throw advertiserFault(403, 'ACCOUNT_NOT_FOUND', message, at);
      }
      if (caller.pool !== null) {
        takeRequest(c, [{ prefix: 'x-account-rate-limit', limiter, pool: id }]);
      }
      return account;
    };
  };
}
