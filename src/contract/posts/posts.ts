import * as v from 'valibot';
import { answerWith, answerWithMany, PostObject } from '#contract/answers.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHours } from '#contract/paging.ts';
import { NO_PARAMETERS, onlyParameters, values } from '#contract/parameters.ts';
import { DELETION, POST_READ, POST_WRITE } from '#contract/counts/prices.ts';
import { POST_PARAMETERS, withSelection } from './selection.ts';
import { CreateRequest } from './create-request.ts';

/** Scopes for creating and deleting Posts (platform-facts section 12). */
export const POSTING_SCOPES = ['tweet.read', 'tweet.write', 'users.read'] as const;

const ManyRequest = v.pipe(
  onlyParameters({ ids: values('ids'), ...POST_PARAMETERS }),
  withSelection(),
);
const OneRequest = v.pipe(onlyParameters(POST_PARAMETERS), withSelection());

/** Answer of `POST /2/tweets`, 201 (platform-facts section 3). */
export const CreateAnswer = v.object({
  data: v.object({
    id: v.string(),
    text: v.string(),
    edit_history_tweet_ids: v.array(v.string()),
  }),
});
export type CreateAnswer = v.InferOutput<typeof CreateAnswer>;

/** Answer of `DELETE /2/tweets/{id}`, 200 (platform-facts section 3). */
export const DeleteAnswer = v.object({ data: v.object({ deleted: v.boolean() }) });
export type DeleteAnswer = v.InferOutput<typeof DeleteAnswer>;

/** Most bytes of the body of a new Post: room for the longest text in any escaped form. */
const CREATE_BODY = 512 * 1024;

/** Limits by platform-facts 1.5. */
const CREATE_DAY_LIMIT = { requests: 10_000, windowSeconds: 86_400 };

/** Creating and deleting in Your posts. The endpoints have two paths (platform-facts section 0). */
export const POSTS = {
  /** Creates a Post, reply, quote or poll, or edits a Post. */
  create: endpoint('POST', '/2/tweets', {
    aliases: ['/2/posts'],
    source: 'POST {base_url}/2/tweets',
    authentication: ['oauth1', 'oauth2'],
    scopes: POSTING_SCOPES,
    level: 'read-write',
    limits: { ...quarterHours(100), appDay: CREATE_DAY_LIMIT },
    // With a link and as a summoned reply, another one.
    price: POST_WRITE,
    query: NO_PARAMETERS,
    body: CreateRequest,
    response: CreateAnswer,
    maxBody: CREATE_BODY,
    status: 201,
  }),
  /** Deletes one of the caller's Posts. */
  delete: endpoint('DELETE', '/2/tweets/:id', {
    aliases: ['/2/posts/:id'],
    source: 'DELETE {base_url}/2/tweets/{post_id}',
    authentication: ['oauth1', 'oauth2'],
    scopes: POSTING_SCOPES,
    level: 'read-write',
    limits: quarterHours(50),
    price: DELETION,
    query: NO_PARAMETERS,
    response: DeleteAnswer,
  }),
};

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['tweet.read', 'users.read'],
  level: 'read',
  price: POST_READ,
} as const;

/** Posts by their ids, of Your posts; `ofSource` gives the endpoints of the sample. Limits by platform-facts-additions, section 3. */
export const POST_LOOKUP = {
  many: endpoint('GET', '/2/tweets', {
    ...READING,
    limits: quarterHours(3500, 5000),
    query: ManyRequest,
    response: answerWithMany(PostObject),
  }),
  one: endpoint('GET', '/2/tweets/:id', {
    ...READING,
    limits: quarterHours(450, 900),
    query: OneRequest,
    response: answerWith(PostObject),
  }),
};
