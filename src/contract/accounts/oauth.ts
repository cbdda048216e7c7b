import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';
import { scopeNamed, type Scope } from './scopes.ts';

/** Most characters of `state` (platform-facts, section 12). */
const MAX_STATE = 500;

/** A code challenge (RFC 7636 section 4.2). */
const CHALLENGE = /^[\w.~-]{43,128}$/;

/** A code verifier. RFC 7636 section 4.1 allows 128 characters; xdk 0.6.6 makes verifiers of 171. */
const PROOF = /^[\w.~-]{43,512}$/;

const missing = (name: string): string => `Missing required parameter [${name}].`;
/** A field that must be there and not empty; the message is the recorded form. */
const field = (name: string) => v.pipe(v.string(missing(name)), v.nonEmpty(missing(name)));
/** Fields of a form or query, which may have others. */
const fields = <T extends v.ObjectEntries>(entries: T) =>
  v.object(entries, ({ path }) => missing(String(path?.at(-1)?.key)));

/** True if every word of a text is a scope, and at least one. */
function areScopes(text: string): boolean {
  const words = text.split(' ').filter(Boolean);
  return words.length > 0 && words.every((word) => scopeNamed(word) !== undefined);
}

/** The query of the page of consent, apart from the app and its callback, which are checked first. */
export const Authorization = fields({
  response_type: v.literal('code', 'response_type must be code'),
  scope: v.pipe(
    field('scope'),
    v.check(areScopes, ({ input }) => `scope [${input}] names a scope that does not exist`),
    v.transform((text) => [...new Set(text.split(' ').filter(Boolean))]),
  ),
  state: v.pipe(
    field('state'),
    v.maxLength(MAX_STATE, `state may have at most ${MAX_STATE} characters`),
  ),
  code_challenge: v.pipe(
    field('code_challenge'),
    v.regex(CHALLENGE, 'code_challenge must have 43 to 128 of the characters A-Z a-z 0-9 - . _ ~'),
  ),
  // twitter-api-v2 writes s256.
  code_challenge_method: v.optional(
    v.pipe(
      v.string(),
      v.transform((text) => (text.toLowerCase() === 's256' ? 'S256' : text)),
      v.picklist(['S256', 'plain'], 'code_challenge_method must be S256 or plain'),
    ),
    'plain',
  ),
});

const client = { client_id: v.optional(v.string()), client_secret: v.optional(v.string()) };

export const TokenForm = v.variant(
  'grant_type',
  [
    fields({
      ...client,
      grant_type: v.literal('authorization_code'),
      code: field('code'),
      redirect_uri: field('redirect_uri'),
      code_verifier: v.pipe(
        field('code_verifier'),
        v.regex(PROOF, 'code_verifier must have 43 to 512 of the characters A-Z a-z 0-9 - . _ ~'),
      ),
    }),
    fields({
      ...client,
      grant_type: v.literal('refresh_token'),
      refresh_token: field('refresh_token'),
    }),
  ],
  'grant_type must be authorization_code or refresh_token',
);

export const RevokeForm = fields({
  ...client,
  token: field('token'),
  token_type_hint: v.optional(v.string()),
});

/** The form of the page of consent. */
export const ConsentForm = v.object({
  account: v.optional(v.string()),
  decision: v.picklist(['allow', 'refuse']),
  proof: v.string(),
});

const RequestTokenForm = v.object({
  oauth_callback: v.string(),
  x_auth_access_type: v.optional(v.picklist(['read', 'write'])),
});

const text = v.string();
const ANSWERS = {
  bearer: v.object({ token_type: v.literal('bearer'), access_token: text }),
  access: v.object({ access_token: text }),
  tokens: v.object({
    token_type: v.literal('bearer'),
    expires_in: v.number(),
    access_token: text,
    scope: text,
    refresh_token: v.optional(text),
  }),
  revoked: v.object({ revoked: v.boolean() }),
};

const SOURCE = 'platform-facts, section 12';
const CLIENT = { authentication: ['client'], source: SOURCE } as const;
const CONSENT = { authentication: ['consent'], source: SOURCE } as const;

