import { ALL_TIME } from '#core/time/span.ts';
import type { Db } from '#server/db/driver.ts';
import { listTable } from './lists.ts';
import { postTable } from './post-table.ts';
import { relationTable } from './relations.ts';
import { revisions } from './revision.ts';
import type { RelationKind } from './relation-kinds.ts';

/** A relation of an archive's account, from an entry of the archive. */
export interface ImportedRelation {
  readonly relation?: {
    readonly kind: RelationKind;
    readonly source: bigint;
    readonly target: bigint;
  };
  /** The account itself. */
  readonly user?: { readonly id: bigint; readonly username: string };
  /** A list that it names; archives do not say whether a list is private. */
  readonly list?: { readonly id: bigint; readonly name: string; readonly owner: bigint | null };
  /** A Post that it quotes, which the store may not have. */
  readonly post?: { readonly id: bigint; readonly text: string };
}

/** Stores imported relations, within a write transaction. What is there already stays as it is. */
export function relationImport(db: Db): (relations: readonly ImportedRelation[]) => void {
  const table = relationTable(db);
  const lists = listTable(db);
  const posts = postTable(db);
  const revision = revisions(db);
  return (relations) => {
    const quoted = relations.flatMap(({ post }) => post ?? []);
    const stored = posts.existing(quoted.map(({ id }) => id));
    for (const { id, text } of quoted) {
      const key = String(id);
      if (stored.has(id) || posts.object('tweets', key) !== null) continue;
      posts.putObjects([{ kind: 'tweets', key, json: JSON.stringify({ id: key, text }) }]);
    }
    let hasMembers = false;
    for (const { relation, list, user } of relations) {
      if (user) {
        const { username } = user;
        const key = String(user.id);
        const json = JSON.stringify({ id: key, name: username, username });
        if (posts.object('users', key) === null) posts.putObjects([{ kind: 'users', key, json }]);
      }
      if (list) {
        const added = { ...list, description: '', private: false, createdAt: null };
        const before = lists.get(list.id);
        if (!before) lists.add(added);
        else if (before.owner === null && list.owner !== null) {
          lists.put({ ...before, owner: list.owner });
        }
      }
      if (!relation) continue;
      const { kind, source, target } = relation;
      if (table.put(kind, source, target) && kind === 'member') hasMembers = true;
    }
    // Members change counts of `list:` at any time.
    if (hasMembers) revision.raise([ALL_TIME]);
  };
}
