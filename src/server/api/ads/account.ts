import type { Context } from 'hono';
import type { RateLimit } from '#contract/endpoint.ts';
import { USUAL_ZONE } from '#contract/ads/ad-kinds.ts';
import { advertiserFault } from '#server/ads/advertiser-fault.ts';
import type { Caller, UserCaller } from '#server/auth/tokens.ts';
import { RateLimiter, setLimit, takeRequest } from '#server/http/rate-limit.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';

/** The time zone of an ad account. */
export function accountZone({ fields }: AdEntity): string {
  return String(fields['timezone'] ?? USUAL_ZONE);
}

/** A request that reads or changes an ad account. */
interface AccountCall {
  readonly c: Context;
  readonly caller: UserCaller;
}

/** The ad accounts of requests. */
export interface OpenAccount {
  /**
   * Gives the ad account of a request, and counts the request.
   *
   * @throws {@link Fault} 403 ACCOUNT_NOT_FOUND if there is none of that id, or it belongs to another user; 429 beyond the
   *   limit of the ad account.
   */
  (call: AccountCall, id: string, withDeleted?: boolean): AdEntity;
  /** Adds the limit of the ad account to the answer to a request that the limit of its user refuses. */
  readonly refused: (c: Context, user: Caller['user']) => void;
}

/** @param now - Epoch ms. */
export function accountOpener(store: AdsStore, now: () => number) {
  /** @param limit - Requests to an ad account, of all its users together. */
  return (limit: RateLimit): OpenAccount => {
    const limiter = new RateLimiter(limit, now, null);
    const open = ({ c, caller }: AccountCall, id: string, withDeleted = false): AdEntity => {
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
    const refused: OpenAccount['refused'] = (c, user) => {
      const id = c.req.param('account_id') ?? '';
      const account = store.find('ACCOUNT', id);
      if (account?.holder === user?.id) setLimit(c, 'x-account-rate-limit', limiter.peek(id));
    };
    return Object.assign(open, { refused });
  };
}
