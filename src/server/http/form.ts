import type { Context } from 'hono';
import type { SignedRequest } from '#server/auth/oauth1.ts';
import { isProtocolParameter, type Pairs } from '#server/auth/signature.ts';
import { readBytes } from './json-body.ts';
import { originOf } from './origin.ts';

/** Most bytes of a form: far more than any request to sign in has. */
const MAX_FORM = 64 * 1024;

/** Forms that were read, because a request's body can be read only once. */
const forms = new WeakMap<Context, Promise<Pairs>>();

async function parse(c: Context): Promise<Pairs> {
  const bytes = await readBytes(c, MAX_FORM);
  return [...new URLSearchParams(new TextDecoder().decode(bytes))];
}

/**
 * The fields of a form body (`application/x-www-form-urlencoded`) in the order sent; none for any other body, which is
 * left unread.
 *
 * @throws {@link Fault} 413 for a form above 64 KiB.
 */
export function readForm(c: Context): Promise<Pairs> {
  const type = c.req.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return Promise.resolve([]);
  const form = forms.get(c) ?? parse(c);
  forms.set(c, form);
  return form;
}

/**
 * The parts of a request that a signature of OAuth 1.0a may cover, wherever the request has them.
 *
 * @param withForm - Whether to read a form in the body; by default yes.
 */
export async function signedRequest(c: Context, withForm = true): Promise<SignedRequest> {
  const { pathname, search } = new URL(c.req.url);
  const url = `${originOf(c)}${pathname}${search}`;
  const authorization = c.req.header('authorization') ?? null;
  return { method: c.req.method, url, authorization, form: withForm ? await readForm(c) : [] };
}

/** The query of a request without the parameters of OAuth 1.0a, which are not the operation's. */
export function queryOf(c: Context): URLSearchParams {
  const sent = [...new URL(c.req.url).searchParams];
  return new URLSearchParams(sent.filter(([name]) => !isProtocolParameter(name)));
}

/** The fields of a form body without the parameters of OAuth 1.0a. @throws {@link Fault} 413 like {@link readForm}. */
export async function formFields(c: Context): Promise<Pairs> {
  return (await readForm(c)).filter(([name]) => !isProtocolParameter(name));
}
