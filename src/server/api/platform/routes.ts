import type { Context } from 'hono';
import * as v from 'valibot';
import type { CountsEndpoint } from '#contract/counts.ts';
import { Fault, invalidParameters, plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  ASK_FORM,
  ASK_HEADER,
  BUY_HEADER,
  BUYS,
  FETCHED_HEADER,
  HeldRequest,
  PlatformSettings,
  PRICE_HEADER,
  UNCERTAIN,
  UNCERTAIN_HEADER,
  VAULT_HEADER,
} from '#contract/platform.ts';
import type { Buy } from '#contract/platform.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { RelayCall } from '#server/platform/request.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { callerOf, dashboardOnly, UNCACHED } from '#server/http/context.ts';
import { readObject } from '#server/http/json-body.ts';
import { NoParameters, readParameters } from '#server/http/params.ts';

/** Bytes of settings at most. */
const MAX_SETTINGS = 16 * 1024;

/** What is told of every path of the platform where it is not connected. */
export const NOT_CONNECTED =
  'The platform is not connected: start the service with GROUNDSWELL_PLATFORM_TOKEN set to its bearer token.';

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
  const buy = BUYS.find((one) => one === text);
  if (text === undefined || buy !== undefined) return buy ?? null;
  throw badHeader(BUY_HEADER, JSON.stringify(text), `one of ${BUYS.join(', ')}`);
}

function noAsk(): Error {
  const detail = `The dashboard's session buys only what names its ask in the header ${ASK_HEADER}.`;
  return plainProblem(403, 'Forbidden', detail);
}

function knownOf(c: Context): number | null {
  const text = c.req.header(UNCERTAIN_HEADER);
  if (text === undefined) return null;
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw badHeader(UNCERTAIN_HEADER, JSON.stringify(text), 'a whole number');
}

/** The header that names uncertain requests of an ask. */
function uncertainOf(relay: Relay, ask: string | null): Record<string, string> {
  return ask === null ? {} : { [UNCERTAIN_HEADER]: String(relay.uncertain(ask)) };
}

/**
 * `GET /platform/2/tweets/{counts,search}/{recent,all}`: a page of the platform, held or bought.
 *
 * @param read - Reads the request of that path.
 */
export function platformPage(
  deps: RouteDeps,
  relay: Relay,
  read: (endpoint: CountsEndpoint, url: string) => RelayCall,
  endpoint: CountsEndpoint,
) {
  return async (c: Context): Promise<Response> => {
    if (c.req.method === 'HEAD') {
      throw plainProblem(405, 'Method Not Allowed', 'Use GET here.', { allow: 'GET' });
    }
    const { by } = callerOf(c, deps.gate);
    const [ask, buy] = [askOf(c), buyOf(c)];
    const mayBuy = by === 'token' || ask !== null;
    const call = read(endpoint, c.req.url);
    const known = knownOf(c);
    const reply = await relay
      .answer({ call, ask, buy: mayBuy ? buy : 'no', known })
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
  };
}

/** `GET /platform/settings`. */
export function platformSettings(deps: RouteDeps, relay: Relay) {
  return (c: Context): Response => {
    dashboardOnly(c, deps);
    readParameters(c.req.url, NoParameters);
    return c.json(relay.settings(), 200, { 'cache-control': UNCACHED });
  };
}

/** `PUT /platform/settings`: all of them at once. */
export function platformChange(deps: RouteDeps, relay: Relay) {
  return async (c: Context): Promise<Response> => {
    dashboardOnly(c, deps);
    readParameters(c.req.url, NoParameters);
    const read = v.safeParse(PlatformSettings, await readObject(c, MAX_SETTINGS));
    if (!read.success) throw wrongSettings(read.issues);
    return c.json(relay.change(read.output), 200, { 'cache-control': UNCACHED });
  };
}

/** Names each member that is wrong, its value, and the rule it breaks. */
function wrongSettings(issues: readonly v.BaseIssue<unknown>[]): Error {
  return invalidParameters(
    issues.map((issue) => {
      const parameter = v.getDotPath(issue) ?? '';
      const given: unknown = issue.path?.at(-1)?.value;
      const value = given === undefined ? undefined : JSON.stringify(given);
      const what = value === undefined ? 'is missing' : `has the value [${value}]`;
      const message = `The setting \`${parameter}\` ${what}. ${issue.message}`;
      return { parameter, ...(value === undefined ? {} : { value }), message };
    }),
  );
}

/** `GET /platform/spending`. */
export function platformSpending(deps: RouteDeps, relay: Relay) {
  return (c: Context): Response => {
    dashboardOnly(c, deps);
    readParameters(c.req.url, NoParameters);
    return c.json(relay.spending(), 200, { 'cache-control': UNCACHED });
  };
}

/** `GET /platform/held?query&granularity`: the newest pages that can be had for nothing. */
export function platformHeld(deps: RouteDeps, relay: Relay) {
  return (c: Context): Response => {
    dashboardOnly(c, deps);
    const { query, granularity } = readParameters(c.req.url, HeldRequest).request;
    return c.json(relay.held(query, granularity), 200, { 'cache-control': UNCACHED });
  };
}
