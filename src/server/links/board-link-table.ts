import { VISIT_DAYS, type LinkKind } from '#contract/links/links.ts';
import { DAY_MS } from '#core/time/span.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import { numberOrNull, type Db } from '#server/db/driver.ts';

/** Times are epoch ms. */
const LINK = columns({
  id: column.text,
  kind: column.word<LinkKind>(),
  /** Id of the login that it belongs to; empty for one of this machine. */
  login: column.text,
  /** Id of the board, which is the login's. */
  board: column.text,
  name: column.text,
  /** JSON, of its kind. */
  settings: column.text,
  createdAt: column.number,
  endsAt: column.number,
  /** Null unless it was revoked. */
  revokedAt: column.numberOrNull,
});

/** A link to a board. */
export type BoardLink = RowOf<typeof LINK>;

/** The visits of a link in the last {@link VISIT_DAYS} days; `last` is null if there were none. */
export interface Visits {
  readonly visits: number;
  readonly last: number | null;
}

const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/**
 * Links to boards. Changes are durable when a method returns, but for visits.
 *
 * @param quick - The same file, whose changes do not wait for the disk.
 */
export function boardLinkTable(db: Db, quick: Db) {
  const byHash = LINK.select(db, 'board_link WHERE hash = ?');
  const byId = LINK.select(db, 'board_link WHERE id = ?');
  const open = LINK.select(
    db,
    'board_link WHERE revoked_at IS NULL AND ends_at > ? ORDER BY id DESC',
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

  let prunedOn = 0;
  return {
    /** The link whose secret has a hash, whether it has ended or not. */
    byHash: (hash: string): BoardLink | undefined => byHash.get([hash]),
    find: (id: string): BoardLink | undefined => byId.get([Number(id)]),
    /** The links that have not ended, the newest first. @param now - Epoch ms. */
    open: (now: number): BoardLink[] => open.all([now]),
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
