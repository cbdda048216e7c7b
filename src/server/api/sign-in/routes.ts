import type { Context, Next } from 'hono';
import * as v from 'valibot';
import { SIGN_IN_PATH } from '#contract/accounts/login-names.ts';
import { plainProblem } from '#contract/fault.ts';
import {
  passwordFault,
  type LoginAttempt,
  type Logins,
  type OpenSession,
} from '#server/auth/logins.ts';
import { isKnown } from '#server/http/auth-guard.ts';
import { methodNotAllowed } from '#server/http/errors.ts';
import { readForm } from '#server/http/form.ts';
import { UNCACHED } from '#server/http/headers.ts';
import {
  clientAddress,
  isNavigation,
  isPrefetch,
  isSameOrigin,
  originOf,
} from '#server/http/origin.ts';
import { page } from '#server/http/page.ts';
import type { ServiceContext } from '#server/context.ts';
import { accountBody } from './account-page.ts';
import { BRAND, signInRefusal, signInForm } from './sign-in-form.ts';
import { beginSession, forgetBrowser, openSession } from './browser-session.ts';

/** Files that a browser without a session may fetch: the icon of the page and what names the app. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  '/icon.svg',
  '/icon-180.png',
  '/icon-192.png',
  '/icon-512.png',
  '/icon-maskable-512.png',
  '/manifest.webmanifest',
]);

const text = v.pipe(v.string(), v.maxLength(1000));
/** The actions of a form of these pages. */
const Form = v.variant('do', [
  v.object({ do: v.literal('in'), name: text, password: text }),
  v.object({ do: v.literal('password'), password: text, next: text }),
  v.object({ do: v.literal('end'), session: text }),
  v.object({ do: v.picklist(['out', 'out-everywhere']) }),
]);
type Form = v.InferOutput<typeof Form>;

function attemptOf(c: Context, name: string, password: string): LoginAttempt {
  const agent = c.req.header('user-agent') ?? null;
  return { name, password, address: clientAddress(c), agent };
}

/** Leads to the address of the form itself. What follows # stays as it is. */
function again(c: Context, path = c.req.path): Response {
  c.header('cache-control', UNCACHED);
  return c.redirect(originOf(c) + path, 303);
}

/** The pages on which people sign in and out, where other machines reach the service. They have no script. */
export function signInPages({
  auth,
  logins,
  now,
}: Pick<ServiceContext, 'auth' | 'now'> & { readonly logins: Logins }) {
  const account = (
    c: Context,
    { login, hash }: OpenSession,
    said: { readonly fault?: string; readonly done?: string } = {},
  ): Response | Promise<Response> => {
    c.header('cache-control', UNCACHED);
    const { fault = null, done = null } = said;
    const body = accountBody(login, logins.sessions(login.id), hash, { fault, done });
    return page(c, fault === null ? 200 : 400, { title: 'Your sign-in', body, lead: BRAND });
  };

  const signIn = async (
    c: Context,
    { name, password }: Extract<Form, { do: 'in' }>,
  ): Promise<Response> => {
    const outcome = await logins.signIn(attemptOf(c, name.trim(), password));
    if (outcome.kind === 'signed-in') {
      beginSession(c, logins, outcome);
      const { pathname, search } = new URL(c.req.url);
      return again(c, pathname + search);
    }
    const { status, fault, wait } = signInRefusal(outcome, now());
    if (wait !== undefined) c.header('retry-after', String(wait));
    return await signInForm(c, status, { fault, name });
  };
  const change = async (
    c: Context,
    session: OpenSession,
    { password, next }: Extract<Form, { do: 'password' }>,
  ): Promise<Response> => {
    const { login } = session;
    const unfit = passwordFault(next, login.name);
    if (unfit !== null) return await account(c, session, { fault: unfit });
    const attempt = attemptOf(c, login.name, password);
    const outcome = await logins.changePassword(login.id, attempt, next);
    if (outcome.kind !== 'signed-in') {
      const wrong = { fault: 'The password now is another one.' };
      return await account(
        c,
        session,
        outcome.kind === 'wrong' ? wrong : signInRefusal(outcome, now()),
      );
    }
    beginSession(c, logins, outcome);
    const done = 'The password is changed. All other browsers are signed out.';
    const begun = logins.session(outcome.cookie);
    return begun ? await account(c, begun, { done }) : again(c);
  };
  const act = async (
    c: Context,
    session: OpenSession,
    order: Exclude<Form, { do: 'in' }>,
  ): Promise<Response> => {
    const { login, hash } = session;
    if (order.do === 'password') return await change(c, session, order);
    if (order.do === 'end') {
      logins.end(login.id, order.session);
      return again(c);
    }
    if (order.do === 'out') logins.end(login.id, hash);
    else logins.endAll(login.id);
    forgetBrowser(c);
    return again(c);
  };

  return {
    /** Lets only known clients through, and shows others that open a page the form. */
    guard: async (c: Context, next: Next): Promise<Response | void> => {
      if (OPEN_FILES.has(c.req.path) || (await isKnown(c, auth))) return await next();
      if (c.req.method === 'GET' && isNavigation(c) && !isPrefetch(c))
        return await signInForm(c, 401);
      throw plainProblem(401, 'Unauthorized');
    },
    /** `GET /sign-in`: who is signed in, or the form. */
    show: async (c: Context): Promise<Response> => {
      const session = openSession(c, logins);
      return await (session ? account(c, session) : signInForm(c, 200));
    },
    /** Carries out what a form of these pages was sent for, at any address. */
    submit: async (c: Context): Promise<Response> => {
      if (!isSameOrigin(c)) {
        throw plainProblem(403, 'Forbidden', 'Only the pages of this service may sign in and out.');
      }
      const read = v.safeParse(Form, Object.fromEntries(await readForm(c)));
      if (!read.success) {
        if (c.req.path !== SIGN_IN_PATH) throw methodNotAllowed('GET, HEAD');
        throw plainProblem(400, 'Bad Request', 'The form is incomplete.');
      }
      const order = read.output;
      if (order.do === 'in') return await signIn(c, order);
      const session = openSession(c, logins);
      return session ? await act(c, session, order) : await signInForm(c, 401);
    },
  };
}