const OAUTH2_PAGE = { ...CONSENT, aliases: ['/2/oauth2/authorize'] } as const;
const AUTHORIZE_PAGE = { ...CONSENT, aliases: ['/i/oauth/authorize'] } as const;
const AUTHENTICATE_PAGE = { ...CONSENT, aliases: ['/i/oauth/authenticate'] } as const;

/** Signing in: app-only, OAuth 2.0 with PKCE, and OAuth 1.0a. */
export const OAUTH = {
  appToken: endpoint('POST', '/oauth2/token', {
    ...CLIENT,
    form: v.object({ grant_type: v.literal('client_credentials') }),
    response: ANSWERS.bearer,
  }),
  invalidateAppToken: endpoint('POST', '/oauth2/invalidate_token', {
    ...CLIENT,
    form: v.object({ access_token: v.string() }),
    response: ANSWERS.access,
  }),
  token: endpoint('POST', '/2/oauth2/token', {
    ...CLIENT,
    form: TokenForm,
    response: ANSWERS.tokens,
  }),
  revoke: endpoint('POST', '/2/oauth2/revoke', {
    ...CLIENT,
    form: RevokeForm,
    response: ANSWERS.revoked,
  }),
  consent: endpoint('GET', '/i/oauth2/authorize', OAUTH2_PAGE),
  decide: endpoint('POST', '/i/oauth2/authorize', { ...OAUTH2_PAGE, form: ConsentForm }),
  requestToken: endpoint('POST', '/oauth/request_token', { ...CLIENT, form: RequestTokenForm }),
  authorize: endpoint('GET', '/oauth/authorize', AUTHORIZE_PAGE),
  decideAuthorize: endpoint('POST', '/oauth/authorize', { ...AUTHORIZE_PAGE, form: ConsentForm }),
  authenticate: endpoint('GET', '/oauth/authenticate', AUTHENTICATE_PAGE),
  decideAuthenticate: endpoint('POST', '/oauth/authenticate', {
    ...AUTHENTICATE_PAGE,
    form: ConsentForm,
  }),
  accessToken: endpoint('POST', '/oauth/access_token', {
    ...CLIENT,
    form: v.object({ oauth_verifier: v.string() }),
  }),
  invalidateToken: endpoint('POST', '/1.1/oauth/invalidate_token', {
    // The platform's own examples call it with the ending.
    aliases: ['/1.1/oauth/invalidate_token.json'],
    authentication: ['oauth1'],
    source: 'platform-facts-additions, section 12',
    response: ANSWERS.access,
  }),
};

/** The permissions that each scope gives an app, in the words of the page of consent. */
export const SCOPE_TEXTS: Readonly<Record<Scope, string>> = {
  'tweet.read': 'Read Posts that you can see, also those of protected accounts you follow.',
  'tweet.write': 'Create, edit, repost and delete Posts for you.',
  'tweet.moderate.write': 'Hide and show replies to your Posts.',
  'users.read': 'See accounts that you can see, also protected ones.',
  'users.email': 'See the e-mail address of your account.',
  'follows.read': 'See whom you follow and who follows you.',
  'follows.write': 'Follow and unfollow accounts for you.',
  'offline.access':
    'Stay signed in until you or the app ends it, also while you do not use the app.',
  'space.read': 'See Spaces that you can see.',
  'mute.read': 'See the accounts that you mute.',
  'mute.write': 'Mute and unmute accounts for you.',
  'like.read': 'See the Posts that you like.',
  'like.write': 'Like and unlike Posts for you.',
  'list.read': 'See your lists, also private ones, and those that you follow.',
  'list.write': 'Create, change and delete lists for you.',
  'block.read': 'See the accounts that you block.',
  'block.write': 'Block and unblock accounts for you.',
  'bookmark.read': 'See your bookmarks.',
  'bookmark.write': 'Bookmark Posts for you and remove bookmarks.',
  'dm.read': 'Read your direct messages.',
  'dm.write': 'Send direct messages for you.',
  'media.write': 'Upload media for you.',
  'broadcast.read': 'See your broadcasts.',
  'broadcast.write': 'Start, change and end broadcasts for you.',
  'timeline.read': 'Read your timelines.',
};
