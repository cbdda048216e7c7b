import {
  LOGIN_NAME,
  PASSWORD_CHARACTERS,
  type LoginInfo,
  type LoginOrder,
} from '#contract/accounts/logins.ts';
import { MINUTE_MS } from '#core/time/span.ts';
import { clientPart, Failures } from './failures.ts';
import { hashOf } from './hash.ts';
import { orderLogins, type LoginOrderDeps } from './login-orders.ts';
import { isOpen, type Login, type LoginSession, type StoredLogin } from './login-table.ts';
import type { Passwords } from './passwords.ts';
import { randomText } from '#server/random.ts';

/** The precision with which the last use of a session is noted, ms: each note waits for the disk. */
const SEEN_MS = 10 * MINUTE_MS;

/** Failed attempts in 15 minutes with one name from one address: nobody elsewhere can lock a name. */
const BY_PAIR = { failures: 10, windowSeconds: 900 };
/** The same with any names: more would try names one by one, and keep the hashing of passwords busy. */
const BY_ADDRESS = { failures: 100, windowSeconds: 900 };

/** Browsers that may be signed in with one login; another one replaces the one that was used least recently. */
const MOST_SESSIONS = 20;

/** Most characters of a browser's description that are stored. */
const MOST_AGENT = 200;

/** The reason someone is not signed in. `throttled` lasts until an instant in Unix seconds. */
export type LoginRefusal =
  | { readonly kind: 'wrong' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'throttled'; readonly until: number };

/** A new session. `cookie` is its id, which is stored only as a hash. */
export interface SignedIn {
  readonly kind: 'signed-in';
  readonly cookie: string;
  readonly login: Login;
}

/** A session in use. */
export interface OpenSession {
  readonly login: Login;
  readonly hash: string;
}

/** A person at a browser, before it is known who. */
export interface LoginAttempt {
  readonly name: string;
  readonly password: string;
  /** IP address of the browser; null if unknown. */
  readonly address: string | null;
  readonly agent: string | null;
}

/** The people who may sign in, and those who are signed in. */
export type Logins = ReturnType<typeof openLogins>;

/** The reason a text cannot be a password; null if it can. */
export function passwordFault(password: string, name: string): string | null {
  const { min, max } = PASSWORD_CHARACTERS;
  const length = Array.from(password).length;
  if (length < min) return `A password has at least ${min} characters; this one has ${length}.`;
  if (length > max) return `A password has at most ${max} characters; this one has ${length}.`;
  if (password.toLowerCase().includes(name.toLowerCase()) && length - name.length < 6) {
    return 'A password must not be the name with little more.';
  }
  return null;
}

export function openLogins({
  table,
  passwords,
  now,
  random,
}: LoginOrderDeps & { readonly passwords: Passwords }) {
  const byPair = new Failures(BY_PAIR, now);
  const byAddress = new Failures(BY_ADDRESS, now);
  /** Replaces the hash of a name that does not exist, so that comparing takes as long. */
  let noOne: Promise<string> | null = null;

  type Pools = readonly (readonly [Failures, string])[];
  /** The pools in which the attempts of someone without a session count. */
  const poolsOf = ({ name, address }: LoginAttempt): Pools => {
    const client = clientPart(address);
    return [
      [byPair, `${client} ${hashOf(name.toLowerCase())}`],
      [byAddress, client],
    ];
  };
  const loginOf = ({ id, name, role, budget }: StoredLogin): Login => ({ id, name, role, budget });

  /** Compares a password, unless there were too many failures. Each attempt counts as one until it succeeds. */
  const check = async (
    { name, password }: LoginAttempt,
    pools: Pools,
  ): Promise<StoredLogin | LoginRefusal> => {
    const until = Math.max(...pools.map(([failures, pool]) => failures.lockedUntil(pool) ?? 0));
    if (until > 0) return { kind: 'throttled', until };
    if (passwords.isBusy) return { kind: 'busy' };
    for (const [failures, pool] of pools) failures.add(pool);
    const known = LOGIN_NAME.test(name) ? table.byName(name) : undefined;
    const decoy = await (noOne ??= passwords.hash(randomText(random, 24)));
    const isRight = await passwords.matches(password, known?.password ?? decoy);
    // The login may have changed meanwhile.
    const still = known && table.byId(known.id);
    if (!isRight || !still || still.password !== known.password) return { kind: 'wrong' };
    for (const [failures, pool] of pools) failures.forgive(pool);
    return still;
  };
  const begin = (login: StoredLogin, { address, agent }: LoginAttempt): SignedIn => {
    const cookie = randomText(random, 32);
    const at = now();
    table.prune(at);
    for (const { hash } of table.sessions(login.id).slice(MOST_SESSIONS - 1)) {
      table.removeSession(hash);
    }
    table.addSession({
      hash: hashOf(cookie),
      login: login.id,
      createdAt: at,
      seenAt: at,
      address,
      agent: agent?.slice(0, MOST_AGENT) ?? null,
    });
    return { kind: 'signed-in', cookie, login: loginOf(login) };
  };

  return {
    /** Carries out an order, as {@link orderLogins}. */
    order: (order: LoginOrder): LoginInfo[] => orderLogins({ table, now, random }, order),
    get count(): number {
      return table.all().length;
    },
    /** Begins a session by name and password. A name that does not exist takes as long as a wrong password. */
    signIn: async (attempt: LoginAttempt): Promise<SignedIn | LoginRefusal> => {
      const found = await check(attempt, poolsOf(attempt));
      return 'kind' in found ? found : begin(found, attempt);
    },
    /** The session of a cookie; null if it has ended. */
    session: (cookie: string): OpenSession | null => {
      const hash = hashOf(cookie);
      const found = table.session(hash);
      const login = found && isOpen(found, now()) ? table.byId(found.login) : undefined;
      if (!found || !login) return null;
      if (now() - found.seenAt >= SEEN_MS) table.seen(hash, now());
      return { login: loginOf(login), hash };
    },
    /** The sessions of a login that have not ended, the last used first. */
    sessions: (login: string): LoginSession[] =>
      table.sessions(login).filter((each) => isOpen(each, now())),
    /** Ends the session with a hash, if it is one of the login. */
    end: (login: string, hash: string) => {
      if (table.session(hash)?.login === login) table.removeSession(hash);
    },
    /** Ends all sessions of a login. */
    endAll: (login: string): void => table.removeSessions(login),
    /** Replaces a password by the old one. All sessions of the login end, and a new one begins. */
    changePassword: async (
      id: string,
      attempt: LoginAttempt,
      next: string,
    ): Promise<SignedIn | LoginRefusal> => {
      // A session counts by itself: attempts of others to sign in with its name do not concern it.
      const found = await check(attempt, [[byPair, `session of ${id}`]]);
      if ('kind' in found) return found;
      if (found.id !== id) return { kind: 'wrong' };
      const password = await passwords.hash(next);
      const login = { ...found, password };
      table.put(login, now());
      table.removeSessions(id);
      return begin(login, attempt);
    },
  };
}
