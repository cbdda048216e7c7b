import { afterAll, expect } from 'vitest';
import type { Profile } from '#contract/accounts/accounts.ts';
import type { AppSettings } from '#contract/accounts/apps.ts';
import type { Scope } from '#contract/accounts/scopes.ts';
import { form } from '#tests/support/data/media.ts';
import { startService, type ServiceOptions, type TestService } from './service.ts';
import { addApp } from './signing-in.ts';

/** An answer with its JSON, which is null if it has no body. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  // Each test knows the shape of what it asked for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** The parameters and messages of a 400. */
export function faultsOf({ status, body }: Answered): [parameters: object, message: string][] {
  if (status !== 400) throw new RangeError(`expected 400, got ${status}: ${JSON.stringify(body)}`);
  return body.errors.map(({ parameters, message }: { parameters: object; message: string }) => [
    parameters,
    message,
  ]);
}

/** The field names and messages of a 400. */
export const wrongOf = (answer: Answered): [string, string][] =>
  faultsOf(answer).map(([parameters, message]) => [Object.keys(parameters).join(), message]);

/** The ids in `data` of a page. */
export const idsOf = ({ body }: Answered): string[] =>
  (body.data ?? []).map(({ id }: { id: string }) => id);

/** Headers that say who sends a request. */
export type Credentials = Readonly<Record<string, string>>;

/** The headers of a program with a token. */
export const bearer = (token: string): Credentials => ({
  cookie: '',
  authorization: `Bearer ${token}`,
});

/** Sends requests in process, or from a browser. */
type Reached = Pick<TestService, 'request'>;

/** A caller whose answers have bodies of JSON, and its requests too unless they say otherwise. */
export type Caller = ReturnType<typeof callerOf>;

/** @param credentials - By default those of the dashboard's session. */
export function callerOf(
  service: Reached,
  credentials: Credentials | ((method: string, path: string) => Credentials) = {},
) {
  /** Sends a body as it is. */
  const ask = async (method: string, path: string, init: RequestInit): Promise<Answered> => {
    const own = typeof credentials === 'function' ? credentials(method, path) : credentials;
    const headers = { ...own, ...(init.headers as Credentials) };
    const answer = await service.request(path, { ...init, method, headers });
    const text = await answer.text();
    const json: unknown = text === '' ? null : JSON.parse(text);
    return { status: answer.status, headers: answer.headers, body: json };
  };
  const send = (method: string, path: string, body?: object, headers: Credentials = {}) => {
    const type = body && { 'content-type': 'application/json' };
    const sent = body && { body: JSON.stringify(body) };
    return ask(method, path, { ...sent, headers: { ...type, ...headers } });
  };
  const get = (path: string, headers?: Credentials) => send('GET', path, undefined, headers);
  return {
    ask,
    send,
    get,
    post: (path: string, body?: object, headers?: Credentials) => send('POST', path, body, headers),
    /** Sends a multipart form. */
    postForm: (path: string, fields: Readonly<Record<string, string | Buffer>>) => {
      const { body, type } = form(fields);
      return ask('POST', path, { body, headers: { 'content-type': type } });
    },
    /** The ids in `data` of a page. */
    ids: async (path: string): Promise<string[]> => idsOf(await get(path)),
  };
}

/** The ids of each page of a listing. The way back must lead over the same pages. @param path - With a query. */
export async function pagesOf({ get }: Pick<Caller, 'get'>, path: string): Promise<string[][]> {
  const at = (token: string) => get(`${path}&pagination_token=${token}`);
  const pages = [await get(path)];
  for (let page = pages[0]; page?.body.meta.next_token !== undefined; pages.push(page)) {
    page = await at(page.body.meta.next_token);
  }
  let back = pages.at(-1);
  for (const page of pages.slice(0, -1).reverse()) {
    back = await at(back?.body.meta.previous_token);
    expect(back.body.data).toEqual(page.body.data);
  }
  expect(back?.body.meta.previous_token).toBeUndefined();
  return pages.map(idsOf);
}

let programs = 0;

/** Adds an app. @returns Its secrets, and a caller with its app-only token. */
export function program(
  service: Reached & Pick<TestService, 'auth'>,
  settings: Partial<AppSettings> = {},
) {
  const open = { access: 'enterprise', limited: false, ...settings } as const;
  const app = addApp(service, `Program ${(programs += 1)}`, open);
  return { ...app, ...callerOf(service, bearer(app.bearer_token)) };
}

interface Grant {
  /** Name of the app; by default the one of the command line. */
  readonly app?: string;
  /** True for the limits of the app; by default there are none. */
  readonly limited?: boolean;
  /** By default all. */
  readonly scopes?: readonly Scope[];
  /** The profile of an account that is not there yet. */
  readonly profile?: Partial<Profile>;
}

/** A caller with a token of an account, which is added unless it is there. */
export function person(
  service: Reached & Pick<TestService, 'auth'>,
  name: string,
  { profile = {}, ...grant }: Grant = {},
) {
  const { auth } = service;
  const isKnown = auth
    .accounts({ action: 'list' })
    .some(({ username }) => username.toLowerCase() === name.toLowerCase());
  if (!isKnown) auth.accounts({ action: 'add', username: name, profile });
  const { token, account } = auth.issueUserToken({ name, limited: false, ...grant });
  return { id: account.id, token, ...callerOf(service, bearer(token)) };
}

/** A service for the tests of a file, with two accounts and an app. */
export function serviceWithPeople(options: ServiceOptions = {}) {
  const service = startService(options);
  afterAll(() => service.close());
  return {
    service,
    ann: person(service, 'ann'),
    bob: person(service, 'bob'),
    app: program(service),
  };
}
