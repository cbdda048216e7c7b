import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';
import { newSnowflake } from '#core/import/id.ts';

const COMMUNITY = columns({
  /** Decimal text, like all ids. */
  id: column.text,
  name: column.text,
  /** Epoch ms. */
  createdAt: column.number,
});

/** A community, which accounts of this service join and post into. */
export type Community = RowOf<typeof COMMUNITY>;

/** A community with the ids of its members. */
export interface CommunityWithMembers extends Community {
  readonly members: readonly string[];
}

/** An order about communities that does not fit: one exists already, or does not exist. */
class CommunityError extends Error {
  override readonly name = 'CommunityError';
}

/** The actions on communities; members are ids of accounts. */
export type StoredCommunityOrder =
  | { readonly action: 'list' }
  | ({ readonly action: 'add' } & Omit<CommunityWithMembers, 'id'>)
  | { readonly action: 'remove'; readonly name: string }
  | { readonly action: 'join' | 'leave'; readonly name: string; readonly account: string };

export type CommunityReader = ReturnType<typeof communityReader>;

export function communityReader(db: Db) {
  const byId = db.prepare(
    `SELECT ${COMMUNITY.names}, (SELECT count(*) FROM community_member WHERE community = id)
     FROM community WHERE id = ?`,
  );
  const member = db.prepare('SELECT 1 FROM community_member WHERE community = ? AND account = ?');
  return {
    /** The community of an id; null if there is none. */
    community: (id: string): (Community & { readonly members: number }) | null => {
      const row = byId.get([id]);
      return row ? { ...COMMUNITY.read(row), members: Number(row[3]) } : null;
    },
    isMember: (community: string, account: string): boolean =>
      member.get([community, account]) !== undefined,
  };
}

/** Changes of communities, each one transaction or part of a surrounding one. */
export function communityChanges(db: Db) {
  const all = COMMUNITY.select(db, 'community ORDER BY created_at, id');
  const find = COMMUNITY.select(db, 'community WHERE folded = ?');
  const members = db.prepare(
    'SELECT account FROM community_member WHERE community = ? ORDER BY account',
  );
  const add = db.prepare(
    'INSERT INTO community (id, name, folded, created_at) VALUES (?, ?, ?, ?)',
  );
  const remove = db.prepare('DELETE FROM community WHERE id = ?');
  const removeMembers = db.prepare('DELETE FROM community_member WHERE community = ?');
  const join = db.prepare(
    'INSERT INTO community_member (community, account) VALUES (?, ?) ON CONFLICT DO NOTHING',
  );
  const leave = db.prepare('DELETE FROM community_member WHERE community = ? AND account = ?');

  const { community: taken } = communityReader(db);
  /** The first unused snowflake of an instant. */
  const freeId = (at: number): string => {
    for (let number = 0; ; number++) {
      const id = String(newSnowflake(at, number));
      if (!taken(id)) return id;
    }
  };
  const withMembers = (community: Community): CommunityWithMembers => ({
    ...community,
    members: members.all([community.id]).map(([account]) => String(account)),
  });
  const known = (name: string): Community => {
    const found = find.get([name.toLowerCase()]);
    if (found) return found;
    throw new CommunityError(`There is no community named ${name}.`);
  };

  /** @returns All communities of a list, otherwise the one of the order, as it is then or was before its removal. */
  const carryOut = (order: StoredCommunityOrder): CommunityWithMembers[] => {
    if (order.action === 'list') return all.all().map(withMembers);
    if (order.action === 'add') {
      const { name, createdAt } = order;
      if (find.get([name.toLowerCase()]))
        throw new CommunityError(`The community ${name} exists already.`);
      const community = { id: freeId(createdAt), name, createdAt };
      add.run([community.id, name, name.toLowerCase(), createdAt]);
      for (const account of order.members) join.run([community.id, account]);
      return [withMembers(community)];
    }
    const community = known(order.name);
    const { id } = community;
    if (order.action === 'remove') {
      const before = withMembers(community);
      removeMembers.run([id]);
      remove.run([id]);
      return [before];
    }
    (order.action === 'join' ? join : leave).run([id, order.account]);
    return [withMembers(community)];
  };
  return {
    /** @throws {@link CommunityError} for a community that exists already, or that does not exist. */
    community: (order: StoredCommunityOrder): CommunityWithMembers[] =>
      db.write('community', () => carryOut(order)),
  };
}
