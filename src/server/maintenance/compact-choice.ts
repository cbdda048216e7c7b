import { CHUNK_POSTS } from '#server/index/chunk.ts';

/** The parts of a chunk that the choice depends on. */
interface Candidate {
  readonly n: number;
  /** Instant of its oldest Post, epoch ms. */
  readonly first: number;
  /** Bytes in memory that merging it takes; computing this reads the chunk. */
  weight(): number;
}

/** A chunk with this many deleted Posts, or this fraction of its Posts deleted, is rewritten. */
const DEAD_POSTS = 1024;
const DEAD_PART = 1 / 8;

/** Chunks below this many Posts are merged if there are several of them, or if they fill half a chunk. */
const SMALL_POSTS = CHUNK_POSTS / 2;
const SMALL_CHUNKS = 4;

/**
 * Chooses chunks to replace by one: neighbours in time that together fit into a chunk. Each Post is
 * rewritten about three times at most on its way into a full chunk.
 *
 * @param dead - The number of a chunk's Posts that are deleted.
 * @param bytes - Maximum bytes in memory.
 * @returns Empty if there is nothing to do.
 */
export function chooseMerge<T extends Candidate>(
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
