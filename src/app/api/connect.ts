import { LOGIN_HEADER } from '#contract/accounts/login-names.ts';
import type { ActingAccount } from './acting-account.svelte.ts';
import { Client } from './client.ts';

/** The connection of a page to the service that it came from. */
export interface PageConnection {
  readonly client: Client;
  /** `fetch` as the login of the page. */
  readonly send: typeof fetch;
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Connects a page with the service that it came from. Nothing is sent yet.
 *
 * @param secret - From an address that signs this browser in; null for any other address.
 * @param acting - The account to act as in Your posts.
 * @param login - Id of the login as which the page was opened; empty where only this machine reaches the service.
 */
export function connectService(
  secret: string | null,
  acting: ActingAccount,
  login: string,
): PageConnection {
  const send: typeof fetch = (path, init) =>
    fetch(path, login ? { ...init, headers: { ...init?.headers, [LOGIN_HEADER]: login } } : init);
  const client = new Client(
    { fetch: send, clock: () => Date.now(), random: () => Math.random(), sleep },
    secret,
    acting,
  );
  return { client, send };
}
