import { afterAll, describe, expect, it } from 'vitest';
import type { Endpoint, TokenKind } from '#contract/endpoint.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { startService } from '#tests/support/service/service.ts';
import { addApp, signed } from '#tests/support/service/signing-in.ts';

/**
 * Authentication kinds, scopes and limits of each operation (platform-facts, section 12; the scopes of reads by section 9
 * and its additions; counts refuse OAuth 1.0a; limits by 1.5, 6.4, 8, 10 and 11, and their additions).
 */
const READ = ['tweet.read', 'users.read'];
const WRITE = ['tweet.read', 'tweet.write', 'users.read'];
const ALL: readonly TokenKind[] = ['app', 'oauth1', 'oauth2'];
const USER: readonly TokenKind[] = ['oauth1', 'oauth2'];
const SIGNED: readonly TokenKind[] = ['oauth1'];
/** Limits are requests in 15 minutes, or in 24 hours where their name ends in `Day`. */
type Row = readonly [
  name: string,
  kinds: readonly TokenKind[],
  scopes: readonly string[],
  limits: string,
];
/** Operations of the advertiser interface (platform-facts, section 10). */
function advertiserRows(method: string, limits: string, ...paths: readonly string[]) {
  return paths.map((path): Row => [`${method} ${path}`, SIGNED, [], limits]);
}
const listingAndOne = (
  name: string,
  key = `${name.replace(/s$/, '')}_id`,
): [listing: string, one: string] => {
  const path = `/5/accounts/:account_id/${name}`;
  return [path, `${path}/:${key}`];
};
const ROWS: readonly Row[] = [
  ['GET /2/tweets/counts/recent', ['app', 'oauth2'], [], 'app 300, user 300'],
  ['GET /2/tweets/counts/all', ['app'], [], 'app 300, user 300'],
  ['GET /2/tweets/search/recent', ALL, READ, 'app 450, user 300'],
  ['GET /2/tweets/search/all', ['app'], [], 'app 300, user 300'],
  ['GET /2/tweets', ALL, READ, 'app 3500, user 5000'],
  ['GET /2/tweets/:id', ALL, READ, 'app 450, user 900'],
  ['POST /2/tweets', USER, WRITE, 'app 100, user 100, appDay 10000'],
  ['DELETE /2/tweets/:id', USER, WRITE, 'app 50, user 50'],
  ['GET /2/users', ALL, READ, 'app 300, user 900'],
  ['GET /2/users/:id', ALL, READ, 'app 300, user 900'],
  ['GET /2/users/by', ALL, READ, 'app 300, user 900'],
  ['GET /2/users/by/username/:username', ALL, READ, 'app 300, user 900'],
  ['GET /2/users/me', USER, READ, 'app 75, user 75'],
  ['GET /2/usage/tweets', ['app'], [], 'app 50'],
  ['GET /2/tweets/search/stream', ['app'], [], 'app 50'],
  ['POST /2/tweets/search/webhooks/:webhook_id', ['app'], [], 'app 450'],
  ['GET /2/tweets/search/webhooks', ['app'], [], 'app 450'],
  ['DELETE /2/tweets/search/webhooks/:webhook_id', ['app'], [], 'app 450'],
  ['POST /2/activity/subscriptions', ALL, [], 'app 500, user 500'],
  ['GET /2/activity/subscriptions', ALL, ['tweet.read'], 'app 500, user 500'],
  ['DELETE /2/activity/subscriptions', ['app'], [], 'app 500, user 500'],
  ['PUT /2/activity/subscriptions/:subscription_id', ['app'], [], 'app 500, user 500'],
  ['DELETE /2/activity/subscriptions/:subscription_id', ['app'], [], 'app 500, user 500'],
  ['GET /2/activity/stream', ['app'], [], 'app 450'],
  ['GET /2/connections', ['app'], [], ''],
  ['DELETE /2/connections', ['app'], [], ''],
  ['DELETE /2/connections/all', ['app'], [], 'app 25'],
  ['DELETE /2/connections/:endpoint_id', ['app'], [], ''],
  ['GET /2/users/:id/bookmarks', ['oauth2'], ['bookmark.read', ...READ], 'user 180'],
  ['POST /2/users/:id/bookmarks', ['oauth2'], ['bookmark.write', ...READ], 'user 50'],
  ['DELETE /2/users/:id/bookmarks/:tweet_id', ['oauth2'], ['bookmark.write', ...READ], 'user 50'],
  ['GET /2/users/:id/followers', ALL, ['follows.read', ...READ], 'app 300, user 300'],
  ['GET /2/users/:id/following', ALL, ['follows.read', ...READ], 'app 300, user 300'],
  ['POST /2/users/:id/following', USER, ['follows.write', ...READ], 'user 50'],
  [
    'DELETE /2/users/:source_user_id/following/:target_user_id',
    USER,
    ['follows.write', ...READ],
    'user 50',
  ],
  ['GET /2/users/:id/liked_tweets', USER, ['like.read', ...READ], 'app 75, user 75'],
  ['GET /2/tweets/:id/liking_users', USER, ['like.read', ...READ], 'app 75, user 75'],
  ['POST /2/users/:id/likes', USER, ['like.write', ...READ], 'user 50, userDay 1000'],
  ['DELETE /2/users/:id/likes/:tweet_id', USER, ['like.write', ...READ], 'user 50, userDay 1000'],
  ['GET /2/users/:id/owned_lists', ALL, ['list.read', ...READ], 'app 15, user 15'],
  ['GET /2/users/:id/followed_lists', ALL, ['list.read', ...READ], 'app 15, user 15'],
  ['GET /2/users/:id/list_memberships', ALL, ['list.read', ...READ], 'app 75, user 75'],
  ['GET /2/users/:id/pinned_lists', USER, ['list.read', ...READ], 'app 15, user 15'],
  ['GET /2/lists/:id', ALL, ['list.read', ...READ], 'app 75, user 75'],
  ['GET /2/lists/:id/members', ALL, ['list.read', ...READ], 'app 900, user 900'],
  ['GET /2/lists/:id/followers', ALL, ['list.read', ...READ], 'app 900, user 900'],
  ['GET /2/lists/:id/tweets', ALL, ['list.read', ...READ], 'app 900, user 900'],
  ['PUT /2/lists/:id', USER, ['list.write', ...READ], 'user 300'],
  ['DELETE /2/lists/:id', USER, ['list.write', ...READ], 'user 300'],
  ['POST /2/lists/:id/members', USER, ['list.write', ...READ], 'user 300'],
  ['DELETE /2/lists/:id/members/:user_id', USER, ['list.write', ...READ], 'user 300'],
  ['POST /2/users/:id/followed_lists', USER, ['list.write', ...READ], 'user 50'],
  ['DELETE /2/users/:id/followed_lists/:list_id', USER, ['list.write', ...READ], 'user 50'],
  ['POST /2/users/:id/pinned_lists', USER, ['list.write', ...READ], 'user 50'],
  ['DELETE /2/users/:id/pinned_lists/:list_id', USER, ['list.write', ...READ], 'user 50'],
  ['GET /2/users/:id/muting', USER, ['mute.read', ...READ], 'user 15'],
  ['GET /2/users/:id/blocking', USER, ['block.read', ...READ], 'user 15'],
  ['POST /2/users/:id/muting', USER, ['mute.write', ...READ], 'user 50'],
  [
    'DELETE /2/users/:source_user_id/muting/:target_user_id',
    USER,
    ['mute.write', ...READ],
    'user 50',
  ],
  ['GET /2/tweets/:id/retweeted_by', ALL, READ, 'app 75, user 75'],
  ['POST /2/users/:id/retweets', USER, ['tweet.write', ...READ], 'user 50'],
  ['DELETE /2/users/:id/retweets/:source_tweet_id', USER, ['tweet.write', ...READ], 'user 50'],
  ['GET /2/users/:id/tweets', ALL, READ, 'app 10000, user 900'],
  ['GET /2/users/:id/mentions', ALL, READ, 'app 450, user 300'],
  ['GET /2/users/:id/timelines/reverse_chronological', USER, READ, 'user 180'],
  ['GET /2/tweets/:id/quote_tweets', ALL, READ, 'app 75, user 75'],
  ['POST /2/lists', USER, ['list.read', 'list.write', ...READ], 'user 300'],
  ['PUT /2/tweets/:tweet_id/hidden', USER, ['tweet.moderate.write', ...READ], 'user 50'],
  ['POST /2/media/upload', USER, ['media.write'], 'user 500, appDay 50000'],
  ['GET /2/media/upload', USER, ['media.write'], 'user 1000, appDay 100000'],
  ['POST /2/media/upload/initialize', USER, ['media.write'], 'user 1875, appDay 180000'],
  ['POST /2/media/upload/:id/append', USER, ['media.write'], 'user 1875, appDay 180000'],
  ['POST /2/media/upload/:id/finalize', USER, ['media.write'], 'user 1875, appDay 180000'],
  ['POST /2/media/metadata', USER, ['media.write'], 'user 500, appDay 50000'],
  ['POST /1.1/media/upload.json', SIGNED, [], 'user 500, appDay 50000'],
  ['GET /1.1/media/upload.json', SIGNED, [], 'user 1000, appDay 100000'],
  ['POST /1.1/media/metadata/create.json', SIGNED, [], 'user 500, appDay 50000'],
  ['POST /2/webhooks', ['app', 'oauth1'], [], 'app 450, user 450'],
  ['GET /2/webhooks', ['app'], [], 'app 450'],
  ['PUT /2/webhooks/:webhook_id', ['app', 'oauth1'], [], 'app 450, user 450'],
  ['DELETE /2/webhooks/:webhook_id', ['app', 'oauth1'], [], 'app 450, user 450'],
  ['POST /2/webhooks/replay', ['app'], [], 'app 100'],
  ['POST /1.1/oauth/invalidate_token', ['oauth1'], [], ''],
  ['GET /2/news/search', ALL, READ, 'app 200, user 200'],
  ['GET /2/news/:id', ALL, READ, 'app 200, user 200'],
  ['GET /2/notes/search/posts_eligible_for_notes', USER, ['tweet.read'], 'user 90'],
  ['GET /2/notes/search/notes_written', USER, ['tweet.read'], 'user 90'],
  ['POST /2/evaluate_note', USER, ['tweet.write'], 'user 90'],
  ['POST /2/notes', USER, ['tweet.write'], 'user 90, userDay 250'],
  ['DELETE /2/notes/:id', USER, ['tweet.write'], 'user 90'],
  ['GET /2/tweets/search/stream/rules', ['app'], [], 'app 450'],
  ['POST /2/tweets/search/stream/rules', ['app'], [], 'app 100'],
  ['GET /2/tweets/search/stream/rules/counts', ['app'], [], 'app 450'],
  ['GET /5/product_catalogs', SIGNED, [], 'user 1000, account 1000'],
  ['POST /5/product_catalogs', SIGNED, [], 'user 20, account 20'],
  ['PUT /5/product_catalogs/:id', SIGNED, [], 'user 20, account 20'],
  ['DELETE /5/product_catalogs/:id', SIGNED, [], 'user 20, account 20'],
  ['GET /5/product_catalogs/:product_catalog_id/products', SIGNED, [], 'user 1000, account 1000'],
  ['PUT /5/product_catalogs/:product_catalog_id/products', SIGNED, [], 'user 600, account 600'],
  ['DELETE /5/product_catalogs/:product_catalog_id/products', SIGNED, [], 'user 150, account 150'],
  [
    'GET /5/product_catalogs/:product_catalog_id/product_sets',
    SIGNED,
    [],
    'user 2000, account 2000',
  ],
  [
    'GET /5/product_catalogs/:product_catalog_id/product_sets/:id',
    SIGNED,
    [],
    'user 2000, account 2000',
  ],
  [
    'POST /5/product_catalogs/:product_catalog_id/product_sets',
    SIGNED,
    [],
    'user 100, account 100',
  ],
  [
    'PUT /5/product_catalogs/:product_catalog_id/product_sets/:id',
    SIGNED,
    [],
    'user 500, account 500',
  ],
  [
    'DELETE /5/product_catalogs/:product_catalog_id/product_sets/:id',
    SIGNED,
    [],
    'user 100, account 100',
  ],
  [
    'GET /5/product_catalogs/:product_catalog_id/scheduled_feeds',
    SIGNED,
    [],
    'user 1000, account 1000',
  ],
  [
    'POST /5/product_catalogs/:product_catalog_id/scheduled_feeds',
    SIGNED,
    [],
    'user 20, account 20',
  ],
  [
    'PUT /5/product_catalogs/:product_catalog_id/scheduled_feeds/:id',
    SIGNED,
    [],
    'user 20, account 20',
  ],
  [
    'DELETE /5/product_catalogs/:product_catalog_id/scheduled_feeds/:id',
    SIGNED,
    [],
    'user 20, account 20',
  ],
  ['GET /2/powerstream', ['app'], [], ''],
  ['GET /2/powerstream/rules', ['app'], [], ''],
  ['POST /2/powerstream/rules', ['app'], [], 'app 50 in 86400 s'],
  ['DELETE /2/powerstream/rules', ['app'], [], 'app 50 in 86400 s'],
  ['GET /2/communities/:id', ALL, ['list.read', 'tweet.read', 'users.read'], 'app 300, user 300'],
  ...advertiserRows(
    'GET',
    'user 10000',
    '/5/stats/jobs/accounts/:account_id',
    ...['campaigns', 'line_items', 'promoted_tweets', 'media_creatives'].flatMap((name) =>
      listingAndOne(name),
    ),
  ),
  ...advertiserRows(
    'GET',
    'user 2000',
    '/5/accounts',
    '/5/accounts/:account_id',
    ...[
      'funding_instruments',
      'promotable_users',
      'account_media',
      'scheduled_tweets',
      'draft_tweets',
      'custom_audiences',
      'tracking_tags',
      'account_apps',
      'promoted_accounts',
      'scheduled_promoted_tweets',
      'preroll_call_to_actions',
      'cards',
    ].flatMap((name) => listingAndOne(name)),
    ...['image_conversation', 'video_conversation', 'poll'].flatMap((name) =>
      listingAndOne(`cards/${name}`, 'card_id'),
    ),
    ...listingAndOne('line_item_curated_categories', 'line_item_curated_category_id'),
    '/5/accounts/:account_id/features',
    '/5/accounts/:account_id/tweets',
    '/5/accounts/:account_id/custom_audiences/:custom_audience_id/permissions',
    '/5/accounts/:account_id/custom_audiences/:custom_audience_id/targeted',
    ...listingAndOne('media_library', 'media_key'),
    ...listingAndOne('account_history', 'account_history_id'),
  ),
  ...advertiserRows(
    'GET',
    'user 400',
    ...listingAndOne('targeting_criteria', 'targeting_criterion_id'),
    ...[
      'conversations',
      'events',
      'interests',
      'languages',
      'locations',
      'network_operators',
      'tv_shows',
    ].map((name) => `/5/targeting_criteria/${name}`),
  ),
  ...advertiserRows(
    'GET',
    'user 250',
    '/5/stats/accounts/:account_id',
    '/5/stats/accounts/:account_id/active_entities',
    '/5/stats/accounts/:account_id/reach/campaigns',
  ),
  ...advertiserRows('GET', 'user 5', '/5/iab_categories'),
  ...advertiserRows('POST', 'user 10000', '/5/stats/jobs/accounts/:account_id'),
  ...advertiserRows('DELETE', 'user 10000', '/5/stats/jobs/accounts/:account_id/:job_id'),
  ...advertiserRows(
    'POST',
    'user 450 in 60 s',
    '/5/accounts',
    '/5/accounts/:account_id/funding_instruments',
    '/5/accounts/:account_id/campaigns',
    '/5/accounts/:account_id/line_items',
    '/5/accounts/:account_id/promoted_tweets',
    '/5/accounts/:account_id/media_creatives',
    '/5/accounts/:account_id/account_media',
    '/5/accounts/:account_id/media_library',
    '/5/accounts/:account_id/scheduled_tweets',
    '/5/accounts/:account_id/draft_tweets',
    '/5/accounts/:account_id/custom_audiences',
    '/5/accounts/:account_id/targeting_criteria',
    '/5/accounts/:account_id/tracking_tags',
    '/5/accounts/:account_id/promoted_accounts',
    '/5/accounts/:account_id/scheduled_promoted_tweets',
    '/5/accounts/:account_id/preroll_call_to_actions',
    '/5/batch/accounts/:account_id/campaigns',
    '/5/batch/accounts/:account_id/line_items',
    '/5/batch/accounts/:account_id/targeting_criteria',
  ),
  ...advertiserRows(
    'PUT',
    'user 450 in 60 s',
    '/5/accounts/:account_id',
    '/5/accounts/:account_id/campaigns/:campaign_id',
    '/5/accounts/:account_id/line_items/:line_item_id',
    '/5/accounts/:account_id/promoted_tweets/:promoted_tweet_id',
    '/5/accounts/:account_id/media_creatives/:media_creative_id',
    '/5/accounts/:account_id/media_library/:media_key',
    '/5/accounts/:account_id/scheduled_tweets/:scheduled_tweet_id',
    '/5/accounts/:account_id/draft_tweets/:draft_tweet_id',
    '/5/accounts/:account_id/custom_audiences/:custom_audience_id',
    '/5/accounts/:account_id/tracking_tags/:tracking_tag_id',
    '/5/accounts/:account_id/preroll_call_to_actions/:preroll_call_to_action_id',
  ),
  ...advertiserRows(
    'DELETE',
    'user 450 in 60 s',
    '/5/accounts/:account_id',
    '/5/accounts/:account_id/funding_instruments/:funding_instrument_id',
    '/5/accounts/:account_id/campaigns/:campaign_id',
    '/5/accounts/:account_id/line_items/:line_item_id',
    '/5/accounts/:account_id/promoted_tweets/:promoted_tweet_id',
    '/5/accounts/:account_id/media_creatives/:media_creative_id',
    '/5/accounts/:account_id/account_media/:account_media_id',
    '/5/accounts/:account_id/media_library/:media_key',
    '/5/accounts/:account_id/scheduled_tweets/:scheduled_tweet_id',
    '/5/accounts/:account_id/draft_tweets/:draft_tweet_id',
    '/5/accounts/:account_id/custom_audiences/:custom_audience_id',
    '/5/accounts/:account_id/targeting_criteria/:targeting_criterion_id',
    '/5/accounts/:account_id/tracking_tags/:tracking_tag_id',
    '/5/accounts/:account_id/preroll_call_to_actions/:preroll_call_to_action_id',
    '/5/accounts/:account_id/promoted_accounts/:promoted_account_id',
    '/5/accounts/:account_id/scheduled_promoted_tweets/:scheduled_promoted_tweet_id',
  ),
];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
const kindsOf = ({ authentication }: Endpoint): TokenKind[] =>
  ALL.filter((kind) => authentication.includes(kind));
