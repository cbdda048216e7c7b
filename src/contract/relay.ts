import { COUNTS } from './counts.ts';
import { endpoint } from './endpoint.ts';
import type { Endpoint, Price } from './endpoint.ts';
import { SEARCH } from './search.ts';
import { ofSource } from './source.ts';

const SEARCH_PRICE = { post: 'post', user: 'user' } as const;

/** The platform judges the parameters, the access level and its own limits. */
function relayed(of: Endpoint, price: Price) {
  return endpoint(of.method, ofSource(of, 'platform').path, {
    authentication: of.authentication,
    price,
  });
}

/** Pages of the platform, bought or held. */
export const RELAY = {
  counts: {
    recent: relayed(COUNTS.recent, { request: 'recent' }),
    all: relayed(COUNTS.all, { request: 'all' }),
  },
  search: {
    recent: relayed(SEARCH.recent, SEARCH_PRICE),
    all: relayed(SEARCH.all, SEARCH_PRICE),
  },
};
