import { afterAll } from 'vitest';
import { startService, type ServiceOptions, type TestService } from './service.ts';

/** JSON of an answer, as tests read it. */
export interface AnswerJson {
  readonly data?: unknown;
  readonly includes?: Readonly<Record<string, readonly Record<string, unknown>[]>>;
  readonly errors?: readonly Record<string, unknown>[];
  readonly meta?: {
    readonly result_count?: number;
    readonly next_token?: string;
    readonly previous_token?: string;
    readonly newest_id?: string;
    readonly oldest_id?: string;
  };
  readonly detail?: string;
  readonly title?: string;
}

export interface JsonCalls {
  get(path: string): Promise<{ status: number; json: AnswerJson }>;
  send(
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<{ status: number; json: AnswerJson }>;
  /** The ids in `data` of a page. */
  ids(path: string): Promise<string[]>;
}

/** Calls a service in process with a token. */
export function callsWith(service: TestService, token: string): JsonCalls {
  const call = async (method: string, path: string, body?: object) => {
    const response = await service.request(path, {
      method,
      headers: {
        cookie: '',
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as AnswerJson };
  };
  return {
    get: (path) => call('GET', path),
    send: call,
    ids: async (path) => {
      const { json } = await call('GET', path);
      return ((json.data ?? []) as { id: string }[]).map(({ id }) => id);
    },
  };
}

/** An account with a token that has all scopes. */
export function person(service: TestService, name: string): JsonCalls & { readonly id: string } {
  const { token, account } = service.auth.issueUserToken({ name, limited: false });
  return { id: account.id, ...callsWith(service, token) };
}

/** A service for the tests of a file, with two accounts and an app. */
export function serviceWithPeople(options: ServiceOptions = {}) {
  const service = startService(options);
  afterAll(() => service.close());
  const app = service.auth.issueToken({ access: 'enterprise', limited: false });
  return {
    service,
    ann: person(service, 'ann'),
    bob: person(service, 'bob'),
    app: callsWith(service, app),
  };
}