/** Limits as the rows state them. */
const limitsOf = ({ limits = {} }: Endpoint): string =>
  Object.entries(limits)
    .map(([name, { requests, windowSeconds }]) => {
      const usual = name.endsWith('Day') ? 86_400 : 900;
      return `${name} ${requests}${windowSeconds === usual ? '' : ` in ${windowSeconds} s`}`;
    })
    .join(', ');
/** Operations that take a token. */
const WITH_TOKEN = OPERATIONS.filter((endpoint) => kindsOf(endpoint).length > 0);

it('has a row for every operation that takes a token', () => {
  expect(new Set(WITH_TOKEN.map(nameOf))).toEqual(new Set(ROWS.map(([name]) => name)));
});

it.each(ROWS)('%s takes %j, needs the scopes %j, is limited to %j', (name, ...row) => {
  const operation = WITH_TOKEN.find((endpoint) => nameOf(endpoint) === name)!;
  const [kinds, scopes, limits] = row;
  const needed = [...(operation.scopes ?? [])].sort();
  expect([kindsOf(operation), needed, limitsOf(operation)]).toEqual([
    kinds,
    [...scopes].sort(),
    limits,
  ]);
});

let now = Date.now();
const service = startService({ now: () => now });
afterAll(() => service.close());
const bearer = (token: string) => ({ cookie: '', authorization: `Bearer ${token}` });
const limited = true;
const issued = new Map<Scope | null, ReturnType<typeof bearer>>();
/** Headers of a token with all scopes but one; each token is issued once. */
function withoutScope(scope: Scope | null) {
  const known = issued.get(scope);
  if (known) return known;
  const scopes = SCOPES.filter((each) => each !== scope);
  const headers = bearer(service.auth.issueUserToken({ name: 'alice', scopes, limited }).token);
  issued.set(scope, headers);
  return headers;
}
service.auth.accounts({ action: 'add', username: 'alice', profile: { merchant_terms: true } });
const app = addApp(service, 'Signing', { access: 'enterprise', early_access: true });
const signingUser = () =>
  service.auth.issueUserToken({ name: 'alice', app: app.name, limited, oauth1: true });
