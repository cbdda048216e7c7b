import * as v from 'valibot';
import { pageOf, PostObject } from '#contract/answers.ts';
import { bodyOf, booleanAt } from '#contract/body.ts';
import { CONTENT_MANAGE, POST_READ, forOwner } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { EXCLUDE, postPage, quarterHour, quarterHours } from '#contract/paging.ts';
import { id, instant, NO_PARAMETERS } from '#contract/parameters.ts';

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['tweet.read', 'users.read'],
  level: 'read',
} as const;

const WINDOW = {
  start_time: instant('start_time'),
  end_time: instant('end_time'),
  since_id: id('since_id'),
  until_id: id('until_id'),
};
const TimelineWindow = v.object(WINDOW);
/** Bounds of a timeline: epoch ms, the start inclusive and the end exclusive; Post ids, both exclusive. */
export type TimelineWindow = v.InferOutput<typeof TimelineWindow>;

const SIZE = { min: 5, max: 100, default: 10 };

/** Posts by a user, by those whom it follows and about it, and those that quote a Post. Sources: platform-facts 1.5, sections 9 and 12. */
export const TIMELINES = {
  posts: endpoint('GET', '/2/users/:id/tweets', {
    price: forOwner(POST_READ),
    ...READING,
    source: 'GET /2/users/{id}/tweets',
    limits: quarterHours(10_000, 900),
    query: postPage(SIZE, { ...WINDOW, exclude: EXCLUDE }),
    response: pageOf(PostObject),
  }),
  mentions: endpoint('GET', '/2/users/:id/mentions', {
    price: forOwner(POST_READ),
    ...READING,
    source: 'GET /2/users/{id}/mentions',
    limits: quarterHours(450, 300),
    query: postPage(SIZE, WINDOW),
    response: pageOf(PostObject),
  }),
  /** The Posts of an account and those that it follows. */
  home: endpoint('GET', '/2/users/:id/timelines/reverse_chronological', {
    price: POST_READ,
    ...READING,
    authentication: ['oauth1', 'oauth2'],
    source: 'tweepy 4.16, Client.get_home_timeline; limits: docs.x.com, rate limits',
    limits: { user: quarterHour(180) },
    query: postPage({ min: 1, max: 100, default: 100 }, { ...WINDOW, exclude: EXCLUDE }),
    response: pageOf(PostObject),
  }),
  quotes: endpoint('GET', '/2/tweets/:id/quote_tweets', {
    price: POST_READ,
    ...READING,
    source: 'platform-openapi, getPostsQuotedPosts',
    limits: quarterHours(75),
    query: postPage({ min: 10, max: 100, default: 10 }, { exclude: EXCLUDE }),
    response: pageOf(PostObject),
  }),
};

export const HideAnswer = v.object({ data: v.object({ hidden: v.boolean() }) });
export type HideAnswer = v.InferOutput<typeof HideAnswer>;

/** Hides a reply in a conversation, or shows it again. Source: platform-facts-additions, section 9. */
export const HIDE_REPLY = endpoint('PUT', '/2/tweets/:tweet_id/hidden', {
  price: CONTENT_MANAGE,
  authentication: ['oauth1', 'oauth2'],
  scopes: ['tweet.moderate.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  limits: { user: quarterHour(50) },
  query: NO_PARAMETERS,
  body: bodyOf({ hidden: booleanAt('hidden') }),
  response: HideAnswer,
});
