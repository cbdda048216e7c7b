import { bodyOf, idAt } from './body.ts';
import { DELETION, INTERACTION, USER_READ } from './prices.ts';
import { endpoint } from './endpoint.ts';
import { quarterHour, userPage } from './paging.ts';
import { NO_PARAMETERS, pathOf, pathsOf } from './parameters.ts';

const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['tweet.read', 'tweet.write', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  query: NO_PARAMETERS,
} as const;

export interface RepostAnswer {
  data: { id: string; retweeted: true };
}
export interface UnrepostAnswer {
  data: { retweeted: false };
}

/** Reposts. Sources: platform-facts-additions, section 9; platform-openapi. */
export const REPOSTS = {
  users: endpoint('GET', '/2/tweets/:id/retweeted_by', {
    price: USER_READ,
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    scopes: ['tweet.read', 'users.read'],
    level: 'read',
    source: 'platform-openapi, getPostsRepostedBy',
    limits: { app: quarterHour(75), user: quarterHour(75) },
    params: pathOf('id'),
    query: userPage({ least: 1, most: 100, usual: 100 }),
  }),
  repost: endpoint('POST', '/2/users/:id/retweets', {
    price: INTERACTION,
    ...WRITING,
    limits: { user: quarterHour(50) },
    params: pathOf('id'),
    body: bodyOf({ tweet_id: idAt('tweet_id') }),
  }),
  unrepost: endpoint('DELETE', '/2/users/:id/retweets/:source_tweet_id', {
    price: DELETION,
    ...WRITING,
    limits: { user: quarterHour(50) },
    params: pathsOf('id', 'source_tweet_id'),
  }),
};
