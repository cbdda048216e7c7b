import * as v from 'valibot';
import { COUNTS } from './count-operations.ts';
import { endpoint, type Endpoint, type RelayPrice } from '#contract/endpoint.ts';
import { SEARCH } from '#contract/posts/search.ts';
import { TIMELINES } from '#contract/posts/timelines.ts';
import { USERS } from '#contract/relations/users.ts';
import { ofSource } from './source.ts';

const SEARCH_PRICE = { post: 'post', user: 'user' } as const;

/** Has no checks, access rule or limits, because the platform applies its own. */
function relayed(of: Endpoint, relayPrice: RelayPrice) {
  return endpoint(of.method, ofSource(of, 'platform').path, {
    authentication: of.authentication,
    params: v.record(v.string(), v.string()),
    relayPrice,
  });
}

/** The same for the dashboard alone. */
function relayedToSession(of: Endpoint) {
  return relayed({ ...of, authentication: ['session'] }, SEARCH_PRICE);
}

/** Pages of the platform, bought or from the relay's store. */
export const RELAY = {
  counts: {
    recent: relayed(COUNTS.recent, { request: 'recent' }),
    all: relayed(COUNTS.all, { request: 'all' }),
  },
  search: {
    recent: relayed(SEARCH.recent, SEARCH_PRICE),
    all: relayed(SEARCH.all, SEARCH_PRICE),
  },
  /** The account that the token is for, an account by its name, and the Posts of one. */
  own: {
    me: relayedToSession(USERS.me),
    user: relayedToSession(USERS.byUsername),
    posts: relayedToSession(TIMELINES.posts),
  },
};
