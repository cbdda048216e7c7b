import * as v from 'valibot';
import { pageOf, UserObject } from '#contract/answers.ts';
import { bodyOf, idAt } from '#contract/body.ts';
import { DELETION, FOLLOW_READ, INTERACTION, forOwner } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour, quarterHours, userPage } from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['follows.read', 'tweet.read', 'users.read'],
  level: 'read',
  query: userPage({ min: 1, max: 1000, default: 100 }),
  limits: quarterHours(300),
  response: pageOf(UserObject),
} as const;
const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['follows.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  query: NO_PARAMETERS,
} as const;

/** Answer of following: a protected user has to accept first. */
export const FollowAnswer = v.object({
  data: v.object({ following: v.boolean(), pending_follow: v.boolean() }),
});
export type FollowAnswer = v.InferOutput<typeof FollowAnswer>;
export const UnfollowAnswer = v.object({ data: v.object({ following: v.literal(false) }) });
export type UnfollowAnswer = v.InferOutput<typeof UnfollowAnswer>;

/** The follows between users. Sources: platform-facts 1.5, sections 9 and 12; platform-facts-additions, section 9. */
export const FOLLOWS = {
  followers: endpoint('GET', '/2/users/:id/followers', {
    price: forOwner(FOLLOW_READ),
    ...READING,
    source: 'GET /2/users/{id}/followers',
  }),
  following: endpoint('GET', '/2/users/:id/following', {
    price: forOwner(FOLLOW_READ),
    ...READING,
    source: 'GET /2/users/{id}/following',
  }),
  follow: endpoint('POST', '/2/users/:id/following', {
    price: INTERACTION,
    ...WRITING,
    source: 'Follow, like, and quote-post creation',
    access: { levels: ['enterprise'], need: 'Following through the interface needs' },
    limits: { user: quarterHour(50) },
    body: bodyOf({ target_user_id: idAt('target_user_id') }),
    response: FollowAnswer,
  }),
  unfollow: endpoint('DELETE', '/2/users/:source_user_id/following/:target_user_id', {
    price: DELETION,
    ...WRITING,
    source: 'platform-facts-additions, section 9',
    limits: { user: quarterHour(50) },
    response: UnfollowAnswer,
  }),
};
