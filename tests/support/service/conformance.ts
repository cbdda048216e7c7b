import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Profile } from '#contract/accounts/accounts.ts';
import type { AppSettings } from '#contract/accounts/apps.ts';
import { ACCOUNT_HEADER } from '#contract/accounts/session.ts';
import type { BillsAnswer } from '#contract/accounts/usage.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { orderCommunities } from '#server/users/communities.ts';
import { startService, type TestPost, type TestService } from './service.ts';
import { addApp, signed } from './signing-in.ts';

/** Body of an answer, as far as a test reads it. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // Each test knows the shape of what it asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** A caller of the interface. */
export interface As {
  readonly id: string;
  get(path: string): Promise<Answered>;
  send(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answered>;
}

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
  const caller = (
    id: string,
    credentials: (method: string, path: string) => Readonly<Record<string, string>>,
  ): As => {
    const ask = async (method: string, path: string, body?: object): Promise<Answered> => {
      const type = body && { 'content-type': 'application/json' };
      const answer = await service.request(path, {
        method,
        headers: { ...credentials(method, path), ...type },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const json: unknown = text === '' ? null : JSON.parse(text);
      return { status: answer.status, headers: answer.headers, body: json };
    };
    return { id, get: (path) => ask('GET', path), send: ask };
  };
  const bearer = (id: string, token: string): As => {
    const credentials = { cookie: '', authorization: `Bearer ${token}` };
    return caller(id, () => credentials);
  };
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
    user: (name, profile = {}, settings = OPEN) => {
      const known = service.auth.accounts({ action: 'list' });
      if (!known.some(({ username }) => username === name)) {
        service.auth.accounts({ action: 'add', username: name, profile });
      }
      const { name: app } = newApp(settings);
      const { token, account } = service.auth.issueUserToken({ name, app, limited: true });
      return bearer(account.id, token);
    },
    app: (settings = OPEN) => {
      const { id, bearer_token } = newApp(settings);
      return bearer(id, bearer_token);
    },
    signer: (name, settings = OPEN) => {
      const app = newApp(settings);
      const grant = { name, app: app.name, limited: true, oauth1: true };
      const { token, account, signing } = service.auth.issueUserToken(grant);
      const signer = { ...app, token, secret: signing?.access_token_secret ?? '' };
      return caller(account.id, (method, path) => {
        const over = { oauth_timestamp: Math.floor(now / 1000) };
        const url = `https://api.x.com${path}`;
        return { cookie: '', authorization: signed(url, signer, { method, over }) };
      });
    },
    dashboard: (name) => {
      const known = service.auth.accounts({ action: 'list' });
      const id = known.find(({ username }) => username === name)?.id ?? '';
      const { cookie } = service;
      return caller(id, () => ({ cookie, [ACCOUNT_HEADER]: id }));
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
