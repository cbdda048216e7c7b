import { afterAll, describe, expect, it } from 'vitest';
import type { Endpoint, TokenKind } from '#contract/endpoint.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { SCOPES, type Scope } from '#contract/accounts/scopes.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { startService } from '#tests/support/service.ts';

/**
 * Authentication kinds and scopes of each operation (platform-facts, section 12; the scopes of reads by section 9 and
 * its additions; counts refuse OAuth 1.0a).
 */
const READ = ['tweet.read', 'users.read'];
const WRITE = ['tweet.read', 'tweet.write', 'users.read'];
const ALL: readonly TokenKind[] = ['app', 'oauth1', 'oauth2'];
const USER: readonly TokenKind[] = ['oauth1', 'oauth2'];
const SIGNED: readonly TokenKind[] = ['oauth1'];
/** Operations of the advertiser interface (platform-facts, section 10). */
function advertiserRows(method: string, ...paths: readonly string[]) {
  return paths.map((path) => [`${method} ${path}`, ['oauth1'], []] as const);
}
const listingAndOne = (name: string, key: string): string[] => {
  const path = `/5/accounts/:account_id/${name}`;
  return [path, `${path}/:${key}`];
};
const ROWS: readonly (readonly [string, readonly TokenKind[], readonly string[]])[] = [
  ['GET /2/tweets/counts/recent', ['app', 'oauth2'], []],
  ['GET /2/tweets/counts/all', ['app'], []],
  ['GET /2/tweets/search/recent', ALL, READ],
  ['GET /2/tweets/search/all', ['app'], []],
  ['GET /2/tweets', ALL, READ],
  ['GET /2/tweets/:id', ALL, READ],
  ['POST /2/tweets', USER, WRITE],
  ['DELETE /2/tweets/:id', USER, WRITE],
  ['GET /2/users', ALL, READ],
  ['GET /2/users/:id', ALL, READ],
  ['GET /2/users/by', ALL, READ],
  ['GET /2/users/by/username/:username', ALL, READ],
  ['GET /2/users/me', USER, READ],
  ['GET /2/usage/tweets', ['app'], []],
  ['GET /2/tweets/search/stream', ['app'], []],
  ['POST /2/tweets/search/webhooks/:webhook_id', ['app'], []],
  ['GET /2/tweets/search/webhooks', ['app'], []],
  ['DELETE /2/tweets/search/webhooks/:webhook_id', ['app'], []],
  ['POST /2/activity/subscriptions', ALL, []],
  ['GET /2/activity/subscriptions', ALL, ['tweet.read']],
  ['DELETE /2/activity/subscriptions', ['app'], []],
  ['PUT /2/activity/subscriptions/:subscription_id', ['app'], []],
  ['DELETE /2/activity/subscriptions/:subscription_id', ['app'], []],
  ['GET /2/activity/stream', ['app'], []],
  ['GET /2/connections', ['app'], []],
  ['DELETE /2/connections', ['app'], []],
  ['DELETE /2/connections/all', ['app'], []],
  ['DELETE /2/connections/:endpoint_id', ['app'], []],
  ['GET /2/users/:id/bookmarks', ['oauth2'], ['bookmark.read', ...READ]],
  ['POST /2/users/:id/bookmarks', ['oauth2'], ['bookmark.write', ...READ]],
  ['DELETE /2/users/:id/bookmarks/:tweet_id', ['oauth2'], ['bookmark.write', ...READ]],
  ['GET /2/users/:id/followers', ALL, ['follows.read', ...READ]],
  ['GET /2/users/:id/following', ALL, ['follows.read', ...READ]],
  ['POST /2/users/:id/following', USER, ['follows.write', ...READ]],
  ['DELETE /2/users/:source_user_id/following/:target_user_id', USER, ['follows.write', ...READ]],
  ['GET /2/users/:id/liked_tweets', USER, ['like.read', ...READ]],
  ['GET /2/tweets/:id/liking_users', USER, ['like.read', ...READ]],
  ['POST /2/users/:id/likes', USER, ['like.write', ...READ]],
  ['DELETE /2/users/:id/likes/:tweet_id', USER, ['like.write', ...READ]],
  ['GET /2/users/:id/owned_lists', ALL, ['list.read', ...READ]],
  ['GET /2/users/:id/followed_lists', ALL, ['list.read', ...READ]],
  ['GET /2/users/:id/list_memberships', ALL, ['list.read', ...READ]],
  ['GET /2/users/:id/pinned_lists', USER, ['list.read', ...READ]],
  ['GET /2/lists/:id', ALL, ['list.read', ...READ]],
  ['GET /2/lists/:id/members', ALL, ['list.read', ...READ]],
  ['GET /2/lists/:id/followers', ALL, ['list.read', ...READ]],
  ['GET /2/lists/:id/tweets', ALL, ['list.read', ...READ]],
  ['PUT /2/lists/:id', USER, ['list.write', ...READ]],
  ['DELETE /2/lists/:id', USER, ['list.write', ...READ]],
  ['POST /2/lists/:id/members', USER, ['list.write', ...READ]],
  ['DELETE /2/lists/:id/members/:user_id', USER, ['list.write', ...READ]],
  ['POST /2/users/:id/followed_lists', USER, ['list.write', ...READ]],
  ['DELETE /2/users/:id/followed_lists/:list_id', USER, ['list.write', ...READ]],
  ['POST /2/users/:id/pinned_lists', USER, ['list.write', ...READ]],
  ['DELETE /2/users/:id/pinned_lists/:list_id', USER, ['list.write', ...READ]],
  ['GET /2/users/:id/muting', USER, ['mute.read', ...READ]],
  ['GET /2/users/:id/blocking', USER, ['block.read', ...READ]],
  ['POST /2/users/:id/muting', USER, ['mute.write', ...READ]],
  ['DELETE /2/users/:source_user_id/muting/:target_user_id', USER, ['mute.write', ...READ]],
  ['GET /2/tweets/:id/retweeted_by', ALL, READ],
  ['POST /2/users/:id/retweets', USER, ['tweet.write', ...READ]],
  ['DELETE /2/users/:id/retweets/:source_tweet_id', USER, ['tweet.write', ...READ]],
  ['GET /2/users/:id/tweets', ALL, READ],
  ['GET /2/users/:id/mentions', ALL, READ],
  ['GET /2/tweets/:id/quote_tweets', ALL, READ],
  ['POST /2/lists', USER, ['list.read', 'list.write', ...READ]],
  ['PUT /2/tweets/:tweet_id/hidden', USER, ['tweet.moderate.write', ...READ]],
  ['POST /2/media/upload', USER, ['media.write']],
  ['GET /2/media/upload', USER, ['media.write']],
  ['POST /2/media/upload/initialize', USER, ['media.write']],
  ['POST /2/media/upload/:id/append', USER, ['media.write']],
  ['POST /2/media/upload/:id/finalize', USER, ['media.write']],
  ['POST /2/media/metadata', USER, ['media.write']],
  ['POST /2/webhooks', ['app', 'oauth1'], []],
  ['GET /2/webhooks', ['app'], []],
  ['PUT /2/webhooks/:webhook_id', ['app', 'oauth1'], []],
  ['DELETE /2/webhooks/:webhook_id', ['app', 'oauth1'], []],
  ['POST /2/webhooks/replay', ['app'], []],
  ['POST /1.1/oauth/invalidate_token', ['oauth1'], []],
  ['GET /2/news/search', ALL, READ],
  ['GET /2/news/:id', ALL, READ],
  ['GET /2/notes/search/posts_eligible_for_notes', USER, ['tweet.read']],
  ['GET /2/notes/search/notes_written', USER, ['tweet.read']],
  ['POST /2/evaluate_note', USER, ['tweet.write']],
  ['POST /2/notes', USER, ['tweet.write']],
  ['DELETE /2/notes/:id', USER, ['tweet.write']],
  ['GET /2/tweets/search/stream/rules', ['app'], []],
  ['POST /2/tweets/search/stream/rules', ['app'], []],
  ['GET /2/tweets/search/stream/rules/counts', ['app'], []],
  ['GET /5/product_catalogs', SIGNED, []],
  ['POST /5/product_catalogs', SIGNED, []],
  ['PUT /5/product_catalogs/:id', SIGNED, []],
  ['DELETE /5/product_catalogs/:id', SIGNED, []],
  ['GET /5/product_catalogs/:product_catalog_id/products', SIGNED, []],
  ['PUT /5/product_catalogs/:product_catalog_id/products', SIGNED, []],
  ['DELETE /5/product_catalogs/:product_catalog_id/products', SIGNED, []],
  ['GET /5/product_catalogs/:product_catalog_id/product_sets', SIGNED, []],
  ['GET /5/product_catalogs/:product_catalog_id/product_sets/:id', SIGNED, []],
  ['POST /5/product_catalogs/:product_catalog_id/product_sets', SIGNED, []],
  ['PUT /5/product_catalogs/:product_catalog_id/product_sets/:id', SIGNED, []],
  ['DELETE /5/product_catalogs/:product_catalog_id/product_sets/:id', SIGNED, []],
  ['GET /5/product_catalogs/:product_catalog_id/scheduled_feeds', SIGNED, []],
  ['POST /5/product_catalogs/:product_catalog_id/scheduled_feeds', SIGNED, []],
  ['PUT /5/product_catalogs/:product_catalog_id/scheduled_feeds/:id', SIGNED, []],
  ['DELETE /5/product_catalogs/:product_catalog_id/scheduled_feeds/:id', SIGNED, []],
  ['GET /2/powerstream', ['app'], []],
  ['GET /2/powerstream/rules', ['app'], []],
  ['POST /2/powerstream/rules', ['app'], []],
  ['DELETE /2/powerstream/rules', ['app'], []],
  ['GET /2/communities/:id', ALL, ['list.read', 'tweet.read', 'users.read']],
  ...advertiserRows(
    'GET',
    '/5/accounts',
    '/5/accounts/:account_id',
    ...[
      'funding_instruments',
      'campaigns',
      'line_items',
      'promoted_tweets',
      'media_creatives',
      'promotable_users',
      'account_media',
      'scheduled_tweets',
      'draft_tweets',
      'custom_audiences',
      'tracking_tags',
    ].flatMap((name) => listingAndOne(name, `${name.replace(/s$/, '')}_id`)),
    ...listingAndOne('media_library', 'media_key'),
    ...listingAndOne('targeting_criteria', 'targeting_criterion_id'),
    ...listingAndOne('account_history', 'account_history_id'),
    '/5/stats/accounts/:account_id',
    '/5/stats/accounts/:account_id/active_entities',
    '/5/stats/accounts/:account_id/reach/campaigns',
  ),
  ...advertiserRows(
    'POST',
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
    '/5/batch/accounts/:account_id/campaigns',
    '/5/batch/accounts/:account_id/line_items',
    '/5/batch/accounts/:account_id/targeting_criteria',
  ),
  ...advertiserRows(
    'PUT',
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
  ),
  ...advertiserRows(
    'DELETE',
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
  ),
];

