import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { html } from 'hono/html';
import * as v from 'valibot';
import { SIGN_IN_PATH } from '#contract/accounts/login-names.ts';
import { ConsentForm } from '#contract/accounts/oauth.ts';
import { plainProblem } from '#contract/fault.ts';
import type { Account } from '#server/auth/account-table.ts';
import { isSameSecret } from '#server/auth/hash.ts';
import { sessionCookie, sessionOf } from '#server/http/auth-guard.ts';
import { readForm } from '#server/http/form.ts';
import { hostOf, isPrefetch, isSameOrigin, isSecure, originOf } from '#server/http/origin.ts';
import { callbackPlace, sourcesOf } from './callback.ts';
import { page, type Markup } from '#server/http/page.ts';
import type { ServiceContext } from '#server/context.ts';

/** The time for which a page of consent may be open before it must be opened again, ms. */
const OPEN_MS = 3_600_000;

/** The place to which a decision leads: back to the app, or to a page of this service. */
export type Outcome =
  | { readonly redirect: string }
  | { readonly title: string; readonly body: Markup };

/** The request of an app to a user. */
export interface ConsentRequest {
  readonly kind: 'request';
  readonly app: string;
  /** The abilities that the app will have, one sentence each. */
  readonly powers: readonly string[];
  /** Null if the user carries a PIN to the app. */
  readonly callback: string | null;
  /** The account that allowed this before, if no page is needed for it. */
  readonly remembered: Account | null;
  readonly allow: (account: Account) => Outcome;
  readonly refuse: () => Outcome;
}

/** A request as read from an address: one that the user decides, one to answer at once, or one to refuse. */
export type ReadConsent =
  | ConsentRequest
  | { readonly kind: 'redirect'; readonly redirect: string }
  | { readonly kind: 'error'; readonly message: string };

/** Reads the request in an address. */
export type ReadRequest = (query: URLSearchParams) => ReadConsent;

const UNUSABLE = 'This sign-in cannot continue';

function unusable(c: Context, message: string): Response | Promise<Response> {
  const body = html`<p class="fault">${message}</p>
    <p>Nothing was allowed. Go back to the app and start again, or tell its developer.</p>`;
  return page(c, 400, { title: UNUSABLE, body });
}

/** The path and query of the page itself. */
function hereOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return pathname + search;
}

/** True if another site's page opened the address. */
function isFromElsewhere(c: Context): boolean {
  return c.req.header('sec-fetch-site') === 'cross-site';
}

/** Asks a browser without a session to sign in. */
function signInFirst(c: Context): Response | Promise<Response> {
  // Browsers are signed in at the printed address, which has this name of the machine.
  const host = hostOf(c).replace(/^localhost\b/, '127.0.0.1');
  const signedIn = (isSecure(c) ? originOf(c) : `http://${host}`) + hereOf(c);
  // The session's cookie is not sent with an address that another site opened, only with one opened from here.
  if (isFromElsewhere(c)) {
    const body = html`<p>An app asks for access to an account of this service.</p>
      <p><a class="button" href="${signedIn}">Continue</a></p>`;
    return page(c, 200, { title: 'Sign in with Groundswell', body });
  }
  if (isSecure(c)) {
    const body = html`<p>Only an administrator who is signed in can allow an app access.</p>
      <p>
        <a href="${SIGN_IN_PATH}" target="_blank">Sign in</a>, which opens another tab, and come
        back to this one.
      </p>
      <p><a class="button" href="${signedIn}">Try again</a></p>`;
    return page(c, 401, { title: 'This browser is not signed in', body });
  }
  const body = html`<p>Only a browser that is signed in to this service can allow an app access.</p>
    <p>
      Run <code>groundswell link</code>, open the address that it prints in this browser, and come
      back.
    </p>
    <p><a class="button" href="${signedIn}">Try again</a></p>`;
  return page(c, 401, { title: 'This browser is not signed in', body });
}

function accountChoice(accounts: readonly Account[], chosen: string | undefined): Markup {
  const only = accounts.length === 1;
  const choices = accounts.map(
    ({ id, username }) =>
      html`<label>
        <input
          type="radio"
          name="account"
          value="${id}"
          ${only || id === chosen ? 'checked' : ''}
        />
        @${username}
      </label>`,
  );
  return html`<fieldset>
    <legend>Account</legend>
    ${choices}
  </fieldset>`;
}

