import { afterAll } from 'vitest';
import type { Profile } from '#contract/accounts.ts';
import type { AppSettings } from '#contract/apps.ts';
import { startService } from './service.ts';
import type { TestPost, TestService } from './service.ts';

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
}

/** Starts a service for the tests of a file. Its clock is in the hands of the tests. */
export function stage(posts: readonly TestPost[] = []): Stage {
  let now = Date.parse('2026-11-21T10:30:20Z');
  const service = startService({ now: () => now, posts });
  afterAll(() => service.close());
  let apps = 0;
  const caller = (id: string, token: string): As => {
    const credentials = { cookie: '', authorization: `Bearer ${token}` };
    const ask = async (path: string, init: RequestInit): Promise<Answered> => {
      const answer = await service.request(path, init);
      const text = await answer.text();
      const body: unknown = text === '' ? null : JSON.parse(text);
      return { status: answer.status, headers: answer.headers, body };
    };
    return {
      id,
      get: (path) => ask(path, { headers: credentials }),
      send: (method, path, body) =>
        ask(path, {
          method,
          headers: { ...credentials, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        }),
    };
  };
  const newApp = (settings: Partial<AppSettings>) => {
    const name = `App ${(apps += 1)}`;
    return { name, ...service.auth.apps({ action: 'add', name, settings }) };
  };
  return {
    service,
    get now() {
      return now;
    },
    set now(instant) {
      now = instant;
    },
    user: (name, profile = {}, settings = { access: 'enterprise', limited: false }) => {
      const known = service.auth.accounts({ action: 'list' });
      if (!known.some(({ username }) => username === name)) {
        service.auth.accounts({ action: 'add', username: name, profile });
      }
      const { name: app } = newApp(settings);
      const { token, account } = service.auth.issueUserToken({ name, app, limited: true });
      return caller(account.id, token);
    },
    app: (settings = { access: 'enterprise', limited: false }) => {
      const { apps: added, secrets } = newApp(settings);
      return caller(added[0]?.id ?? '', secrets?.bearer_token ?? '');
    },
  };
}
