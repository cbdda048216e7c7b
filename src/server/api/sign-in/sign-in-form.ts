import type { Context } from 'hono';
import { html } from 'hono/html';
import { plural } from '#core/format/plural.ts';
import type { LoginRefusal } from '#server/auth/logins.ts';
import { UNCACHED } from '#server/http/headers.ts';
import { page } from '#server/http/page.ts';
import { faultNote } from './account-page.ts';

/** The time to wait before trying again while too many passwords wait to be compared, s. */
const BUSY_SECONDS = 5;

/** The name of the program, above the pages of a sign-in. */
export const BRAND = html`<p class="brand"><img src="/icon.svg" alt="" />Groundswell</p>`;

/** Duration as people say it: `40 seconds`, `3 minutes`. */
function durationOf(seconds: number): string {
  const [n, unit] = seconds < 90 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return plural(n, unit);
}

/** The message for someone who is refused, and when to try again, s. @param now - Epoch ms. */
export function signInRefusal(
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

/** The form with which someone signs in. */
export function signInForm(
  c: Context,
  status: 200 | 401 | 429 | 503,
  { fault = null, name = '' }: { fault?: string | null; name?: string } = {},
): Response | Promise<Response> {
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
}