/** Serves the page on which a user allows an app access, or refuses. */
export function openConsent({ auth, service, now }: ServiceContext) {
  const key = service.secret('consent');
  const sealOf = (c: Context, cookie: string, until: string): string =>
    createHmac('sha256', key)
      .update([cookie, hereOf(c), until].join('\n'))
      .digest('base64url');
  const proofFor = (c: Context, cookie: string): string => {
    const until = String(now() + OPEN_MS);
    return `${until}.${sealOf(c, cookie, until)}`;
  };
  /** True if a proof was made for this session and request. */
  const isProof = (c: Context, cookie: string, proof: string): boolean => {
    const [until = '', seal = ''] = proof.split('.');
    return isSameSecret(seal, sealOf(c, cookie, until)) && Number(until) > now();
  };
  const cookieOf = (c: Context): string | null => {
    const session = sessionOf(c, auth);
    // The cookie of a login is also sent with an address that another site opened.
    if (!session || session.login?.role === 'member' || isFromElsewhere(c)) return null;
    return getCookie(c, sessionCookie(c)) ?? null;
  };

  const ask = (
    c: Context,
    { app, powers, callback }: ConsentRequest,
    cookie: string,
    retry?: { readonly fault: string; readonly status: 400 | 403 },
  ): Response | Promise<Response> => {
    const accounts = service.accounts();
    const title = `Allow ${app} to use your account?`;
    const sources = callback === null ? '' : sourcesOf(callback);
    const back =
      callback === null
        ? 'You will get a PIN to enter in the app.'
        : `You will return to ${callbackPlace(callback)}.`;
    const body = html`${retry ? html`<p class="fault" role="alert">${retry.fault}</p>` : ''}
      <form method="post" action="${hereOf(c)}">
        <input type="hidden" name="proof" value="${proofFor(c, cookie)}" />
        ${
          accounts.length === 0
            ? html`<p class="fault">
                This service has no accounts yet. Add one with
                <code>groundswell user add USERNAME</code>, then reload this page.
              </p>`
            : accountChoice(accounts, undefined)
        }
        <h2>${app} will be able to:</h2>
        <ul>
          ${powers.map((power) => html`<li>${power}</li>`)}
        </ul>
        <div class="choices">
          <button name="decision" value="refuse">Refuse</button>
          ${accounts.length === 0 ? '' : html`<button name="decision" value="allow">Allow</button>`}
        </div>
        <p class="note">${back}</p>
      </form>`;
    return page(c, retry?.status ?? 200, { title, body, callback: sources });
  };

  const lead = (c: Context, outcome: Outcome): Response | Promise<Response> => {
    if (!('redirect' in outcome)) return page(c, 200, outcome);
    c.header('referrer-policy', 'no-referrer');
    return c.redirect(outcome.redirect, 303);
  };

  /** The parts that a request needs before it is decided: a readable address, and a session. */
  const prepared = (
    c: Context,
    read: ReadRequest,
  ): { request: ConsentRequest; cookie: string } | Response | Promise<Response> => {
    // Other machines learn nothing about apps without a session.
    if (isSecure(c) && cookieOf(c) === null) return signInFirst(c);
    const reading = read(new URL(c.req.url).searchParams);
    if (reading.kind === 'error') return unusable(c, reading.message);
    if (reading.kind === 'redirect') return lead(c, reading);
    const cookie = cookieOf(c);
    return cookie === null ? signInFirst(c) : { request: reading, cookie };
  };

  return {
    /** Shows the page: the answer to an address that a browser opens. */
    show: async (c: Context, read: ReadRequest): Promise<Response> => {
      const into = c.req.header('sec-fetch-dest');
      if (isPrefetch(c) || (into !== undefined && into !== 'document' && into !== 'empty')) {
        throw plainProblem(403, 'Forbidden', 'This page cannot be part of another page.');
      }
      const found = await prepared(c, read);
      if (found instanceof Response) return found;
      const { request, cookie } = found;
      const { remembered } = request;
      return remembered ? lead(c, request.allow(remembered)) : ask(c, request, cookie);
    },

    /** Carries out what the user decided on the page. */
    decide: async (c: Context, read: ReadRequest): Promise<Response> => {
      if (!isSameOrigin(c)) {
        throw plainProblem(403, 'Forbidden', 'Only the page of this service may decide this.');
      }
      const found = await prepared(c, read);
      if (found instanceof Response) return found;
      const { request, cookie } = found;
      const form = v.safeParse(ConsentForm, Object.fromEntries(await readForm(c)));
      if (!form.success || !isProof(c, cookie, form.output.proof)) {
        const fault = 'This page was out of date. Please decide again.';
        return ask(c, request, cookie, { fault, status: 403 });
      }
      if (form.output.decision === 'refuse') return lead(c, request.refuse());
      const account = service.accountOf(form.output.account ?? '');
      if (account) return lead(c, request.allow(account));
      return ask(c, request, cookie, { fault: 'Choose an account first.', status: 400 });
    },
  };
}
export type Consent = ReturnType<typeof openConsent>;
