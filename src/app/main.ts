import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { mount } from 'svelte';
import { connectService, type PageConnection } from '#app/api/connect.ts';
import type { ActingAccount } from '#app/api/acting-account.svelte.ts';
import App from './App.svelte';
import { createApp } from './create-app.ts';
import { createCounts } from '#app/counts/counts.ts';
import { weekStartOf } from '#app/format/week-start.ts';
import { writtenLocale } from '#app/format/written-locale.ts';
import { DEVELOPERS_PATH, VIEW_PATH } from './page-paths.ts';
import { storePage } from './offline.ts';
import { browserStorage, type PageStorage } from '#app/settings/storage.ts';
import { LOGIN_COOKIE } from '#contract/accounts/login-names.ts';
import { secretOf } from '#contract/accounts/session.ts';
import type { AppEnvironment } from './app-environment.ts';
import './ui/base.css';
import './ui/print.css';
import './ui/tokens.css';

/** The browser's storage, with a part for each login. */
function storage(kind: 'localStorage' | 'sessionStorage', login: string): PageStorage | null {
  try {
    const whole = window[kind];
    return login
      ? {
          getItem: (key) => whole.getItem(login + key),
          setItem: (key, value) => whole.setItem(login + key, value),
          removeItem: (key) => whole.removeItem(login + key),
        }
      : whole;
  } catch {
    return null;
  }
}

function openPage(target: Element): void {
  // The id of the login as which this page was opened; empty where only this machine reaches the service.
  const login =
    RegExp(`${LOGIN_COOKIE}${location.port || 443}=(\\w+)`).exec(document.cookie)?.[1] ?? '';

  // At once, so that it stays neither in the address bar nor in the history.
  const secret = secretOf(location.hash);
  if (secret !== null) history.replaceState(null, '', location.pathname);
  // A link opened on this page changes only the part after #.
  addEventListener('popstate', () => {
    if (secretOf(location.hash) !== null) location.reload();
  });
  const locale = writtenLocale(navigator.languages);
  const connection = (acting: ActingAccount): PageConnection =>
    connectService(secret, acting, login);
  const environment: AppEnvironment = {
    counts: (listener, acting) => createCounts(listener, connection(acting), login),
    window,
    page: window,
    local: storage('localStorage', login),
    session: storage('sessionStorage', login),
    storage: browserStorage(navigator.storage),
    locale,
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    weekStart: weekStartOf(locale),
    now: () => Date.now(),
    later: (act, ms) => setTimeout(act, ms),
    every: (act, ms) => setInterval(act, ms),
    visible: () => document.visibilityState === 'visible',
    // Not `randomUUID`: a page opened by the machine's address is not a secure context.
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    copy: (text) => navigator.clipboard.writeText(text),
    reload: () => location.reload(),
  };
  if (location.pathname === DEVELOPERS_PATH) {
    // Not awaited here: its code imports this file's, which would then wait for each other.
    void import('./developers/open-developers.ts').then(async ({ openDevelopers }) => {
      await openDevelopers(target, environment, connection);
      storePage();
    });
  } else {
    const { props, start } = createApp(environment);
    start();
    mount(App, { target, props });
  }
}

const target = document.getElementById('app') ?? document.body;
// A page of no origin: it has no cookies and no storage.
if (VIEW_PATH.test(location.pathname)) {
  void import('./view/open-view.ts').then(({ openView }) => openView(target));
} else openPage(target);
