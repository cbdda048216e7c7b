import { hash } from 'node:crypto';
import type { RelationFigures } from '#contract/control/control.ts';
import type { ImportedRelation } from '#server/posts/store/imported-relations.ts';
import type { ArchiveOwner } from '#core/import/archive.ts';
import { readId } from '#core/import/id.ts';
import { digits, object, string, type Json } from '#core/import/json.ts';

/** Lists in archives are addresses: with an id, or with the name of the owner and a short name. */
const LIST_BY_ID = /\/i\/lists\/(\d{1,19})(?:[/?#]|$)/;
const LIST_BY_NAME = /\/(\w{1,15})\/lists\/([^/?#]+)/;

type Relation = NonNullable<ImportedRelation['relation']>;

const LARGEST_ID = 0x7fffffffffffffffn;

/** The id of a list whose address has none; the same for every import. */
function listIdOf(address: string): bigint {
  const id = hash('sha1', address.toLowerCase(), 'buffer').readBigUInt64BE(0) & LARGEST_ID;
  return id === 0n ? 1n : id;
}

/** A list in the relations of an archive. @returns Null for an address of another form. */
function listOf(url: string): { readonly id: bigint; readonly name: string } | null {
  const id = readId(LIST_BY_ID.exec(url)?.[1] ?? '');
  if (id !== null) return { id, name: String(id) };
  const [, owner, name] = LIST_BY_NAME.exec(url) ?? [];
  return owner === undefined || name === undefined
    ? null
    : { id: listIdOf(`${owner}/lists/${name}`), name };
}

/** Members of entries that name another user. */
const OF_USERS = ['following', 'follower', 'blocking', 'muting'] as const;

/** The relation of the account of an archive to another user. */
function relationOf(name: (typeof OF_USERS)[number], me: bigint, other: bigint): Relation {
  switch (name) {
    case 'following':
      return { kind: 'follow', source: me, target: other };
    case 'follower':
      return { kind: 'follow', source: other, target: me };
    case 'blocking':
      return { kind: 'block', source: me, target: other };
    case 'muting':
      return { kind: 'mute', source: me, target: other };
  }
}

function readList(url: string, file: string, me: bigint): ImportedRelation | string {
  const list = listOf(url);
  if (!list)
    return `names a list by the address ${JSON.stringify(url.slice(0, 200))}, which is none`;
  const { id, name } = list;
  if (/lists-created/.test(file)) return { list: { id, name, owner: me } };
  const found = { id, name, owner: null };
  return /lists-member/.test(file)
    ? { list: found, relation: { kind: 'member', source: id, target: me } }
    : { list: found, relation: { kind: 'subscription', source: me, target: id } };
}

export function noRelations(): RelationFigures {
  return { followers: 0, following: 0, likes: 0, blocks: 0, mutes: 0, lists: 0 };
}

/** Among which relations an entry of an archive counts. */
export function relationFigure(
  { relation, list }: ImportedRelation,
  owner: ArchiveOwner | null,
): keyof RelationFigures | null {
  if (list) return 'lists';
  switch (relation?.kind) {
    case 'follow':
      return String(relation.source) === owner?.id ? 'following' : 'followers';
    case 'like':
      return 'likes';
    case 'block':
      return 'blocks';
    case 'mute':
      return 'mutes';
    default:
      return null;
  }
}

/**
 * Reads an entry of an archive's follower.js, following.js, like.js, block.js, mute.js or lists-*.js.
 *
 * @param file - Its name says which lists an entry is about.
 * @returns Null if the entry is of another kind; the reason for refusing it if it is malformed.
 */
export function readArchiveRelation(
  entry: Json,
  owner: ArchiveOwner | null,
  file: string,
): ImportedRelation | string | null {
  const kind = OF_USERS.find((name) => object(entry[name]));
  const like = object(entry.like);
  const info = object(entry.userListInfo);
  if (!kind && !like && !info) return null;
  const me = readId(owner?.id ?? '');
  if (me === null) return 'belongs to an unknown account: account.js with its id is missing';
  if (kind) {
    const other = readId(digits(object(entry[kind])?.accountId) ?? '');
    return other === null ? 'has no valid "accountId"' : { relation: relationOf(kind, me, other) };
  }
  if (info) return readList(string(info.url) ?? '', file, me);
  const target = readId(digits(like?.tweetId) ?? '');
  if (target === null) return 'has no valid "tweetId"';
  const text = string(like?.fullText);
  return {
    relation: { kind: 'like', source: me, target },
    ...(text !== undefined && { post: { id: target, text } }),
  };
}
