import * as v from 'valibot';
import { pageOf, PostObject } from '#contract/answers.ts';
import { bodyOf, idAt } from '#contract/body.ts';
import { BOOKMARK, POST_READ, forOwner } from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import { postPage, quarterHour } from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const WRITING = {
  authentication: ['oauth2'],
  scopes: ['bookmark.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  query: NO_PARAMETERS,
  limits: { user: quarterHour(50) },
  price: BOOKMARK,
} as const;

export const BookmarkAnswer = v.object({ data: v.object({ bookmarked: v.boolean() }) });
export type BookmarkAnswer = v.InferOutput<typeof BookmarkAnswer>;

/** Bookmarks. Sources: platform-facts 1.5, sections 9 and 12; platform-facts-additions, section 9. */
export const BOOKMARKS = {
  list: endpoint('GET', '/2/users/:id/bookmarks', {
    price: forOwner(POST_READ),
    authentication: ['oauth2'],
    scopes: ['bookmark.read', 'tweet.read', 'users.read'],
    level: 'read',
    source: 'GET /2/users/{id}/bookmarks',
    limits: { user: quarterHour(180) },
    query: postPage({ min: 1, max: 100, default: 100 }, {}),
    response: pageOf(PostObject),
  }),
  add: endpoint('POST', '/2/users/:id/bookmarks', {
    ...WRITING,
    body: bodyOf({ tweet_id: idAt('tweet_id') }),
    response: BookmarkAnswer,
  }),
  remove: endpoint('DELETE', '/2/users/:id/bookmarks/:tweet_id', {
    ...WRITING,
    response: BookmarkAnswer,
  }),
};
