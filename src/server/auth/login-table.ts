import { LOGIN_ROLES, type LoginRole } from '#contract/accounts/logins.ts';
import { DAY_MS } from '#core/time/span.ts';
import { numberOrNull, textOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** The longest time a browser stays signed in, in all and unused (OWASP Session Management Cheat Sheet), ms. */
export const SESSION_MS = 30 * DAY_MS;
export const IDLE_MS = 7 * DAY_MS;

/** A person's access to a service that other machines reach. */
export interface Login {
  /** Twelve hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  readonly role: LoginRole;
  /** Millionths of a dollar for the platform in a UTC month; null for no limit but that of the service. */
  readonly budget: number | null;
}

export interface StoredLogin extends Login {
  /** As `hashPassword` writes it. */
  readonly password: string;
}

/** A browser that is signed in. Times are epoch ms. */
export interface LoginSession {
  /** Hash of its id. */
  readonly hash: string;
  readonly login: string;
  readonly createdAt: number;
  readonly seenAt: number;
  /** Address and browser at the sign-in; null if unknown. */
  readonly address: string | null;
  readonly agent: string | null;
}

/** True if a session has not ended. @param now - Epoch ms. */
export function isOpen({ createdAt, seenAt }: LoginSession, now: number): boolean {
  return createdAt > now - SESSION_MS && seenAt > now - IDLE_MS;
}

/** Logins and their sessions. Changes are durable when a method returns. */
export type LoginTable = ReturnType<typeof loginTable>;

export function loginTable(db: Db) {
  const COLUMNS = 'id, name, role, password, budget';
  const all = db.prepare(`SELECT ${COLUMNS} FROM login ORDER BY folded`);
  const byName = db.prepare(`SELECT ${COLUMNS} FROM login WHERE folded = ?`);
  const byId = db.prepare(`SELECT ${COLUMNS} FROM login WHERE id = ?`);
  const put = db.prepare(
    `INSERT INTO login (id, name, folded, role, password, budget, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, password = excluded.password, budget = excluded.budget`,
  );
  const remove = db.prepare('DELETE FROM login WHERE id = ?');
  const removeBoards = db.prepare('DELETE FROM board WHERE login = ?');
  const SESSION = 'hash, login, created_at, seen_at, address, agent';
  const session = db.prepare(`SELECT ${SESSION} FROM login_session WHERE hash = ?`);
  const sessions = db.prepare(
    `SELECT ${SESSION} FROM login_session WHERE login = ? ORDER BY seen_at DESC, hash`,
  );
  const addSession = db.prepare(`INSERT INTO login_session (${SESSION}) VALUES (?, ?, ?, ?, ?, ?)`);
  const seen = db.prepare('UPDATE login_session SET seen_at = ? WHERE hash = ?');
  const removeSession = db.prepare('DELETE FROM login_session WHERE hash = ?');
  const removeOthers = db.prepare('DELETE FROM login_session WHERE login = ? AND hash <> ?');
  const prune = db.prepare('DELETE FROM login_session WHERE created_at < ? OR seen_at < ?');

  const loginOf = ([id, name, role, password, budget]: readonly Cell[]): StoredLogin => ({
    id: String(id),
    name: String(name),
    role: LOGIN_ROLES.find((each) => each === role) ?? 'member',
    password: String(password),
    budget: numberOrNull(budget),
  });
  const sessionOf = (row: readonly Cell[]): LoginSession => ({
    hash: String(row[0]),
    login: String(row[1]),
    createdAt: Number(row[2]),
    seenAt: Number(row[3]),
    address: textOrNull(row[4]),
    agent: textOrNull(row[5]),
  });
  return {
    /** All logins, by name. */
    all: (): StoredLogin[] => all.all().map(loginOf),
    /** The login of a name, whatever its case. */
    byName: (name: string): StoredLogin | undefined => {
      const row = byName.get([name.toLowerCase()]);
      return row && loginOf(row);
    },
    byId: (id: string): StoredLogin | undefined => {
      const row = byId.get([id]);
      return row && loginOf(row);
    },
    /** Adds a login, or replaces that of its id. */
    put: ({ id, name, role, password, budget }: StoredLogin, createdAt: number): void =>
      void db.write('login', () =>
        put.run([id, name, name.toLowerCase(), role, password, budget, createdAt]),
      ),
    /** Removes a login, its sessions and its boards. */
    remove: (id: string): void =>
      db.write('remove-login', () => {
        removeOthers.run([id, '']);
        removeBoards.run([id]);
        remove.run([id]);
      }),
    session: (hash: string): LoginSession | undefined => {
      const row = session.get([hash]);
      return row && sessionOf(row);
    },
    /** The sessions of a login, the last used first. */
    sessions: (login: string): LoginSession[] => sessions.all([login]).map(sessionOf),
    addSession: ({ hash, login, createdAt, seenAt, address, agent }: LoginSession): void =>
      void db.write('session', () =>
        addSession.run([hash, login, createdAt, seenAt, address, agent]),
      ),
    /** Notes that a session was used. */
    seen: (hash: string, at: number): void => void db.write('seen', () => seen.run([at, hash])),
    removeSession: (hash: string): void =>
      void db.write('remove-session', () => removeSession.run([hash])),
    /** Removes the sessions of a login. @param but - Hash of one that stays. */
    removeSessions: (login: string, but: string = ''): void =>
      void db.write('remove-sessions', () => removeOthers.run([login, but])),
    /** Removes the sessions that have ended. @param now - Epoch ms. */
    prune: (now: number): void =>
      void db.write('prune-sessions', () => prune.run([now - SESSION_MS, now - IDLE_MS])),
  };
}
