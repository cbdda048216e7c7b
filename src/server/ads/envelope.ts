import type { Context } from 'hono';
import { isAdvertiserPath } from '#contract/ads/advertising.ts';
import type { Fault } from '#contract/fault.ts';
import { splitList } from '#contract/parameters.ts';
import { formFields, queryOf } from '#server/http/form.ts';
import { advertiserErrors, batchErrors } from './advertiser-fault.ts';

/** The parameters of a request, as its answer repeats them. */
export type Echo = Readonly<Record<string, unknown>>;

/** The checked request from which an echo is made. */
interface Echoed {
  /** Parameters of the path. */
  readonly params?: unknown;
  /** The parsed parameters of the query. */
  readonly query?: unknown;
  /** The parameters of the query as sent. */
  readonly texts: Readonly<Record<string, string>>;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * The part of its request that an answer repeats: the parameters that were sent. Whole numbers are numbers and lists
 * are arrays of texts; everything else is the text that was sent (recorded, platform-facts, section 10).
 */
function echoOf({ params, query, texts }: Echoed): Echo {
  const read = membersOf(query);
  const sent = Object.entries(texts).map(([name, text]): [string, unknown] => {
    const value = read[name];
    if (typeof value === 'number' && /^-?\d+$/.test(text)) return [name, value];
    return [name, Array.isArray(value) ? splitList(text) : text];
  });
  return { ...membersOf(params), ...Object.fromEntries(sent) };
}

/** The answer about one entity. @param more - The other members of the echo, such as members of the body. */
export function entity<T>(call: Echoed, data: T, more: Echo = {}) {
  return { request: { params: { ...echoOf(call), ...more } }, data };
}

/** A page of a listing. */
interface Page<T> {
  readonly data: readonly T[];
  /** Null if this is the last page. */
  readonly next: string | null;
  readonly total?: number;
}

/** The answer of a listing. */
export function listing<T>(call: Echoed, { data, next, total }: Page<T>) {
  return {
    request: { params: echoOf(call) },
    next_cursor: next,
    ...(total === undefined ? {} : { total_count: total }),
    data: [...data],
  };
}

/** The parameters of a request that may not be valid, without those of its signature. */
async function rawEcho(c: Context): Promise<Echo> {
  return { ...c.req.param(), ...Object.fromEntries([...queryOf(c), ...(await formFields(c))]) };
}

/** The body of an answer to a fault; null where the request is not one of the advertiser interface. */
export async function advertiserBody(c: Context, fault: Fault): Promise<object | null> {
  if (!isAdvertiserPath(new URL(c.req.url).pathname)) return null;
  const batch = batchErrors(fault);
  if (batch) return { errors: [], ...batch };
  // The parameters of a form that is too large were never read.
  const params = fault.status === 413 ? {} : await rawEcho(c);
  return { errors: advertiserErrors(fault), request: { params } };
}