const nameOf = ({ method, path }: Endpoint): string => `${method} ${path}`;
const kindsOf = ({ authentication }: Endpoint): TokenKind[] =>
  ALL.filter((kind) => authentication.includes(kind));
/** Operations that take a token. */
const WITH_TOKEN = OPERATIONS.filter((one) => kindsOf(one).length > 0);

it('has a row for every operation that takes a token', () => {
  expect(new Set(WITH_TOKEN.map(nameOf))).toEqual(new Set(ROWS.map(([name]) => name)));
});

describe.each(ROWS)('Authentication › %s', (name, kinds, scopes) => {
  const operation = WITH_TOKEN.find((one) => nameOf(one) === name);

  it(`takes ${kinds.join(', ')}`, () => {
    expect(operation && kindsOf(operation)).toEqual(kinds);
  });

  it(scopes.length === 0 ? 'needs no scopes' : `needs the scopes ${scopes.join(' ')}`, () => {
    expect([...(operation?.scopes ?? [])].sort()).toEqual([...scopes].sort());
  });
});

let now = Date.now();
const service = startService({ now: () => now });
afterAll(() => service.close());
const bearer = (token: string) => ({ cookie: '', authorization: `Bearer ${token}` });
const withScopes = (scopes: readonly Scope[]) =>
  bearer(service.auth.issueUserToken({ name: 'alice', scopes, limited: false }).token);
