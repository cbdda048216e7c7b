import { CHUNK_POSTS } from '#server/index/chunk.ts';

/** A chunk as far as the choice looks at it. */
interface Candidate {
  readonly n: number;
  /** Instant of its oldest Post, epoch ms. */
  readonly first: number;
  /** Bytes that joining it would hold in memory; costs a look through the chunk. */
  weight(): number;
}

/** A chunk with so many dead Posts, or with so great a part of them dead, is written anew. */
const DEAD_POSTS = 1024;
const DEAD_PART = 1 / 8;

/** Chunks below this many Posts are joined, when there are so many of them or they fill half a chunk. */
const SMALL_POSTS = CHUNK_POSTS / 2;
const SMALL_CHUNKS = 4;

/**
 * Chooses chunks to put one in the place of: neighbours in time that together are no larger than a chunk.
 * Each Post is written anew about three times at most on its way into a full chunk.
 *
 * @param dead - how many of a chunk's Posts are dead.
 * @param bytes - what is held in memory at most.
 * @returns None where all is well.
 */
export function choose<T extends Candidate>(
  chunks: readonly T[],
  dead: (chunk: T) => number,
  bytes: number,
): T[] {
  const alive = (chunk: T): number => chunk.n - dead(chunk);
  const worn = chunks.find((chunk) => dead(chunk) > Math.min(DEAD_POSTS, chunk.n * DEAD_PART));
  if (worn) return [worn];
  const small = chunks
    .filter((chunk) => alive(chunk) < SMALL_POSTS)
    .sort((a, b) => a.first - b.first);
  let group: T[] = [];
  let posts = 0;
  let weight = 0;
  const isWorthIt = (): boolean =>
    group.length >= SMALL_CHUNKS || (group.length > 1 && posts >= SMALL_POSTS);
  for (const chunk of small) {
    const more = chunk.weight();
    if (posts + alive(chunk) > CHUNK_POSTS || weight + more > bytes) {
      if (isWorthIt()) return group;
      [group, posts, weight] = [[], 0, 0];
    }
    if (more > bytes) continue;
    group.push(chunk);
    posts += alive(chunk);
    weight += more;
  }
  return isWorthIt() ? group : [];
}
