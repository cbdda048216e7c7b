import type { Context, Next } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import * as v from 'valibot';
import { LOGIN_COOKIE, SIGN_IN_PATH } from '#contract/accounts/login-names.ts';
import { plainProblem } from '#contract/fault.ts';
import { plural } from '#core/format/plural.ts';
import { SESSION_MS } from '#server/auth/login-table.ts';
import {
  passwordFault,
  type LoginAttempt,
  type Logins,
  type OpenSession,
  type LoginRefusal,
  type SignedIn,
} from '#server/auth/logins.ts';
import { isKnown, sessionCookie } from '#server/http/auth-guard.ts';
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
import { accountBody, faultNote } from './account-page.ts';

/** Files that a browser without a session may fetch: the icon of the page and what names the app. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  '/icon.svg',
  '/icon-180.png',
  '/icon-192.png',
  '/icon-512.png',
  '/icon-maskable-512.png',
  '/manifest.webmanifest',
]);

/** The time a browser remembers whose pages it shows, s: more than a session, so that a page keeps its boards. */
const LOGIN_SECONDS = 365 * 86_400;

/** The time to wait before trying again while too many passwords wait to be compared, s. */
const BUSY_SECONDS = 5;

const text = v.pipe(v.string(), v.maxLength(1000));
/** The actions of a form of these pages. */
const Form = v.variant('do', [
  v.object({ do: v.literal('in'), name: text, password: text }),
  v.object({ do: v.literal('password'), password: text, next: text }),
  v.object({ do: v.literal('end'), session: text }),
  v.object({ do: v.picklist(['out', 'out-everywhere']) }),
]);
type Form = v.InferOutput<typeof Form>;

const BRAND = html`<p class="brand"><img src="/icon.svg" alt="" />Groundswell</p>`;

/** Duration as people say it: `40 seconds`, `3 minutes`. */
function durationOf(seconds: number): string {
  const [n, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return plural(n, unit);
}

/** The cookie that names a browser's login, by the port of the service. */
function loginCookie(c: Context): string {
  return LOGIN_COOKIE + (/\d+$/.exec(sessionCookie(c))?.[0] ?? '');
}

function forget(c: Context): void {
  for (const name of [sessionCookie(c), loginCookie(c)]) {
    deleteCookie(c, name, { path: '/', secure: true });
  }
}

function attemptOf(c: Context, name: string, password: string): LoginAttempt {
  const agent = c.req.header('user-agent') ?? null;
  return { name, password, address: clientAddress(c), agent };
}

/** Leads to the address of the form itself. What follows # stays as it is. */
function again(c: Context, path = c.req.path): Response {
  c.header('cache-control', UNCACHED);
  return c.redirect(originOf(c) + path, 303);
}

/** The message for someone who is refused, and when to try again, s. @param now - Epoch ms. */
function refused(
  refusal: LoginRefusal,
  now: number,
): { status: 401 | 429 | 503; fault: string; wait?: number } {
  if (refusal.kind === 'wrong') {
    return { status: 401, fault: 'The name or the password is wrong.' };
  }
  if (refusal.kind === 'busy') {
    const fault = `Many people are signing in. Try again in ${durationOf(BUSY_SECONDS)}.`;
    return { status: 503, fault, wait: BUSY_SECONDS };
  }
  const wait = Math.max(1, Math.ceil(refusal.until - now / 1000));
  const fault = `There were too many failed attempts. Try again in ${durationOf(wait)}.`;
  return { status: 429, fault, wait };
}

/** The pages on which people sign in and out, where other machines reach the service. They have no script. */
export function signInPages({
  auth,
  logins,
  now,
}: Pick<ServiceContext, 'auth' | 'now'> & { readonly logins: Logins }) {
  const openSession = (c: Context): OpenSession | null => {
    const cookie = getCookie(c, sessionCookie(c));
    return cookie === undefined ? null : logins.session(cookie);
  };
  const form = (
    c: Context,
    status: 200 | 401 | 429 | 503,
    { fault = null, name = '' }: { fault?: string | null; name?: string } = {},
  ): Response | Promise<Response> => {
    c.header('cache-control', UNCACHED);
    // Without an action the form goes to this address with what follows #, which is the view of the dashboard.
    const body = html`${faultNote(fault)}
      <form method="post">
        <label class="field">
          Name
          <input
            name="name"
            value="${name}"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            required
            ${name === '' ? 'autofocus' : ''}
          />
        </label>
        <label class="field">
          Password
          <input
            type="password"
            name="password"
            autocomplete="current-password"
            required
            ${name === '' ? '' : 'autofocus'}
          />
        </label>
        <button class="main" name="do" value="in">Sign in</button>
      </form>
      <hr />
      <p class="hint">
        An administrator of this service adds people and sets new passwords with
        <code>groundswell login</code>.
      </p>`;
    return page(c, status, { title: 'Sign in', body, lead: BRAND });
  };
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

  /** Signs the browser in with a new session, and ends the one that it had. */
  const accept = (c: Context, { cookie, login }: SignedIn): void => {
    const before = openSession(c);
    if (before) logins.end(before.login.id, before.hash);
    const common = { path: '/', secure: true, sameSite: 'Lax' } as const;
    const maxAge = SESSION_MS / 1000;
    setCookie(c, sessionCookie(c), cookie, { ...common, httpOnly: true, maxAge });
    setCookie(c, loginCookie(c), login.id, { ...common, maxAge: LOGIN_SECONDS });
  };
  const signIn = async (
    c: Context,
    { name, password }: Extract<Form, { do: 'in' }>,
  ): Promise<Response> => {
    const outcome = await logins.signIn(attemptOf(c, name.trim(), password));
    if (outcome.kind === 'signed-in') {
      accept(c, outcome);
      const { pathname, search } = new URL(c.req.url);
      return again(c, pathname + search);
    }
    const { status, fault, wait } = refused(outcome, now());
    if (wait !== undefined) c.header('retry-after', String(wait));
    return await form(c, status, { fault, name });
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
      return await account(c, session, outcome.kind === 'wrong' ? wrong : refused(outcome, now()));
    }
    accept(c, outcome);
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
    forget(c);
    return again(c);
  };

  return {
    /** Lets only known clients through, and shows others that open a page the form. */
    guard: async (c: Context, next: Next): Promise<Response | void> => {
      if (OPEN_FILES.has(c.req.path) || (await isKnown(c, auth))) return await next();
      if (c.req.method === 'GET' && isNavigation(c) && !isPrefetch(c)) return await form(c, 401);
      throw plainProblem(401, 'Unauthorized');
    },
    /** `GET /sign-in`: who is signed in, or the form. */
    show: async (c: Context): Promise<Response> => {
      const session = openSession(c);
      return await (session ? account(c, session) : form(c, 200));
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
      const session = openSession(c);
      return session ? await act(c, session, order) : await form(c, 401);
    },
  };
}
