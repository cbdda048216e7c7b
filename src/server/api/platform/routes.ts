import type { Context } from 'hono';
import * as v from 'valibot';
import { Fault, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  ASK_FORM,
  ASK_HEADER,
  BUY_HEADER,
  BUYS,
  FETCHED_HEADER,
  PLATFORM,
  PRICE_HEADER,
  UNCERTAIN,
  UNCERTAIN_HEADER,
  VAULT_HEADER,
  type Buy,
  type PlatformSettings,
} from '#contract/counts/platform.ts';
import {
  MAX_TOKEN,
  PLATFORM_CONNECTION,
  type ConnectOrder,
} from '#contract/counts/platform-connection.ts';
import { PLATFORM_SPENDING, type SpendingAnswer } from '#contract/counts/spending.ts';
import { OWN_POSTS } from '#contract/counts/own-posts.ts';
import { RELAY } from '#contract/counts/relay.ts';
import { UNCACHED } from '#server/http/headers.ts';
import { readNested, readObject } from '#server/http/json-body.ts';
import type { Route } from '#server/http/serve.ts';
import { spanBetween } from '#server/http/span-between.ts';
import { notConnected } from '#server/platform/connection.ts';
import type { Relay } from '#server/platform/relay.ts';
import { readCall, readSearch } from '#server/platform/request.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Caller } from '#server/auth/caller.ts';
import { readMe, readOwnPosts, readUser } from '#server/platform/own-request.ts';
import type { RelayCall } from '#server/platform/relay-call.ts';

/** Maximum size of settings in bytes. */
const MAX_SETTINGS = 16 * 1024;

function badHeader(name: string, value: string, expected: string): Error {
  return plainProblem(400, 'Bad Request', `The header ${name} is ${value}: expected ${expected}.`);
}

function askOf(c: Context): string | null {
  const ask = c.req.header(ASK_HEADER);
  if (ask === undefined || ASK_FORM.test(ask)) return ask ?? null;
  throw badHeader(ASK_HEADER, JSON.stringify(ask), '8 to 64 letters, digits and - . _');
}

function buyOf(c: Context): Buy | null {
  const text = c.req.header(BUY_HEADER);
  const buy = BUYS.find((each) => each === text);
  if (text === undefined || buy !== undefined) return buy ?? null;
  throw badHeader(BUY_HEADER, JSON.stringify(text), `one of ${BUYS.join(', ')}`);
}

function noAsk(): Error {
  const detail = `The dashboard's session can buy only with the header ${ASK_HEADER}.`;
  return plainProblem(403, 'Forbidden', detail);
}

function knownOf(c: Context): number | null {
  const text = c.req.header(UNCERTAIN_HEADER);
  if (text === undefined) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw badHeader(UNCERTAIN_HEADER, JSON.stringify(text), 'a whole number');
}

/** The header that counts uncertain requests. */
function uncertainOf(relay: Relay, ask: string | null): Record<string, string> {
  return ask === null ? {} : { [UNCERTAIN_HEADER]: String(relay.uncertain(ask)) };
}

/** Reads settings. Messages name each invalid one, its value, and the rule that it violates. */
function readSettings(c: Context, schema: typeof PlatformSettings): Promise<PlatformSettings> {
  return readNested(c, schema, MAX_SETTINGS, ({ message }, path, value) => {
    const what = value === undefined ? 'is missing' : `has the value [${value}]`;
    return `The setting \`${path}\` ${what}. ${message}`;
  });
}

/** Answers with a page that the relay holds or buys. */
async function relayPage(
  c: Context,
  { kind, login: spender }: Caller,
  relay: Relay,
  read: (url: string) => RelayCall | Promise<RelayCall>,
): Promise<Response> {
  const [ask, buy] = [askOf(c), buyOf(c)];
  const mayBuy = kind !== 'session' || ask !== null;
  const call = await read(c.req.url);
  const known = knownOf(c);
  const reply = await relay
    .answer({ call, ask, buy: mayBuy ? buy : 'no', known, spender })
    .catch((error: unknown) => {
      if (!(error instanceof Fault) || error.body[UNCERTAIN] !== true) throw error;
      throw new Fault(error.status, error.body, { ...error.headers, ...uncertainOf(relay, ask) });
    });
  if (!reply && !mayBuy && buy !== 'no') throw noAsk();
  const common = { 'cache-control': UNCACHED, ...uncertainOf(relay, ask) };
  if (!reply) return new Response(null, { status: 204, headers: common });
  const body = reply.body.length === 0 ? null : (reply.body as Uint8Array<ArrayBuffer>);
  return new Response(body, {
    status: reply.status,
    headers: {
      ...reply.headers,
      ...common,
      [ASK_HEADER]: reply.ask,
      [VAULT_HEADER]: reply.vault,
      [PRICE_HEADER]: String(reply.price),
      [FETCHED_HEADER]: formatInstant(reply.fetched),
    },
  });
}

