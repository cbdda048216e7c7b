import { putNewest } from '#core/newest.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { or, type Ordinals } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';

/** The terms of what a viewer may not read of users: their Posts, and the reposts of them, which repeat their texts. */
export function hiddenTerms(users: readonly string[]): string[] {
  return users.flatMap((id) => [`from:${id}`, `retweets_of:${id}`]);
}

/** Different sets of users that are known at once; each viewer has its own. */
const MAX_SETS = 16;

/** The hidden Posts of a set of users, as far as they are known. */
interface HiddenSet {
  /** By chunk: all states of a chunk have the same `times`, and a chunk never changes. */
  readonly posts: WeakMap<WholeChunk['times'], Ordinals>;
  /** States of chunks without them. */
  readonly shown: WeakMap<WholeChunk, WholeChunk>;
}

/**
 * The Posts of users that a viewer may not read, as deleted ones. Each chunk is searched for them once for a set of users,
 * so that a question costs as much as without them.
 */
export class HiddenPosts {
  readonly #sets = new Map<string, HiddenSet>();
  /** Keys of lists of users: readers ask again and again with the same lists. */
  readonly #keys = new WeakMap<readonly string[], string>();

  /** The chunks without the Posts of users, in steps. @param users - Ids. */
  *without(
    chunks: readonly WholeChunk[],
    users: readonly string[],
    due: Due,
  ): Steps<readonly WholeChunk[]> {
    if (users.length === 0) return chunks;
    const { posts, shown } = this.#setOf(users);
    let terms: readonly string[] | null = null;
    const found: WholeChunk[] = [];
    for (const chunk of chunks) {
      let state = shown.get(chunk);
      if (!state) {
        if (due()) yield;
        let hidden = posts.get(chunk.times);
        if (!hidden) {
          terms ??= hiddenTerms(users);
          hidden = or(chunk.listsOf(terms));
          posts.set(chunk.times, hidden);
        }
        state = hidden.length === 0 ? chunk : { ...chunk, dead: or([chunk.dead, hidden]) };
        shown.set(chunk, state);
      }
      found.push(state);
    }
    return found;
  }

  /** The entry for these users, moved to the end. */
  #setOf(users: readonly string[]): HiddenSet {
    const key = this.#keys.get(users) ?? users.join(' ');
    this.#keys.set(users, key);
    const set = this.#sets.get(key) ?? { posts: new WeakMap(), shown: new WeakMap() };
    putNewest(this.#sets, key, set, MAX_SETS);
    return set;
  }
}