let signer = signingUser();
const holder = signer.account.id;
const [advertiser] = service.ads.add([{ kind: 'ACCOUNT', holder, parent: null, fields: {} }], now);

/** Headers of a request by each kind of token. */
const HEADERS: Readonly<
  Record<TokenKind, (method: string, path: string) => Record<string, string>>
> = {
  app: () => bearer(app.bearer_token),
  oauth1: (method, path) => {
    const { token, signing } = signer;
    const secrets = { ...app, token, secret: signing?.access_token_secret ?? '' };
    const over = { oauth_timestamp: Math.floor(now / 1000) };
    const authorization = signed(`http://localhost${path}`, secrets, { method, over });
    // This operation makes its token invalid.
    if (path === '/1.1/oauth/invalidate_token') signer = signingUser();
    return { cookie: '', authorization };
  },
  oauth2: () => withoutScope(null),
};

/** The answer to a request without parameters, and why it refuses, if it says so. */
async function answerOf({ method, path, streams }: Endpoint, kind: (typeof HEADERS)[TokenKind]) {
  const at = path.replace(':account_id', advertiser!.id).replaceAll(/:\w+/g, '1');
  const headers = { 'content-type': 'application/json', ...kind(method, at) };
  const body = method === 'GET' ? {} : { body: '{}' };
  const answer = await service.request(at, { method, headers, ...body });
  // A stream that is open does not end.
  if (streams && answer.ok) await answer.body?.cancel();
  const json = answer.bodyUsed ? {} : await answer.json().catch(() => ({}));
  // The advertiser interface has codes instead of titles.
  const reason = String(json.detail ?? json.errors?.[0]?.message);
  return { status: answer.status, headers: answer.headers, reason };
}

