import { html } from 'hono/html';
import { formatInstant } from '#contract/instant.ts';
import { PASSWORD_CHARACTERS } from '#contract/accounts/logins.ts';
import type { Login, LoginSession } from '#server/auth/login-table.ts';
import type { Markup } from '#server/http/page.ts';

/** Browsers by the part of their description that no other one has, in the order of checking. */
const BROWSERS: readonly (readonly [form: RegExp, name: string])[] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [form: RegExp, name: string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

/** A browser's description in few words. */
export function browserName(agent: string | null): string {
  const found = (all: typeof BROWSERS): string | undefined =>
    all.find(([form]) => form.test(agent ?? ''))?.[1];
  const [browser, system] = [found(BROWSERS), found(SYSTEMS)];
  if (browser === undefined) return 'Unknown browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** An instant to the minute, in UTC: the page has no script that knows the reader's zone. */
function minuteOf(at: number): string {
  return `${formatInstant(at).slice(0, 16).replace('T', ' ')} UTC`;
}

export function faultNote(fault: string | null): Markup | '' {
  return fault === null ? '' : html`<p class="fault" role="alert">${fault}</p>`;
}

function sessionRow(session: LoginSession, own: string): Markup {
  const { hash, address, agent, seenAt } = session;
  const name = browserName(agent);
  const place = address === null ? '' : html`${address}, `;
  return html`<li class="row">
    <span>
      ${name}${hash === own ? ' (this browser)' : ''}<br />
      <span class="hint">${place}last used ${minuteOf(seenAt)}</span>
    </span>
    ${
      hash === own
        ? ''
        : html`<form method="post">
            <input type="hidden" name="session" value="${hash}" />
            <button name="do" value="end" aria-label="Sign out ${name}">Sign out</button>
          </form>`
    }
  </li>`;
}

/** The page of a signed-in person: who is signed in, in which browsers, and how to end that. */
export function accountBody(
  login: Login,
  sessions: readonly LoginSession[],
  own: string,
  { fault, done }: { readonly fault: string | null; readonly done: string | null },
): Markup {
  const { min } = PASSWORD_CHARACTERS;
  return html`${done === null ? '' : html`<p role="status">${done}</p>`}
    <p>
      You are signed in as <strong>${login.name}</strong>,
      ${login.role === 'administrator' ? 'an administrator' : 'a member'}.
    </p>
    <p><a class="button main" href="/">Open the dashboard</a></p>
    <p class="hint">
      If the dashboard is open in another tab, it continues there by itself. You can close this one.
    </p>
    <form method="post" class="choices">
      <button name="do" value="out">Sign out</button>
      <button name="do" value="out-everywhere">Sign out everywhere</button>
    </form>
    <h2>Browsers</h2>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(session, own))}
    </ul>
    <h2>Change the password</h2>
    <p class="hint">This signs all other browsers out.</p>
    ${faultNote(fault)}
    <form method="post">
      <input type="text" name="username" value="${login.name}" autocomplete="username" hidden />
      <label class="field">
        Password now
        <input type="password" name="password" autocomplete="current-password" required />
      </label>
      <label class="field">
        New password <span class="hint">at least ${min} characters</span>
        <input
          type="password"
          name="next"
          autocomplete="new-password"
          minlength="${min}"
          required
        />
      </label>
      <button name="do" value="password">Change the password</button>
    </form>`;
}