const APP = bearer(service.auth.issueToken({ access: 'enterprise', limited: false }));

/** The status and title of the answer to a request without parameters. */
async function refusal({ method, path, streams }: Endpoint, headers: Record<string, string>) {
  const json = { 'content-type': 'application/json', ...headers };
  const at = path.replaceAll(/:\w+/g, '1');
  const body = method === 'GET' ? {} : { body: '{}' };
  const answer = await service.request(at, { method, headers: json, ...body });
  // A stream that is open does not end.
  if (streams && answer.ok) {
    await answer.body?.cancel();
    return { status: answer.status, title: undefined, detail: '' };
  }
  const { title, detail, errors } = await answer.json().catch(() => ({}));
  // The advertiser interface has codes instead of titles.
  const isOfKind = String(errors?.[0]?.message).startsWith('Authenticating with ');
  const named = isOfKind ? 'Unsupported Authentication' : title;
  return { status: answer.status, title: named, detail: String(detail) };
}

describe.each(WITH_TOKEN.map((one) => [nameOf(one), one] as const))('%s', (_, operation) => {
  const kinds = kindsOf(operation);

  it('answers 401 without credentials, and with credentials of another service', async () => {
    // Failed attempts at the other operations no longer count.
    now += 16 * MINUTE_MS;
    for (const headers of [{ cookie: '' }, bearer('A'.repeat(64))]) {
      expect((await refusal(operation, headers)).status).toBe(401);
    }
  });

  it(`${kinds.includes('app') ? 'takes' : 'refuses'} an app-only token`, async () => {
    const { title } = await refusal(operation, APP);
    if (kinds.includes('app')) expect(title).not.toBe('Unsupported Authentication');
    else expect(title).toBe('Unsupported Authentication');
  });

  it(`${kinds.includes('oauth2') ? 'takes' : 'refuses'} an OAuth 2.0 token with user context`, async () => {
    const { title } = await refusal(operation, withScopes(SCOPES));
    if (kinds.includes('oauth2')) expect(title).not.toBe('Unsupported Authentication');
    else expect(title).toBe('Unsupported Authentication');
  });

  it('names a missing scope', async () => {
    for (const scope of operation.scopes ?? []) {
      const others = SCOPES.filter((one) => one !== scope);
      const { status, detail } = await refusal(operation, withScopes(others));
      expect([status, detail]).toEqual([403, expect.stringContaining(`lacks the scope ${scope}`)]);
    }
  });
});
