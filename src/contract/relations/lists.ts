import * as v from 'valibot';
import { answerWith, ListObject, pageOf, PostObject, UserObject } from '#contract/answers.ts';
import { bodyOf, booleanAt, idAt, textIn } from '#contract/body.ts';
import {
  LIST_CREATE,
  LIST_MANAGE,
  LIST_READ,
  POST_READ,
  USER_READ,
  forOwner,
} from '#contract/counts/prices.ts';
import { endpoint } from '#contract/endpoint.ts';
import {
  listPage,
  ListsRequest,
  postPage,
  quarterHour,
  quarterHours,
  userPage,
} from '#contract/paging.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['list.read', 'tweet.read', 'users.read'],
  level: 'read',
} as const;
const WRITING = {
  authentication: ['oauth1', 'oauth2'],
  scopes: ['list.write', 'tweet.read', 'users.read'],
  level: 'read-write',
  source: 'platform-facts-additions, section 9',
  price: LIST_MANAGE,
  query: NO_PARAMETERS,
} as const;
/** Changes of a list and its members, and of the lists that a user follows and pins. */
const OF_LIST = { ...WRITING, limits: { user: quarterHour(300) } };
const OF_USER = { ...WRITING, limits: { user: quarterHour(50) } };
const HUNDRED = { min: 1, max: 100, default: 100 };
/** The lists of a user. */
const LISTED = {
  ...READING,
  price: forOwner(LIST_READ),
  query: listPage(HUNDRED),
  response: pageOf(ListObject),
} as const;

const name = textIn('name', 1, 25);
const description = textIn('description', 0, 100);

/** Body of `POST /2/lists`. */
const CreateRequest = bodyOf({
  name,
  description: v.optional(description),
  private: v.optional(booleanAt('private')),
});
/** Body of `PUT /2/lists/{id}`. */
const UpdateRequest = bodyOf({
  name: v.optional(name),
  description: v.optional(description),
  private: v.optional(booleanAt('private')),
});

/** Lists and who is on them. Sources: platform-facts 1.5, sections 9 and 12; platform-facts-additions, section 9. */
export const LISTS = {
  owned: endpoint('GET', '/2/users/:id/owned_lists', {
    ...LISTED,
    source: 'GET /2/users/{id}/owned_lists',
    limits: quarterHours(15),
  }),
  followed: endpoint('GET', '/2/users/:id/followed_lists', {
    ...LISTED,
    source: 'GET /2/users/{id}/followed_lists',
    limits: quarterHours(15),
  }),
  memberships: endpoint('GET', '/2/users/:id/list_memberships', {
    ...LISTED,
    source: 'GET /2/users/{id}/list_memberships',
    limits: quarterHours(75),
  }),
  pinned: endpoint('GET', '/2/users/:id/pinned_lists', {
    price: forOwner(LIST_READ),
    ...READING,
    authentication: ['oauth1', 'oauth2'],
    source: 'GET /2/users/{id}/pinned_lists',
    limits: quarterHours(15),
    query: ListsRequest,
    response: pageOf(ListObject),
  }),
  one: endpoint('GET', '/2/lists/:id', {
    price: LIST_READ,
    ...READING,
    source: 'platform-openapi, getListsById',
    limits: quarterHours(75),
    query: ListsRequest,
    response: answerWith(ListObject),
  }),
  members: endpoint('GET', '/2/lists/:id/members', {
    price: USER_READ,
    ...READING,
    source: 'platform-openapi, getListsMembers',
    limits: quarterHours(900),
    query: userPage(HUNDRED),
    response: pageOf(UserObject),
  }),
  followers: endpoint('GET', '/2/lists/:id/followers', {
    price: USER_READ,
    ...READING,
    source: 'platform-openapi, getListsFollowers',
    limits: quarterHours(900),
    query: userPage(HUNDRED),
    response: pageOf(UserObject),
  }),
  posts: endpoint('GET', '/2/lists/:id/tweets', {
    price: POST_READ,
    ...READING,
    source: 'platform-openapi, getListsPosts',
    limits: quarterHours(900),
    query: postPage(HUNDRED, {}),
    response: pageOf(PostObject),
  }),
};

/** Answers of the operations that write lists. */
const ANSWERS = {
  create: v.object({ data: v.object({ id: v.string(), name: v.string() }) }),
  update: v.object({ data: v.object({ updated: v.literal(true) }) }),
  delete: v.object({ data: v.object({ deleted: v.literal(true) }) }),
  member: v.object({ data: v.object({ is_member: v.boolean() }) }),
  follow: v.object({ data: v.object({ following: v.boolean() }) }),
  pin: v.object({ data: v.object({ pinned: v.boolean() }) }),
};
export type ListAnswers = { [K in keyof typeof ANSWERS]: v.InferOutput<(typeof ANSWERS)[K]> };

/** Changes of lists, by their owners, and of the lists that a user follows and pins. */
export const LIST_WRITES = {
  create: endpoint('POST', '/2/lists', {
    ...OF_LIST,
    price: LIST_CREATE,
    scopes: ['list.read', 'list.write', 'tweet.read', 'users.read'],
    body: CreateRequest,
    response: ANSWERS.create,
  }),
  update: endpoint('PUT', '/2/lists/:id', {
    ...OF_LIST,
    body: UpdateRequest,
    response: ANSWERS.update,
  }),
  delete: endpoint('DELETE', '/2/lists/:id', {
    ...OF_LIST,
    response: ANSWERS.delete,
  }),
  addMember: endpoint('POST', '/2/lists/:id/members', {
    ...OF_LIST,
    body: bodyOf({ user_id: idAt('user_id') }),
    response: ANSWERS.member,
  }),
  removeMember: endpoint('DELETE', '/2/lists/:id/members/:user_id', {
    ...OF_LIST,
    response: ANSWERS.member,
  }),
  follow: endpoint('POST', '/2/users/:id/followed_lists', {
    ...OF_USER,
    body: bodyOf({ list_id: idAt('list_id') }),
    response: ANSWERS.follow,
  }),
  unfollow: endpoint('DELETE', '/2/users/:id/followed_lists/:list_id', {
    ...OF_USER,
    response: ANSWERS.follow,
  }),
  pin: endpoint('POST', '/2/users/:id/pinned_lists', {
    ...OF_USER,
    body: bodyOf({ list_id: idAt('list_id') }),
    response: ANSWERS.pin,
  }),
  unpin: endpoint('DELETE', '/2/users/:id/pinned_lists/:list_id', {
    ...OF_USER,
    response: ANSWERS.pin,
  }),
};
