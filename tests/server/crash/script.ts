import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { changesOver, makeChanges, type PostChange } from '#server/posts/editor/changes.ts';
import type { ImportedRelation } from '#server/posts/store/imported-relations.ts';
import type { StoredList } from '#server/posts/store/lists.ts';
import { createWriter } from '#server/posts/editor/writer.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { Random } from '#server/sample/random.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { purgeCollections } from '#server/maintenance/purge.ts';
import { collectionTable, RESTORABLE_MS } from '#server/posts/store/collections.ts';
import type { Db } from '#server/db/driver.ts';

/**
 * A change of a file's content: one transaction, so that a kill leaves all or nothing of it. If it is `charged`, {@link
 * PAYER} pays {@link PRICE} for it in the same transaction.
 */
export type Change = FreeChange & { readonly charged?: true };

type FreeChange =
  | { readonly what: 'create'; readonly id: number }
  /** A Post of {@link POLLS} with its poll, which quotes another one. */
  | { readonly what: 'poll'; readonly id: number; readonly target: number }
  | { readonly what: 'edit'; readonly previous: number; readonly id: number }
  | { readonly what: 'delete'; readonly id: number }
  /** A like of a Post, and undoing it. */
  | { readonly what: 'like' | 'unlike'; readonly source: number; readonly target: number }
  /** A follow, with what only its Posts say of the followed user; it has the id of an object. */
  | { readonly what: 'follow'; readonly source: number; readonly target: number }
  /** A list of {@link AUTHOR}, and removing it with its members. */
  | { readonly what: 'addList' | 'removeList'; readonly id: number }
  | { readonly what: 'setList'; readonly id: number; readonly private: boolean }
  /** A member of the list `source`, and removing it. */
  | {
      readonly what: 'addMember' | 'removeMember';
      readonly source: number;
      readonly target: number;
    }
  /** A repost of a Post by the Post of an id, and undoing it. */
  | {
      readonly what: 'repost' | 'unrepost';
      readonly source: number;
      readonly target: number;
      readonly id: number;
    }
  /** Posts with ids from `from` on, with one object each that they refer to. */
  | { readonly what: 'import'; readonly from: number; readonly posts: number }
  /** The relations of an archive whose account is {@link AUTHOR}: see {@link relationsOf}. */
  | { readonly what: 'archive'; readonly from: number; readonly relations: number }
  /** Posts with ids from `from` on, all new or all existing, into the collection of a file of this name. */
  | {
      readonly what: 'collect';
      readonly into: string;
      readonly from: number;
      readonly posts: number;
    }
  /** Renames the collection of a file, switches it, removes it, or restores it. */
  | { readonly what: 'rename'; readonly into: string; readonly name: string }
  | { readonly what: 'include' | 'exclude' | 'discard' | 'restore'; readonly into: string }
  /** Deletes Posts of discarded collections in a first transaction, and the rest of them in others. */
  | { readonly what: 'purge'; readonly only?: 'posts' }
  /** So many objects at once that the writer does not hold them for the next commit. */
  | { readonly what: 'objects'; readonly from: number };

/** Work on the index, which no answer reveals: begins or continues for that many yields, or to its end. */
export interface Work {
  readonly what: 'compact' | 'reindex';
  readonly yields?: number;
}

export type Action = Change | Work;

/** Posts with a hundred thousand ids from here on have no facts, as those of the first formats. */
export const PLAIN = 900_000;

function isPlain(id: number): boolean {
  return id >= PLAIN && id < PLAIN + 100_000;
}

/** Posts with a hundred thousand ids from here on have a poll of the same id. */
export const POLLS = 800_000;

export function hasPoll(id: number): boolean {
  return id >= POLLS && id < POLLS + 100_000;
}

/** Posts with a hundred thousand ids from here on repost {@link REPOSTED}. */
export const REPOSTS = 400_000;
export const REPOSTED = 10_010;
/** Most reposts that one deletion of their original removes. */
const MOST_REPOSTS = 256;

function isRepost(id: number): boolean {
  return id >= REPOSTS && id < REPOSTS + 100_000;
}

/** Those of some Posts that a deletion removes along with a Post, or instead of it. */
export function repostsRemoved(
  id: number,
  posts: Iterable<number>,
): { readonly reposts: readonly number[]; readonly isWhole: boolean } {
  const all = id === REPOSTED ? [...posts].filter(isRepost).sort((a, b) => a - b) : [];
  return { reposts: all.slice(0, MOST_REPOSTS), isWhole: all.length <= MOST_REPOSTS };
}

/** The author of what {@link Change} posts. */
export const AUTHOR = '7';

/** The app that pays for changes, and what it pays for each, in micro-dollars. */
export const PAYER = '11';
export const PRICE = 15_000;

