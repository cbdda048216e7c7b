import { randomBytes } from 'node:crypto';
import { Client } from '#app/api/client.ts';
import { BoardSync } from '#app/counts/cache/board-sync.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import type { SavedBoards } from '#app/counts/cache/saved-boards.ts';
import { BoardExchange } from '#app/counts/sync-boards.ts';
import type { LoginRole } from '#contract/accounts/logins.ts';
import { openPasswords } from '#server/auth/passwords.ts';
import { readBlock } from '#server/http/forwarded.ts';
import type { NetworkSite } from '#server/http/origin.ts';
import { CHEAP, type TestService } from '#tests/support/service/service.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

const PROXY = '10.0.0.2';
const NAME = 'dash.example.org';
const PASSWORD = 'correct horse battery';

/** A service behind a proxy, for `startService`. */
export const NETWORK: NetworkSite = {
  kind: 'network',
  names: [NAME],
  proxies: [readBlock(PROXY)],
};

/** Adds a login and signs it in. @returns The function that sends a request of its browser. */
export async function signedIn(
  service: TestService,
  name: string,
  role: LoginRole = 'member',
): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
  const { logins } = service;
  if (!logins.order({ action: 'list' }).some((login) => login.name === name)) {
    const password = await openPasswords((n) => randomBytes(n), CHEAP).hash(PASSWORD);
    logins.order({ action: 'add', name, role, password, budget: null });
  }
  const attempt = { name, password: PASSWORD, address: null, agent: null };
  const found = await logins.signIn(attempt);
  if (found.kind !== 'signed-in')
    throw new Error(`expected a session of ${name}, got ${found.kind}`);
  const headers = {
    host: '10.0.0.5',
    'x-forwarded-for': '203.0.113.9',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': NAME,
    cookie: `__Host-groundswell-443=${found.cookie}`,
  };
  const incoming = { socket: { remoteAddress: PROXY, remotePort: 1, remoteFamily: 'IPv4' } };
  return async (path, init = {}) =>
    await service.app.request(
      path,
      { ...init, headers: { ...headers, ...(init.headers as Record<string, string>) } },
      { incoming },
    );
}

/** The boards of a browser that exchanges them with a service. */
export interface BoardBrowser {
  readonly boards: SavedBoards;
  readonly exchange: BoardExchange;
  /** The reports to the user. */
  readonly problems: string[];
  /** While set, the service cannot be reached. */
  offline: boolean;
  /** Called before each request. */
  before: (path: string, init: RequestInit) => Promise<void>;
  /** Sends its requests. */
  send: (path: string, init?: RequestInit) => Promise<Response>;
  all(): Promise<SavedBoard[]>;
}

/** @param now - Epoch ms, by its clock. */
export function boardBrowser(
  send: (path: string, init?: RequestInit) => Promise<Response>,
  now: () => number,
): BoardBrowser {
  const wire = { offline: false, before: () => Promise.resolve(), send };
  const browser: Pick<BoardBrowser, keyof typeof wire> = wire;
  const client = new Client({
    fetch: async (path, init) => {
      if (browser.offline) throw new TypeError('offline');
      await browser.before(path, init);
      return await browser.send(path, init);
    },
    clock: now,
    random: () => 0,
    sleep: () => Promise.reject(new Error('expected no wait')),
  });
  const problems: string[] = [];
  let exchange: BoardExchange | null = null;
  const cache = testCache({ onBoards: () => exchange?.written() });
  const sync = new BoardSync(cache.parts, now);
  exchange = new BoardExchange({
    client,
    sync,
    report: (problem) => problems.push(problem),
    alone: (work) => work(),
  });
  const { boards } = cache;
  return Object.assign(browser, {
    boards,
    exchange,
    problems,
    all: async () => {
      const list = await boards.list();
      const found = await Promise.all(list.map(({ id }) => boards.board(id)));
      return found.filter((each) => each !== null);
    },
  });
}
