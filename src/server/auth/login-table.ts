import { LOGIN_ROLES, type LoginRole } from '#contract/accounts/logins.ts';
import { DAY_MS } from '#core/time/span.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

/** The longest time a browser stays signed in, in all and unused (OWASP Session Management Cheat Sheet), ms. */
export const SESSION_MS = 30 * DAY_MS;
export const IDLE_MS = 7 * DAY_MS;

const LOGIN = columns({
  /** Twelve hexadecimal digits. */
  id: column.text,
  name: column.text,
  /** That with the fewest rights if the file has another. */
  role: column.of<LoginRole>(
    (cell) => LOGIN_ROLES.find((role) => role === cell) ?? 'member',
    String,
  ),
  /** As `hashPassword` writes it. */
  password: column.text,
  /** Millionths of a dollar for the platform in a UTC month; null for no limit but that of the service. */
  budget: column.numberOrNull,
});

export type StoredLogin = RowOf<typeof LOGIN>;

/** A person's access to a service that other machines reach. */
export type Login = Omit<StoredLogin, 'password'>;

/** Times are epoch ms. */
const SESSION = columns({
  /** Hash of its id. */
  hash: column.text,
  login: column.text,
  createdAt: column.number,
  seenAt: column.number,
  /** Address and browser at the sign-in; null if unknown. */
  address: column.textOrNull,
  agent: column.textOrNull,
});

/** A browser that is signed in. */
export type LoginSession = RowOf<typeof SESSION>;

/** True if a session has not ended. @param now - Epoch ms. */
export function isOpen({ createdAt, seenAt }: LoginSession, now: number): boolean {
  return createdAt > now - SESSION_MS && seenAt > now - IDLE_MS;
}

/** Logins and their sessions. Changes are durable when a method returns. */
export type LoginTable = ReturnType<typeof loginTable>;

export function loginTable(db: Db) {
  const all = LOGIN.select(db, 'login ORDER BY folded');
  const byName = LOGIN.select(db, 'login WHERE folded = ?');
  const byId = LOGIN.select(db, 'login WHERE id = ?');
  const put = db.prepare(
    `INSERT INTO login (id, name, folded, role, password, budget, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET role = excluded.role, password = excluded.password, budget = excluded.budget`,
  );
  const remove = db.prepare('DELETE FROM login WHERE id = ?');
  const removeBoards = db.prepare('DELETE FROM board WHERE login = ?');
  const session = SESSION.select(db, 'login_session WHERE hash = ?');
  const sessions = SESSION.select(db, 'login_session WHERE login = ? ORDER BY seen_at DESC, hash');
  const addSession = SESSION.insert(db, 'login_session');
  const seen = db.prepare('UPDATE login_session SET seen_at = ? WHERE hash = ?');
  const removeSession = db.prepare('DELETE FROM login_session WHERE hash = ?');
  const removeOthers = db.prepare('DELETE FROM login_session WHERE login = ? AND hash <> ?');
  const prune = db.prepare('DELETE FROM login_session WHERE created_at < ? OR seen_at < ?');
  return {
    /** All logins, by name. */
    all: (): StoredLogin[] => all.all(),
    /** The login of a name, whatever its case. */
    byName: (name: string): StoredLogin | undefined => byName.get([name.toLowerCase()]),
    byId: (id: string): StoredLogin | undefined => byId.get([id]),
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
    session: (hash: string): LoginSession | undefined => session.get([hash]),
    /** The sessions of a login, the last used first. */
    sessions: (login: string): LoginSession[] => sessions.all([login]),
    addSession: (session: LoginSession): void =>
      void db.write('session', () => addSession(session)),
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
