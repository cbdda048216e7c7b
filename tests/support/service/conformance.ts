import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Profile } from '#contract/accounts/accounts.ts';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { ACCOUNT_HEADER } from '#contract/accounts/session.ts';
import type { BillsAnswer } from '#contract/accounts/usage.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { orderCommunities } from '#server/users/communities.ts';
import { bearer, callerOf, person, type Caller } from './callers.ts';
import { startService, type TestPost, type TestService } from './service.ts';
import { addApp, signed } from './signing-in.ts';

/** A caller of the interface. */
export type As = Caller & { readonly id: string };

export interface Stage {
  readonly service: TestService;
  /** Epoch ms. */
  now: number;
  /** A program that acts as an account, which is created with this profile, through an app of these settings. */
  user(name: string, profile?: Partial<Profile>, app?: Partial<AppSettings>): As;
  /** A program with an app-only token. */
  app(settings?: Partial<AppSettings>): As;
  /** A program that signs its requests by OAuth 1.0a, for an account that exists. */
  signer(name: string, settings?: Partial<AppSettings>): As;
  /** The dashboard, which acts as an account that exists. */
  dashboard(name: string): As;
  /** Adds a community of accounts. @returns Its id. */
  community(name: string, members: readonly string[]): Promise<string>;
  /** The payments of the newest app, micro-dollars. */
  charged(): Promise<number>;
  /** Imports a page of Posts in the platform's form. */
  bring(page: object): Promise<void>;
}

const OPEN: Partial<AppSettings> = { access: 'enterprise', limited: false };

/** Starts a service for the tests of a file. Its clock is in the hands of the tests. */
export function stage(posts: readonly TestPost[] = []): Stage {
  let now = Date.parse('2026-11-21T10:30:20Z');
  const service = startService({ now: () => now, posts, imports: {} });
  afterAll(() => service.close());
  let apps = 0;
  const newApp = (settings: Partial<AppSettings>) =>
    addApp(service, `App ${(apps += 1)}`, settings);
  return {
    service,
    get now() {
      return now;
    },
    set now(instant) {
      now = instant;
    },
    user: (name, profile = {}, settings = OPEN) =>
      person(service, name, { profile, app: newApp(settings).name, limited: true }),
    app: (settings = OPEN) => {
      const { id, bearer_token } = newApp(settings);
      return { id, ...callerOf(service, bearer(bearer_token)) };
    },
    signer: (name, settings = OPEN) => {
      const app = newApp(settings);
      const grant = { name, app: app.name, limited: true, oauth1: true };
      const { token, account, signing } = service.auth.issueUserToken(grant);
      const signer = { ...app, token, secret: signing?.access_token_secret ?? '' };
      const credentials = (method: string, path: string) => {
        const over = { oauth_timestamp: Math.floor(now / 1000) };
        const url = `https://api.x.com${path}`;
        return { cookie: '', authorization: signed(url, signer, { method, over }) };
      };
      return { id: account.id, ...callerOf(service, credentials) };
    },
    dashboard: (name) => {
      const known = service.auth.accounts({ action: 'list' });
      const id = known.find(({ username }) => username === name)?.id ?? '';
      return { id, ...callerOf(service, { [ACCOUNT_HEADER]: id }) };
    },
    community: async (name, members) => {
      const db = openPosts(join(service.folder, 'posts.sqlite'), {
        random: (n) => new Uint8Array(n),
      });
      const accounts = service.auth.accounts({ action: 'list' });
      const deps = { accounts, editor: editorOver(db, () => now), now: () => now };
      const order = { action: 'add' as const, name, members: [...members] };
      const [added] = await orderCommunities(deps, order);
      db.close();
      return added?.id ?? '';
    },
    charged: async () => {
      const { data } = (await (await service.request('/usage?days=1')).json()) as BillsAnswer;
      return data.find(({ name }) => name === `App ${apps}`)?.charged ?? 0;
    },
    bring: async (page) => {
      const body = new TextEncoder().encode(JSON.stringify(page));
      const headers = { 'content-length': String(body.length) };
      const answer = await service.request('/import?name=page.json', {
        method: 'POST',
        body,
        headers,
      });
      const last = (await answer.text()).trimEnd().split('\n').at(-1) ?? '';
      const { type } = JSON.parse(last) as { type?: string };
      if (type !== 'imported') throw new Error(`expected an import, got ${last}`);
    },
  };
}