/** Number of objects, and of relations, that a writer no longer holds for the next commit. */
export const OBJECTS = 16_384;

export const FIRST_DAY = Date.UTC(2019, 5, 1);
export const DAYS = 30;
const WORDS = ['cat', 'dog', 'bird', 'Kätzchen', '東京', '#news', '@ann', '🎉'] as const;

function listOf(id: number): StoredList {
  const list = { id: BigInt(id), owner: BigInt(AUTHOR), name: `list ${id}`, description: '' };
  return { ...list, private: false, createdAt: FIRST_DAY };
}

/** The Post of an id: deterministic, so that a process need not report what it wrote. */
export function postOf(id: number): NewPost {
  const random = new Random(id);
  const words: string[] = [random.pick(WORDS)];
  while (words.length < 3 && random.chance(0.6)) words.push(random.pick(WORDS));
  if (random.chance(0.02)) words.push(`rare${id % 50}`);
  const columns = {
    text: words.join(' '),
    username: `u${random.below(5)}`,
    authorId: null,
    lang: random.pick(['en', 'de', 'ja']),
    rest: hasPoll(id) ? `{"attachments":{"poll_ids":["${id}"]}}` : null,
  };
  const { text, username, lang } = columns;
  const reply = !isPlain(id) && random.chance(0.1) ? { replyToId: String(random.below(9)) } : {};
  const repost = isRepost(id) ? { isRetweet: true, repostOfId: String(REPOSTED) } : {};
  const post = { text, username, lang, ...reply, ...repost };
  return {
    id: BigInt(id),
    createdAt: FIRST_DAY + random.below(DAYS * DAY_MS),
    ...columns,
    facts: factsOf(post, columns),
    terms: termsOf(post),
  };
}

/** A time after which what was discarded at {@link FIRST_DAY} cannot be restored, epoch ms. */
const LATER = FIRST_DAY + RESTORABLE_MS;

/** Ids from `from` on. */
export function idsFrom(from: number, n: number): number[] {
  return Array.from({ length: n }, (_, i) => from + i);
}

/** Kinds of the relations in an archive, one after another. */
const ARCHIVED = ['follow', 'block', 'mute', 'like', 'member'] as const;

/** The relations of {@link AUTHOR}'s archive, each with another user, Post or list whose id is from `from` on. */
export function relationsOf(from: number, n: number): ImportedRelation[] {
  const me = BigInt(AUTHOR);
  return idsFrom(from, n).map((number): ImportedRelation => {
    const id = BigInt(number);
    const kind = ARCHIVED[number % ARCHIVED.length]!;
    const relation = { kind, source: me, target: id };
    if (kind === 'like') return { relation, post: { id, text: 'liked' } };
    if (kind !== 'member') return { relation, user: { id: me, username: `u${AUTHOR}` } };
    const list = { id, name: `list ${id}`, owner: me };
    return { relation: { kind, source: id, target: me }, list };
  });
}

/** Keys of the objects that a change adds. */
export function objectsOf(change: Change): string[] {
  if (change.what === 'follow') return [String(change.target)];
  if (change.what === 'archive') {
    return relationsOf(change.from, change.relations).flatMap(({ user, post }) =>
      [user, post].flatMap((of) => (of ? String(of.id) : [])),
    );
  }
  if (change.what === 'import') return idsFrom(change.from, change.posts).map(String);
  if (change.what === 'poll') return [String(change.id)];
  return change.what === 'objects' ? idsFrom(change.from, OBJECTS).map(String) : [];
}

type Single = Exclude<
  Change,
  { readonly what: 'import' | 'collect' | 'objects' | 'archive' | 'purge' }
>;
type OfCollection = Extract<Single, { readonly into: string }>;

/** The change of the editor that an action on the collection of a number is. */
function collectionChange(action: OfCollection, id: number): PostChange {
  switch (action.what) {
    case 'rename':
      return { what: 'renameCollection', of: [id, action.name] };
    case 'discard':
      return { what: 'removeCollection', of: [id, FIRST_DAY] };
    case 'restore':
      return { what: 'restoreCollection', of: [id] };
    default:
      return { what: 'includeCollection', of: [id, action.what === 'include'] };
  }
}

