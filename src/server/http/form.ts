import type { Context } from 'hono';
import type { SignedRequest } from '#server/auth/oauth1.ts';
import { isProtocolParameter, type Pairs } from '#server/auth/signature.ts';
import { readBytes } from './json-body.ts';
import { originOf } from './origin.ts';

/** Most bytes of a form where the endpoint has no rule of its own: far more than any request to sign in has. */
const MAX_FORM = 64 * 1024;

/** Forms that were read, because a request's body can be read only once. */
const forms = new WeakMap<Context, Promise<Pairs>>();

async function parse(c: Context, most: number): Promise<Pairs> {
  const bytes = await readBytes(c, most);
  return [...new URLSearchParams(new TextDecoder().decode(bytes))];
}

/** True if a body is a form of `application/x-www-form-urlencoded`. */
export function isForm(c: Context): boolean {
  const type = c.req.header('content-type') ?? '';
  return /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

/**
 * The fields of a form body (`application/x-www-form-urlencoded`) in the order sent; none for any other body, which is
 * left unread.
 *
 * @param most - Maximum size in bytes; the first reading of a request decides.
 * @throws {@link Fault} 413 for a larger form.
 */
export function readForm(c: Context, most = MAX_FORM): Promise<Pairs> {
  if (!isForm(c)) return Promise.resolve([]);
  const form = forms.get(c) ?? parse(c, most);
  forms.set(c, form);
  return form;
}

/**
 * The parts of a request that a signature of OAuth 1.0a may cover, wherever the request has them.
 *
 * @param most - Maximum size in bytes of a form in the body; null leaves it unread.
 */
export async function signedRequest(c: Context, most?: number | null): Promise<SignedRequest> {
  const { pathname, search } = new URL(c.req.url);
  const url = `${originOf(c)}${pathname}${search}`;
  const authorization = c.req.header('authorization') ?? null;
  return {
    method: c.req.method,
    url,
    authorization,
    form: most === null ? [] : await readForm(c, most),
  };
}

/** The query of a request without the parameters of OAuth 1.0a, which are not the operation's. */
export function queryOf(c: Context): URLSearchParams {
  const sent = [...new URL(c.req.url).searchParams];
  return new URLSearchParams(sent.filter(([name]) => !isProtocolParameter(name)));
}

/** The fields of a form body without the parameters of OAuth 1.0a. @throws {@link Fault} 413 like {@link readForm}. */
export async function formFields(c: Context, most?: number): Promise<Pairs> {
  return (await readForm(c, most)).filter(([name]) => !isProtocolParameter(name));
}
