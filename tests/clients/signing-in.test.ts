import { Client, OAuth1, OAuth2, generateCodeVerifier } from '@xdevplatform/xdk';
import { TwitterApi } from 'twitter-api-v2';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startPlatformHosts, type PlatformHosts } from '#tests/support/service/platform-hosts.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';
import {
  addAccount,
  addApp,
  decide,
  sentTo,
  type TestApp,
} from '#tests/support/service/signing-in.ts';

// The clients are unchanged: they call the platform's own hosts, which the front end serves on this machine.

const CALLBACK = 'http://127.0.0.1:9/back';

let service: TestService;
let url: string;
let hosts: PlatformHosts;
let alice: string;
let app: TestApp;
beforeAll(async () => {
  service = startService({ posted: true });
  url = await service.listen();
  hosts = await startPlatformHosts(url);
  alice = addAccount(service, 'alice').id;
  app = addApp(service, 'Writer', { access: 'enterprise', callbacks: [CALLBACK] });
});
afterAll(async () => {
  await hosts.close();
  await service.close();
});

/** Allows access on the page of an address of the platform. @returns The parameters that the callback gets. */
async function allow(address: string): Promise<URLSearchParams> {
  const { pathname, search } = new URL(address);
  return sentTo(await decide(service, pathname + search, alice));
}

describe('twitter-api-v2', () => {
  const settings = () => ({ httpAgent: hosts.agent });
  const keys = () => ({ appKey: app.api_key, appSecret: app.api_key_secret });

  it('signs an app in', async () => {
    const client = await new TwitterApi(keys(), settings()).appLogin();
    const found = await client.v2.userByUsername('alice');
    expect(found.data).toMatchObject({ id: alice, username: 'alice' });
    expect((await client.v2.tweetCountAll('tea')).meta.total_tweet_count).toBe(0);
    await expect(client.v2.me()).rejects.toMatchObject({ code: 403 });
  });

  it('signs a user in by OAuth 2.0, renews the tokens and revokes them', async () => {
    const credentials = { clientId: app.client_id, clientSecret: app.client_secret ?? '' };
    const program = new TwitterApi(credentials, settings());
    const scope = ['tweet.read', 'tweet.write', 'users.read', 'offline.access'];
    const { url: page, codeVerifier, state } = program.generateOAuth2AuthLink(CALLBACK, { scope });
    const sent = await allow(page);
    expect(sent.get('state')).toBe(state);
    const code = sent.get('code') ?? '';
    const first = await program.loginWithOAuth2({ code, codeVerifier, redirectUri: CALLBACK });
    expect(first).toMatchObject({ expiresIn: 7200, scope });
    expect((await first.client.v2.me()).data.username).toBe('alice');
    expect((await first.client.v2.tweet('Hello by OAuth 2.0')).data.text).toContain('Hello');

    const next = await program.refreshOAuth2Token(first.refreshToken ?? '');
    expect((await next.client.v2.me()).data.id).toBe(alice);
    const replayed = program.refreshOAuth2Token(first.refreshToken ?? '');
    await expect(replayed).rejects.toMatchObject({ code: 400 });
    await expect(next.client.v2.me()).rejects.toMatchObject({ code: 401 });

    const again = program.generateOAuth2AuthLink(CALLBACK, { scope });
    const login = await program.loginWithOAuth2({
      code: (await allow(again.url)).get('code') ?? '',
      codeVerifier: again.codeVerifier,
      redirectUri: CALLBACK,
    });
    await program.revokeOAuth2Token(login.accessToken);
    await expect(login.client.v2.me()).rejects.toMatchObject({ code: 401 });
  });

  it('signs a user in as a public client', async () => {
    const page = addApp(service, 'Page', { client: 'public', callbacks: [CALLBACK] });
    const program = new TwitterApi({ clientId: page.client_id }, settings());
    const scope = ['tweet.read', 'users.read'];
    const { url: address, codeVerifier } = program.generateOAuth2AuthLink(CALLBACK, { scope });
    const code = (await allow(address)).get('code') ?? '';
    const login = await program.loginWithOAuth2({ code, codeVerifier, redirectUri: CALLBACK });
    expect(login.refreshToken).toBeUndefined();
    expect((await login.client.v2.me()).data.id).toBe(alice);
  });

  it.each(['authenticate', 'authorize'] as const)(
    'signs a user in by OAuth 1.0a with %s, and signs its requests',
    async (linkMode) => {
      const program = new TwitterApi(keys(), settings());
      const link = await program.generateAuthLink(CALLBACK, { linkMode });
      const sent = await allow(link.url);
      expect(sent.get('oauth_token')).toBe(link.oauth_token);
      const asked = new TwitterApi(
        { ...keys(), accessToken: link.oauth_token, accessSecret: link.oauth_token_secret },
        settings(),
      );
      const login = await asked.login(sent.get('oauth_verifier') ?? '');
      expect(login).toMatchObject({ userId: alice, screenName: 'alice' });
      const { client } = login;
      expect((await client.v2.me({ 'user.fields': ['created_at'] })).data.username).toBe('alice');
      const text = `Signed by ${linkMode}: it's 100% & (more) *`;
      const { data } = await client.v2.tweet(text);
      expect(data.id).toMatch(/^\d+$/);
      expect((await client.v2.deleteTweet(data.id)).data.deleted).toBe(true);
    },
  );

  it('signs a user in by PIN', async () => {
    const program = new TwitterApi(keys(), settings());
    const link = await program.generateAuthLink('oob', { linkMode: 'authorize' });
    const { pathname, search } = new URL(link.url);
    const page = await (await decide(service, pathname + search, alice)).text();
    const pin = /<output[^>]*>(\d{7})<\/output>/.exec(page)?.[1] ?? '';
    const asked = new TwitterApi(
      { ...keys(), accessToken: link.oauth_token, accessSecret: link.oauth_token_secret },
      settings(),
    );
    expect((await asked.login(pin)).userId).toBe(alice);
  });

  it('signs requests with a token of the command line', async () => {
    const issued = service.auth.issueUserToken({ name: 'alice', limited: true, oauth1: true });
    const { api_key, api_key_secret = '', access_token_secret } = issued.signing!;
    const client = new TwitterApi(
      {
        appKey: api_key,
        appSecret: api_key_secret,
        accessToken: issued.token,
        accessSecret: access_token_secret,
      },
      settings(),
    );
    expect((await client.v2.me()).data.id).toBe(alice);
  });
});

