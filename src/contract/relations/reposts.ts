import * as v from 'valibot';
import { pageOf, UserObject } from '#contract/answers.ts';
import { bodyOf, idAt } from '#contract/body.ts';
import { DELETION, INTERACTION, USER_READ } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour, quarterHours, userPage } from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['tweet.read', 'tweet.write', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  query: NO_PARAMETERS,
  limits: { user: quarterHour(50) },
} as const;

export const RepostAnswer = v.object({
  data: v.object({ id: v.string(), retweeted: v.literal(true) }),
});
export type RepostAnswer = v.InferOutput<typeof RepostAnswer>;
export const UnrepostAnswer = v.object({ data: v.object({ retweeted: v.literal(false) }) });
export type UnrepostAnswer = v.InferOutput<typeof UnrepostAnswer>;

/** Reposts. Sources: platform-facts-additions, section 9; platform-openapi. */
export const REPOSTS = {
  users: endpoint('GET', '/2/tweets/:id/retweeted_by', {
    price: USER_READ,
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    scopes: ['tweet.read', 'users.read'],
    level: 'read',
    source: 'platform-openapi, getPostsRepostedBy',
    limits: quarterHours(75),
    query: userPage({ min: 1, max: 100, default: 100 }),
    response: pageOf(UserObject),
  }),
  repost: endpoint('POST', '/2/users/:id/retweets', {
    price: INTERACTION,
    ...WRITING,
    body: bodyOf({ tweet_id: idAt('tweet_id') }),
    response: RepostAnswer,
  }),
  unrepost: endpoint('DELETE', '/2/users/:id/retweets/:source_tweet_id', {
    price: DELETION,
    ...WRITING,
    response: UnrepostAnswer,
  }),
};
