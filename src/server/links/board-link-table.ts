import { LINK_KINDS, VISIT_DAYS, type LinkKind } from '#contract/links/links.ts';
import { DAY_MS } from '#core/time/span.ts';
import { numberOrNull, type Cell, type Db } from '#server/db/driver.ts';

/** A link to a board. Times are epoch ms. */
export interface BoardLink {
  readonly id: string;
  readonly kind: LinkKind;
  /** Id of the login that it belongs to; empty for one of this machine. */
  readonly login: string;
  /** Id of the board, which is the login's. */
  readonly board: string;
  readonly name: string;
  /** JSON, of its kind. */
  readonly settings: string;
  readonly createdAt: number;
  readonly endsAt: number;
  /** Null unless it was revoked. */
  readonly revokedAt: number | null;
}

/** The visits of a link in the last {@link VISIT_DAYS} days; `last` is null if there were none. */
export interface Visits {
  readonly visits: number;
  readonly last: number | null;
}

/** Links to boards. Changes are durable when a method returns, but for visits. */
export type BoardLinkTable = ReturnType<typeof boardLinkTable>;

const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** @param quick - The same file, whose changes do not wait for the disk. */
export function boardLinkTable(db: Db, quick: Db) {
  const columns = 'id, kind, login, board, name, settings, created_at, ends_at, revoked_at';
  const byHash = db.prepare(`SELECT ${columns} FROM board_link WHERE hash = ?`);
  const byId = db.prepare(`SELECT ${columns} FROM board_link WHERE id = ?`);
  const open = db.prepare(
    `SELECT ${columns} FROM board_link WHERE revoked_at IS NULL AND ends_at > ? ORDER BY id DESC`,
  );
  const add = db.prepare(
    `INSERT INTO board_link (kind, login, board, name, settings, hash, created_at, ends_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  );
  const revoke = db.prepare(
    'UPDATE board_link SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const restore = db.prepare(
    'UPDATE board_link SET revoked_at = NULL WHERE id = ? AND revoked_at >= ?',
  );
  const forget = db.prepare('DELETE FROM board_link WHERE coalesce(revoked_at, ends_at) < ?');
  const visit = quick.prepare(
    `INSERT INTO board_link_visit (link, day, visits, last_at) VALUES (?, ?, 1, ?)
    ON CONFLICT (link, day) DO UPDATE SET visits = visits + 1, last_at = excluded.last_at`,
  );
  const prune = quick.prepare('DELETE FROM board_link_visit WHERE day < ?');
  const visits = db.prepare(
    'SELECT sum(visits), max(last_at) FROM board_link_visit WHERE link = ? AND day >= ?',
  );

  const linkOf = (row: readonly Cell[]): BoardLink => ({
    id: String(row[0]),
    kind: LINK_KINDS.find((kind) => kind === row[1]) ?? 'data',
    login: String(row[2]),
    board: String(row[3]),
    name: String(row[4]),
    settings: String(row[5]),
    createdAt: Number(row[6]),
    endsAt: Number(row[7]),
    revokedAt: numberOrNull(row[8] ?? null),
  });
  let prunedOn = 0;
  return {
    /** The link whose secret has a hash, whether it has ended or not. */
    byHash: (hash: string): BoardLink | undefined => {
      const row = byHash.get([hash]);
      return row && linkOf(row);
    },
    find: (id: string): BoardLink | undefined => {
      const row = byId.get([Number(id)]);
      return row && linkOf(row);
    },
    /** The links that have not ended, the newest first. @param now - Epoch ms. */
    open: (now: number): BoardLink[] => open.all([now]).map(linkOf),
    /** Adds a link. Forgets those that ended before `forgotten`, epoch ms. @returns The id. */
    add: (
      {
        kind,
        login,
        board,
        name,
        settings,
        createdAt,
        endsAt,
      }: Omit<BoardLink, 'id' | 'revokedAt'>,
      hash: string,
      forgotten: number,
    ): string =>
      db.write('add-link', () => {
        forget.run([forgotten]);
        const row = [kind, login, board, name, settings, hash, createdAt, endsAt];
        return String(add.get(row)?.[0]);
      }),
    /** @returns False if there is no such link that is not revoked. */
    revoke: (id: string, at: number): boolean =>
      db.write('revoke-link', () => revoke.run([at, Number(id)]) > 0),
    /** @returns False unless the link was revoked at or after an instant. */
    restore: (id: string, since: number): boolean =>
      db.write('restore-link', () => restore.run([Number(id), since]) > 0),
    /** Counts a visit, and forgets those of more than {@link VISIT_DAYS} days ago. */
    visit: (id: string, at: number): void =>
      quick.write('visit', () => {
        const day = dayOf(at);
        visit.run([Number(id), day, at]);
        if (day === prunedOn) return;
        prune.run([day - VISIT_DAYS + 1]);
        prunedOn = day;
      }),
    visits: (id: string, now: number): Visits => {
      const [sum, last] = visits.get([Number(id), dayOf(now) - VISIT_DAYS + 1]) ?? [];
      return { visits: Number(sum ?? 0), last: numberOrNull(last ?? null) };
    },
  };
}
