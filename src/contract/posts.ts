import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import { about, NO_PARAMETERS, unknownParameter } from './parameters.ts';
import { POST_PARAMETERS, withSelection } from './selection.ts';

/** Scopes for creating and deleting Posts (platform-facts section 12). Every user token of this service has them. */
export const POSTING_SCOPES = ['tweet.read', 'tweet.write', 'users.read'] as const;

/**
 * Fields that this service does not support yet when it creates a Post (specification, Post create table;
 * platform-openapi, TweetCreateRequest).
 */
const LATER = [
  'reply',
  'quote_tweet_id',
  'media',
  'poll',
  'paid_partnership',
  'community_id',
  'share_with_followers',
  'edit_options',
  'reply_settings',
  'geo',
  'made_with_ai',
  'for_super_followers_only',
  'nullcast',
  'card_uri',
  'direct_message_deep_link',
] as const;

const later = Object.fromEntries(
  LATER.map((name) => [
    name,
    v.optional(
      v.never(`The \`${name}\` field is not supported yet: this service creates text-only Posts`),
    ),
  ]),
);

/** Characters that no Post may contain: those listed by twitter-text, NUL, and lone surrogates. */
const FORBIDDEN = /[\0\ufeff\ufffe\uffff\p{Surrogate}]/u;

/** The message for an unknown member of a body (recorded, platform-facts-additions 1.7). */
function undefinedMember(name: string): string {
  return `$.${name}: is not defined in the schema and the schema does not allow additional properties`;
}

function forbidden(text: string): string {
  const at = text.search(FORBIDDEN);
  const point = (text.codePointAt(at) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  const position = Array.from(text.slice(0, at)).length + 1;
  return `'text' must not contain the character U+${point} (at position ${position})`;
}

/** Body of `POST /2/tweets`: `{"text"}`. `server/posts/compose.ts` checks the length of the text. */
export const CreateRequest = v.strictObject(
  {
    ...later,
    text: v.pipe(
      v.string(({ received }) => `'text' must be a string, got ${received}`),
      v.check((text) => text.trim() !== '', `'text' must be a non-empty string`),
      v.check(
        (text) => !FORBIDDEN.test(text),
        ({ input }) => forbidden(input),
      ),
    ),
  },
  ({ expected, path }) => {
    const name = String(path?.at(-1)?.key);
    return expected === 'never' ? undefinedMember(name) : "A Post without media must have a 'text'";
  },
);

/** Valid Post ids. The message for others is the recorded one (platform-facts 1.7). */
const ID = /^[0-9]{1,19}$/;
export const PostPath = v.object({
  id: v.pipe(
    v.string(),
    v.regex(
      ID,
      ({ input }) => `The \`id\` query parameter value [${input}] does not match ${ID.source}`,
    ),
  ),
});

/** Most Posts of one lookup (platform-openapi, getPostsByIds). */
const MAX_IDS = 100;

const ids = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.check(
    (list) => list.length <= MAX_IDS,
    ({ input }) =>
      `The number of values in the \`ids\` query parameter list [${input.length}] is not between 1 and ${MAX_IDS}`,
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    const odd = dataset.typed ? dataset.value.find((id) => !ID.test(id)) : undefined;
    if (odd !== undefined)
      addIssue({ message: `${about('ids', odd)} does not match ${ID.source}` });
  }),
);
const MANY_PARAMETERS = { ids, ...POST_PARAMETERS };
const ManyRequest = v.pipe(
  v.strictObject(MANY_PARAMETERS, (issue) =>
    issue.expected === 'never'
      ? unknownParameter(issue, MANY_PARAMETERS)
      : 'The `ids` query parameter can not be empty',
  ),
  withSelection(),
);
const OneRequest = v.pipe(
  v.strictObject(POST_PARAMETERS, (issue) => unknownParameter(issue, POST_PARAMETERS)),
  withSelection(),
);

/** Answer of `POST /2/tweets`, 201 (platform-facts section 3). */
export interface CreateAnswer {
  data: { id: string; text: string; edit_history_tweet_ids: string[] };
}

/** Answer of `DELETE /2/tweets/{id}`, 200 (platform-facts section 3). */
export interface DeleteAnswer {
  data: { deleted: boolean };
}

/** Limits by platform-facts 1.5. */
const CREATE_LIMIT = { requests: 100, windowSeconds: 900 };
const CREATE_DAY_LIMIT = { requests: 10_000, windowSeconds: 86_400 };
const DELETE_LIMIT = { requests: 50, windowSeconds: 900 };

function postsAt(path: string) {
  return {
    /** Creates a text-only Post. */
    create: endpoint('POST', path, {
      authentication: ['user'],
      scopes: POSTING_SCOPES,
      level: 'read-write',
      limits: { app: CREATE_LIMIT, user: CREATE_LIMIT, allUsers: CREATE_DAY_LIMIT },
      query: NO_PARAMETERS,
      body: CreateRequest,
      status: 201,
    }),
    /** Deletes one of the caller's Posts. */
    delete: endpoint('DELETE', `${path}/:id`, {
      authentication: ['user'],
      scopes: POSTING_SCOPES,
      level: 'read-write',
      limits: { app: DELETE_LIMIT, user: DELETE_LIMIT },
      query: NO_PARAMETERS,
      params: PostPath,
    }),
  };
}

/** Creating and deleting in Your posts. The endpoints have two paths (platform-facts section 0). */
export const POSTS = { tweets: postsAt('/2/tweets'), posts: postsAt('/2/posts') };

const READING = {
  authentication: ['app', 'user', 'session'],
  scopes: ['tweet.read', 'users.read'],
  level: 'read',
} as const;
const lookupLimits = (app: number, user: number) => ({
  app: { requests: app, windowSeconds: 900 },
  user: { requests: user, windowSeconds: 900 },
});

/** Posts by their ids, of Your posts; `ofSource` gives the endpoints of the sample. Limits by platform-facts-additions, section 3. */
export const POST_LOOKUP = {
  many: endpoint('GET', '/2/tweets', {
    ...READING,
    limits: lookupLimits(3500, 5000),
    query: ManyRequest,
  }),
  one: endpoint('GET', '/2/tweets/:id', {
    ...READING,
    limits: lookupLimits(450, 900),
    query: OneRequest,
    params: PostPath,
  }),
};