/** The changes of the editor that an action consists of, without its charge. */
function freeChangesOf(action: Exclude<Single, OfCollection>): PostChange[] {
  const userOf = (id: number) => ({ kind: 'users', key: String(id), json: '{}' });
  switch (action.what) {
    case 'create':
      return [{ what: 'create', of: [postOf(action.id)] }];
    case 'poll': {
      const { id, target } = action;
      const quote = { kind: 'quote' as const, target: BigInt(target) };
      const poll = { kind: 'polls', key: String(id), json: '{}' };
      return [
        { what: 'create', of: [postOf(id)] },
        { what: 'putObjects', of: [[poll]] },
        { what: 'answer', of: [BigInt(id), AUTHOR, [quote]] },
      ];
    }
    case 'edit':
      return [{ what: 'edit', of: [BigInt(action.previous), postOf(action.id)] }];
    case 'delete':
      return [{ what: 'remove', of: [BigInt(action.id)] }];
    case 'addList':
      return [{ what: 'addList', of: [listOf(action.id)] }];
    case 'setList':
      return [{ what: 'setList', of: [BigInt(action.id), { private: action.private }] }];
    case 'removeList':
      return [{ what: 'removeList', of: [BigInt(action.id)] }];
    default:
  }
  const ends = [BigInt(action.source), BigInt(action.target)] as const;
  switch (action.what) {
    case 'like':
      return [{ what: 'relate', of: ['like', ...ends] }];
    case 'unlike':
      return [{ what: 'unrelate', of: ['like', ...ends] }];
    case 'follow':
      return [
        { what: 'learn', of: [userOf(action.target)] },
        { what: 'relate', of: ['follow', ...ends] },
      ];
    case 'addMember':
    case 'removeMember':
      return [{ what: action.what, of: [...ends] }];
    case 'repost':
      return [{ what: 'repost', of: [...ends, postOf(action.id)] }];
    case 'unrepost':
      return [{ what: 'unrepost', of: [...ends] }];
  }
}

function changesOf(action: Single, db: Db): PostChange[] {
  if ('into' in action) {
    const found = collectionTable(db)
      .all()
      .find(({ source }) => source === action.into);
    if (!found) throw new RangeError(`expected the collection ${action.into}`);
    return [collectionChange(action, found.id)];
  }
  const changes = freeChangesOf(action);
  if (!action.charged) return changes;
  const charge = {
    app: PAYER,
    day: 20_000,
    operation: action.what,
    account: 'none',
    charged: PRICE,
    price: PRICE,
  };
  return [...changes, { what: 'charge', of: [charge] }];
}

/** Runs actions in sequence on a file; each is durable when its call returns. */
export class Actor {
  readonly #open: () => Db;
  readonly #db: Db;
  readonly #over: ReturnType<typeof changesOver>;
  #work: { readonly what: Work['what']; readonly steps: Generator<unknown> } | null = null;

  /** @param open - Opens the file: once for single changes, and once for every import. */
  constructor(open: () => Db) {
    this.#open = open;
    this.#db = open();
    this.#over = changesOver(this.#db, Date.now);
  }

  /** @throws {@link RangeError} if what an action changes does not exist, or what it adds exists. */
  act(action: Action): void {
    switch (action.what) {
      case 'import':
      case 'collect':
      case 'objects':
      case 'archive':
        return this.#import(action);
      case 'purge':
        for (const _ of purgeCollections(this.#db, LATER)) if (action.only) return;
        return;
      case 'compact':
      case 'reindex':
        return this.#go(action);
      default: {
        const results = makeChanges(this.#db, this.#over, changesOf(action, this.#db));
        // Changes that did nothing return false, and a removal the Posts that it removed.
        const idle = results.some(
          (made) =>
            made === false ||
            (typeof made === 'object' && 'posts' in made && made.posts.length === 0),
        );
        if (idle) throw new RangeError(`expected ${JSON.stringify(action)} to change something`);
      }
    }
  }

  close(): void {
    this.#db.close();
  }

  #import(change: Change): void {
    const into = change.what === 'collect' && { source: change.into, now: () => FIRST_DAY };
    const writer = createWriter(this.#open(), into || undefined);
    try {
      if (change.what === 'collect') {
        writer.add(idsFrom(change.from, change.posts).map(postOf));
        writer.finish({ read: change.posts, kinds: new Set(['csv']), isWhole: true });
        return;
      }
      if (change.what === 'archive') {
        writer.putRelations(relationsOf(change.from, change.relations));
        writer.finish();
        return;
      }
      writer.putObjects(objectsOf(change).map((key) => ({ kind: 'users', key, json: '{}' })));
      if (change.what !== 'import') return;
      writer.add(idsFrom(change.from, change.posts).map(postOf));
      writer.finish();
    } finally {
      writer.close();
    }
  }

  #go({ what, yields = Infinity }: Work): void {
    if (this.#work?.what !== what) {
      const steps = what === 'compact' ? compactIndex(this.#db) : reindex(this.#db);
      this.#work = { what, steps };
    }
    const { steps } = this.#work;
    // Work that throws is over, and starts again.
    let ended = true;
    try {
      for (let i = 0; i < yields; i++) {
        if (steps.next().done) return;
      }
      ended = false;
    } finally {
      if (ended) this.#work = null;
    }
  }
}
