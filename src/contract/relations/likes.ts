import * as v from 'valibot';
import { pageOf, PostObject, UserObject } from '#contract/answers.ts';
import { bodyOf, idAt } from '#contract/body.ts';
import { DELETION, INTERACTION, LIKE_READ, USER_READ, forOwner } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { postPage, quarterHour, quarterHours, userPage } from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const READING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['like.read', 'tweet.read', 'users.read'],
  level: 'read',
  limits: quarterHours(75),
} as const;
const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['like.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  query: NO_PARAMETERS,
} as const;
const writeLimits = () => ({
  user: quarterHour(50),
  userDay: { requests: 1000, windowSeconds: 86_400 },
});

export const LikeAnswer = v.object({ data: v.object({ liked: v.boolean() }) });
export type LikeAnswer = v.InferOutput<typeof LikeAnswer>;

/** Likes. Sources: platform-facts 1.5, sections 9 and 12; platform-facts-additions, section 9. */
export const LIKES = {
  liked: endpoint('GET', '/2/users/:id/liked_tweets', {
    price: forOwner(LIKE_READ),
    ...READING,
    source: 'GET /2/users/{id}/liked_tweets',
    query: postPage({ min: 5, max: 100, default: 100 }, {}),
    response: pageOf(PostObject),
  }),
  likingUsers: endpoint('GET', '/2/tweets/:id/liking_users', {
    price: USER_READ,
    ...READING,
    source: 'platform-openapi, getPostsLikingUsers',
    query: userPage({ min: 1, max: 100, default: 100 }),
    response: pageOf(UserObject),
  }),
  like: endpoint('POST', '/2/users/:id/likes', {
    price: INTERACTION,
    ...WRITING,
    source: 'Follow, like, and quote-post creation',
    access: { levels: ['enterprise'], need: 'Likes through the interface need' },
    limits: writeLimits(),
    body: bodyOf({ tweet_id: idAt('tweet_id') }),
    response: LikeAnswer,
  }),
  unlike: endpoint('DELETE', '/2/users/:id/likes/:tweet_id', {
    price: DELETION,
    ...WRITING,
    source: 'platform-facts-additions, section 9',
    limits: writeLimits(),
    response: LikeAnswer,
  }),
};
