import type { StoredObject } from '#server/posts/store/object-table.ts';
import type { PostFinder } from '#server/posts/index/source.ts';
import { unsupportedError } from './error.ts';
import { GONE, USERNAMES, type StoredVersion } from './post-row.ts';
import type { ClusterReader } from './reader.ts';

/** Rounds of reading after which something asks for more each time. */
const MOST_ROUNDS = 20;

const keyOf = (kind: string, key: string): string => `${kind}\0${key}`;

function unsupported(): never {
  throw unsupportedError('communities');
}

/**
 * Finds Posts and objects of a state of a cluster for code that finds them at once: what has not come yet is absent and
 * noted, read, and the code runs again.
 */
class NotingFinder implements PostFinder {
  readonly #versions = new Map<bigint, StoredVersion | null>();
  readonly #objects = new Map<string, string | null>();
  readonly #answers = new Map<bigint, { replies: number; quotes: number }>();
  readonly #posts = new Set<bigint>();
  readonly #wanted = new Map<string, Pick<StoredObject, 'kind' | 'key'>>();
  readonly #answered = new Set<bigint>();

  /** Arrow functions, because callers spread finders. */
  rows = (ids: readonly bigint[]) =>
    ids.flatMap((id) => {
      const version = this.#version(id);
      return version && version.state !== GONE ? [version.row] : [];
    });

  object = (kind: string, key: string): string | null => {
    const of = keyOf(kind, key);
    const found = this.#objects.get(of);
    if (found === undefined) this.#wanted.set(of, { kind, key });
    return found ?? null;
  };

  userId = (username: string): string | null => this.object(USERNAMES, username);

  versions = (id: bigint): readonly bigint[] => this.#version(id)?.versions ?? [id];

  answers = (id: bigint): { replies: number; quotes: number } => {
    const found = this.#answers.get(id);
    if (!found && this.#version(id)) this.#answered.add(id);
    return found ?? { replies: 0, quotes: 0 };
  };

  community = (): never => unsupported();
  isMember = (): never => unsupported();

  #version(id: bigint): StoredVersion | null {
    const found = this.#versions.get(id);
    if (found === undefined) this.#posts.add(id);
    return found ?? null;
  }

  /** Reads what was asked for and had not come. @returns False if there was nothing. */
  async fill(reader: ClusterReader): Promise<boolean> {
    const posts = [...this.#posts];
    const objects = [...this.#wanted.values()];
    const answered = [...this.#answered];
    this.#posts.clear();
    this.#wanted.clear();
    this.#answered.clear();
    if (posts.length + objects.length + answered.length === 0) return false;
    const [versions, found, answers] = await Promise.all([
      reader.versions(posts),
      reader.objects(objects),
      reader.answers(answered.map((id) => [id, this.versions(id)] as const)),
    ]);
    for (const id of posts) this.#versions.set(id, null);
    for (const version of versions) this.#versions.set(version.id, version);
    for (const { kind, key } of objects) this.#objects.set(keyOf(kind, key), null);
    for (const { kind, key, json } of found) this.#objects.set(keyOf(kind, key), json);
    for (const [id, counts] of answers) this.#answers.set(id, counts);
    return true;
  }
}

/**
 * Computes something from Posts by their ids and what they refer to, over one state.
 *
 * @param work - Runs again each time something that it asked for has come; changes nothing.
 * @returns Its result, and a finder that has all of it.
 */
export async function readWith<T>(
  reader: ClusterReader,
  work: (finder: PostFinder) => T | Promise<T>,
): Promise<{ result: T; finder: PostFinder }> {
  const finder = new NotingFinder();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    // A failure for want of a Post that has not come yet is none.
    const done = await Promise.resolve()
      .then(() => work(finder))
      .then(
        (result) => ({ result, finder }),
        (error: unknown) => ({ error }),
      );
    if (await finder.fill(reader)) continue;
    if ('error' in done) throw done.error;
    return done;
  }
  throw new RangeError('expected work that asks for the same Posts each time');
}