/** Reads a token without repeating any of it in a message. */
async function readToken(
  c: Context,
  schema: typeof ConnectOrder,
): Promise<v.InferOutput<typeof ConnectOrder>> {
  const read = v.safeParse(schema, await readObject(c, MAX_SETTINGS));
  if (read.success) return read.output;
  const detail = `Expected an object with the bearer token as \`token\`, at most ${MAX_TOKEN} characters.`;
  throw plainProblem(400, 'Bad Request', detail);
}

/**
 * `GET /platform/2/tweets/{counts,search}/{recent,all}`: a page of the platform, bought or from the relay's store; and
 * `GET /platform/2/users/me`, `/by/username/:username` and `/:id/tweets`: the same of the user's own accounts, and
 * `/platform/own-posts`, what of them was bought;
 * `/platform/{settings,spending,held}`: terms and caps, money spent, and stored pages; and `/platform/connection`: the
 * token.
 */
export function platform({ http, connection, network }: ServiceContext): Route[] {
  const byName = (
    sums: ReturnType<Relay['monthByLogin']>,
  ): NonNullable<SpendingAnswer['logins']> => {
    const names = new Map(
      network?.logins.order({ action: 'list' }).map(({ id, name }) => [id, name]),
    );
    return sums.map(({ login, ...sum }) => ({
      name: login === null ? null : (names.get(login) ?? '(removed)'),
      ...sum,
    }));
  };
  const relayNow = (): Relay => {
    if (!connection.relay) throw notConnected();
    return connection.relay;
  };
  return [
    ...(['recent', 'all'] as const).flatMap((endpoint) => [
      http.serve(RELAY.counts[endpoint], ({ c, caller }) =>
        relayPage(c, caller, relayNow(), (url) => readCall(endpoint, url)),
      ),
      http.serve(RELAY.search[endpoint], ({ c, caller }) =>
        relayPage(c, caller, relayNow(), (url) => readSearch(endpoint, url)),
      ),
    ]),
    http.serve(RELAY.own.me, ({ c, caller }) => relayPage(c, caller, relayNow(), readMe)),
    http.serve(RELAY.own.user, ({ c, caller }) => relayPage(c, caller, relayNow(), readUser)),
    http.serve(RELAY.own.posts, ({ c, caller }) =>
      relayPage(c, caller, relayNow(), async (url) => readOwnPosts(url, await relayNow().owner())),
    ),
    http.serve(OWN_POSTS, ({ query, texts }) =>
      relayNow().ownPosts(query.usernames, spanBetween(query, texts)),
    ),
    http.serve(PLATFORM.settings, ({ caller }) => relayNow().settings(caller.login)),
    http.serve(PLATFORM.change, ({ body, caller }) => relayNow().change(body, caller.login), {
      body: readSettings,
    }),
    http.serve(PLATFORM_SPENDING, ({ caller: { login } }) => {
      const relay = relayNow();
      if (!login) return relay.spending();
      if (login.role === 'member') return relay.spending(login.id);
      return { ...relay.spending(), logins: byName(relay.monthByLogin()) };
    }),
    http.serve(PLATFORM.held, ({ query: { query, granularity } }) =>
      relayNow().held(query, granularity),
    ),
    http.serve(PLATFORM_CONNECTION.info, () => connection.info()),
    http.serve(PLATFORM_CONNECTION.connect, ({ body }) => connection.connect(body.token), {
      body: readToken,
    }),
    http.serve(PLATFORM_CONNECTION.disconnect, () => connection.disconnect()),
    http.serve(PLATFORM_CONNECTION.check, ({ body }) => connection.check(body.what)),
  ];
}
