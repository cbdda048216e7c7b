import * as v from 'valibot';
import { answerWith, answerWithMany, PostObject } from './answers.ts';
import { endpoint } from './endpoint.ts';
import { ID, NO_PARAMETERS, pathOf, unknownParameter, values } from './parameters.ts';
import { DELETION, POST_READ, POST_WRITE } from './prices.ts';
import { POST_PARAMETERS, withSelection } from './selection.ts';

/** Scopes for creating and deleting Posts (platform-facts section 12). */
export const POSTING_SCOPES = ['tweet.read', 'tweet.write', 'users.read'] as const;

/** Fields that this service does not support yet when it creates a Post (platform-openapi, TweetCreateRequest). */
const LATER = ['media', 'poll', 'community_id', 'share_with_followers', 'edit_options'] as const;

const later = Object.fromEntries(
  LATER.map((name) => [
    name,
    v.optional(v.never(`The \`${name}\` field is not supported yet by this service`)),
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

/** An id in a body, by the path of its member. */
function idAt(path: string) {
  return v.pipe(
    v.string(({ received }) => `$.${path}: must be a string, got ${received}`),
    v.regex(ID, ({ input }) => `$.${path}: [${input}] does not match ${ID.source}`),
  );
}

function booleanAt(path: string) {
  return v.boolean(({ received }) => `$.${path}: must be a boolean, got ${received}`);
}

function textAt(path: string) {
  return v.pipe(
    v.string(({ received }) => `$.${path}: must be a string, got ${received}`),
    v.nonEmpty(`$.${path}: must not be empty`),
  );
}

/** An object in a body that has no other members. */
function objectAt<T extends v.ObjectEntries>(path: string, entries: T) {
  return v.strictObject(entries, ({ expected, path: at, received }) => {
    const name = at?.at(-1)?.key;
    if (name === undefined) return `$.${path}: must be an object, got ${received}`;
    const member = `${path}.${String(name)}`;
    return expected === 'never' ? undefinedMember(member) : `$.${member}: is required`;
  });
}

/** Values of `reply_settings` in a request; in answers there is also `everyone` (platform-facts, section 3). */
const REPLY_SETTINGS = ['following', 'mentionedUsers', 'subscribers', 'verified'] as const;

const reply = objectAt('reply', {
  in_reply_to_tweet_id: idAt('reply.in_reply_to_tweet_id'),
  exclude_reply_user_ids: v.optional(
    v.array(
      idAt('reply.exclude_reply_user_ids'),
      ({ received }) => `$.reply.exclude_reply_user_ids: must be an array, got ${received}`,
    ),
  ),
  auto_populate_reply_metadata: v.optional(booleanAt('reply.auto_populate_reply_metadata')),
});

/** Of these a Post has at most one (platform-facts, section 3). */
const EXCLUSIVE = [
  'poll',
  'quote_tweet_id',
  'direct_message_deep_link',
  'media',
  'card_uri',
] as const;
/** Recorded (platform-facts-additions, section 3). */
const ONLY_ONE = `You can only provide one of ${EXCLUSIVE.join(' or ')}.`;

/** Body of `POST /2/tweets`. `server/posts/compose.ts` checks the length of the text. */
export const CreateRequest = v.pipe(
  v.strictObject(
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
      reply: v.optional(reply),
      quote_tweet_id: v.optional(idAt('quote_tweet_id')),
      reply_settings: v.optional(
        v.picklist(
          REPLY_SETTINGS,
          ({ received }) =>
            `$.reply_settings: ${received} is not one of [${REPLY_SETTINGS.join(',')}]`,
        ),
      ),
      geo: v.optional(objectAt('geo', { place_id: v.optional(textAt('geo.place_id')) })),
      card_uri: v.optional(textAt('card_uri')),
      direct_message_deep_link: v.optional(textAt('direct_message_deep_link')),
      paid_partnership: v.optional(booleanAt('paid_partnership')),
      made_with_ai: v.optional(booleanAt('made_with_ai')),
      nullcast: v.optional(booleanAt('nullcast')),
      for_super_followers_only: v.optional(booleanAt('for_super_followers_only')),
    },
    ({ expected, path }) => {
      const name = String(path?.at(-1)?.key);
      return expected === 'never'
        ? undefinedMember(name)
        : "A Post without media must have a 'text'";
    },
  ),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const request: Readonly<Record<string, unknown>> = dataset.value;
    const sent = EXCLUSIVE.filter((name) => request[name] !== undefined);
    if (sent.length < 2) return;
    for (const key of sent) {
      const value = request[key];
      addIssue({
        message: ONLY_ONE,
        path: [{ type: 'object', origin: 'value', input: { ...request }, key, value }],
      });
    }
  }),
);
export type CreateRequest = v.InferOutput<typeof CreateRequest>;

const PostPath = pathOf('id');

const MANY_PARAMETERS = { ids: values('ids'), ...POST_PARAMETERS };
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

/** Limits by platform-facts 1.5. */
const CREATE_LIMIT = { requests: 100, windowSeconds: 900 };
const CREATE_DAY_LIMIT = { requests: 10_000, windowSeconds: 86_400 };
const DELETE_LIMIT = { requests: 50, windowSeconds: 900 };

/** Creating and deleting in Your posts. The endpoints have two paths (platform-facts section 0). */
export const POSTS = {
  /** Creates a Post, reply or quote. */
  create: endpoint('POST', '/2/tweets', {
    aliases: ['/2/posts'],
    source: 'POST {base_url}/2/tweets',
    authentication: ['oauth1', 'oauth2'],
    scopes: POSTING_SCOPES,
    level: 'read-write',
    limits: { app: CREATE_LIMIT, user: CREATE_LIMIT, appDay: CREATE_DAY_LIMIT },
    // With a link and as a summoned reply, another one.
    price: POST_WRITE,
    query: NO_PARAMETERS,
    body: CreateRequest,
    response: CreateAnswer,
    status: 201,
  }),
  /** Deletes one of the caller's Posts. */
  delete: endpoint('DELETE', '/2/tweets/:id', {
    aliases: ['/2/posts/:id'],
    source: 'DELETE {base_url}/2/tweets/{post_id}',
    authentication: ['oauth1', 'oauth2'],
    scopes: POSTING_SCOPES,
    level: 'read-write',
    limits: { app: DELETE_LIMIT, user: DELETE_LIMIT },
    price: DELETION,
    query: NO_PARAMETERS,
    params: PostPath,
    response: DeleteAnswer,
  }),
};

const READING = {
  authentication: ['app', 'oauth1', 'oauth2', 'session'],
  scopes: ['tweet.read', 'users.read'],
  level: 'read',
  price: POST_READ,
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
    response: answerWithMany(PostObject),
  }),
  one: endpoint('GET', '/2/tweets/:id', {
    ...READING,
    limits: lookupLimits(450, 900),
    query: OneRequest,
    response: answerWith(PostObject),
    params: PostPath,
  }),
};