/** Headers of an answer that state limits. */
const LIMIT_HEADERS = {
  app: 'x-rate-limit-limit',
  user: 'x-rate-limit-limit',
  account: 'x-account-rate-limit-limit',
  appDay: 'x-app-limit-24hour-limit',
  userDay: 'x-user-limit-24hour-limit',
} as const;

const NAMES: Readonly<Record<TokenKind, string>> = {
  oauth1: 'OAuth 1.0a User Context',
  oauth2: 'OAuth 2.0 User Context',
  app: 'OAuth 2.0 Application-Only',
};

describe.each(WITH_TOKEN.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s',
  (_, operation) => {
    const kinds = kindsOf(operation);

    it('answers 401 without credentials, and with credentials of another service', async () => {
      // Failed attempts at the other operations no longer count.
      now += 16 * MINUTE_MS;
      for (const wrong of [{ cookie: '' }, bearer('A'.repeat(64))]) {
        const { status, headers } = await answerOf(operation, () => wrong);
        expect(status).toBe(401);
        for (const name of ['x-rate-limit-limit', 'x-access-level']) {
          expect(headers.get(name)).toBeNull();
        }
      }
    });

    it.each(ALL.filter((kind) => kinds.includes(kind)))('says its limits by %s', async (kind) => {
      const { status, headers, reason } = await answerOf(operation, HEADERS[kind]);
      expect([status < 500, status === 401, reason]).toEqual([
        true,
        false,
        expect.not.stringMatching(/^Authenticating/),
      ]);
      const { app, user, ...others } = operation.limits ?? {};
      const own = kind === 'app' ? { app } : { user, ...others };
      for (const [name, limit] of Object.entries(own)) {
        const header = headers.get(LIMIT_HEADERS[name as keyof typeof LIMIT_HEADERS]);
        expect([name, header]).toEqual([name, limit ? String(limit.requests) : null]);
      }
    });

    it.each(ALL.filter((kind) => !kinds.includes(kind)))('refuses %s', async (kind) => {
      const { status, reason } = await answerOf(operation, HEADERS[kind]);
      const names = (['oauth1', 'oauth2', 'app'] as const)
        .filter((each) => kinds.includes(each))
        .map((each) => NAMES[each]);
      expect([status, reason]).toEqual([
        403,
        `Authenticating with ${NAMES[kind]} is forbidden for this endpoint.  Supported authentication types are [${names.join(', ')}].`,
      ]);
    });

    it.each(operation.scopes ?? [])('names the scope %s if it is missing', async (scope) => {
      const { status, reason } = await answerOf(operation, () => withoutScope(scope));
      expect([status, reason]).toEqual([
        403,
        `You are not permitted to perform this action: the token lacks the scope ${scope}.`,
      ]);
    });
  },
);
