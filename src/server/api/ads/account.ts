import type { Context } from 'hono';
import type { RateLimit } from '#contract/endpoint.ts';
import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import { RateLimiter, setLimit, takeRequest } from '#server/http/rate-limit.ts';
import type { Http } from '#server/http/serve.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import type { Caller, UserCaller } from '#server/auth/caller.ts';

/** The time zone of an ad account. */
export function accountZone({ fields }: AdEntity): string {
  return String(fields['timezone'] ?? USUAL_ZONE);
}

/** A request that reads or changes an ad account. */
interface AccountCall {
  readonly c: Context;
  readonly caller: UserCaller;
}

/** The requests that one limit of their ad account counts. */
export interface AccountRequests {
  /**
   * Gives the ad account of a request, and counts the request.
   *
   * @throws {@link Fault} 403 ACCOUNT_NOT_FOUND if there is none of that id, or it belongs to another user; 429 beyond the
   *   limit of the ad account.
   */
  open(call: AccountCall, id: string, withDeleted?: boolean): AdEntity;
  /** Serves an endpoint. A request that the limit of its user refuses has the limit of its ad account in the answer too. */
  readonly serve: Http['serve'];
}

/** @param now - Epoch ms. */
export function accountOpener({ serve }: Http, store: AdsStore, now: () => number) {
  /** @param limit - Requests to an ad account, of all its users together. */
  return (limit: RateLimit): AccountRequests => {
    const limiter = new RateLimiter(limit, now, null);
    const open: AccountRequests['open'] = ({ c, caller }, id, withDeleted = false) => {
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
    const refused = (c: Context, user: Caller['user']): void => {
      const id = c.req.param('account_id') ?? '';
      const account = store.find('ACCOUNT', id);
      if (account?.holder === user?.id) setLimit(c, 'x-account-rate-limit', limiter.peek(id));
    };
    return {
      open,
      serve: (endpoint, rule, options) => serve(endpoint, rule, { ...options, refused }),
    };
  };
}