describe('@xdevplatform/xdk', () => {
  // The classes for signing in call the platform's hosts; `Client` takes another address.
  beforeAll(() => vi.stubGlobal('fetch', hosts.fetch));
  afterAll(() => vi.unstubAllGlobals());

  it('signs a user in by OAuth 2.0 and renews the tokens', async () => {
    const program = new OAuth2({
      clientId: app.client_id,
      clientSecret: app.client_secret ?? '',
      redirectUri: CALLBACK,
      scope: ['tweet.read', 'tweet.write', 'users.read', 'offline.access'],
    });
    const verifier = generateCodeVerifier();
    await program.setPkceParameters(verifier);
    const sent = await allow(await program.getAuthorizationUrl('a state'));
    expect(sent.get('state')).toBe('a state');
    const token = await program.exchangeCode(sent.get('code') ?? '', verifier);
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 7200 });
    const me = await new Client({ baseUrl: url, accessToken: token.access_token }).users.getMe();
    expect(me.data).toMatchObject({ id: alice });
    const next = await program.refreshToken(token.refresh_token ?? '');
    expect(next.access_token).not.toBe(token.access_token);
    await expect(program.refreshToken(token.refresh_token ?? '')).rejects.toThrow(
      'Value passed for the token was invalid.',
    );
  });

  it('signs a user in by OAuth 1.0a, and signs its requests', async () => {
    const keys = { apiKey: app.api_key, apiSecret: app.api_key_secret, callback: CALLBACK };
    const program = new OAuth1(keys);
    const sent = await allow(await program.startOAuthFlow());
    const token = await program.getAccessToken(sent.get('oauth_verifier') ?? '');
    const client = new Client({ baseUrl: url, oauth1: new OAuth1({ ...keys, ...token }) });
    const me = await client.users.getMe({ userFields: ['created_at', 'protected'] });
    expect(me.data).toMatchObject({ id: alice, username: 'alice', protected: false });
    const created = await client.posts.create({ text: 'Signed & sent' });
    expect(created.data?.id).toMatch(/^\d+$/);
  });
});
