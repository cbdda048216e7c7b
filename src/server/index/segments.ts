import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from './builder.ts';
import type { BuiltChunk } from './builder.ts';
import type { Chunk } from './chunk.ts';
import { lowerBound, NONE, or, pack } from './ordinals.ts';

/** A Post of the open set. */
export interface OpenTerms {
  /** Its number, by which it is known. */
  readonly n: number;
  readonly id: bigint;
  readonly createdAt: number;
  readonly terms: PostTerms;
}

/** So many segments of one tier are joined into one of the next. */
const FAN = 8;

/** Tiers below this are joined: making a larger segment would be a pause for whoever asks meanwhile. */
const JOINED_TIERS = 3;

/** Posts that are put into one segment at once, at most. */
const SEGMENT_POSTS = 2048;

function tierOf(posts: number): number {
  return Math.min(JOINED_TIERS, Math.floor(Math.log(posts) / Math.log(FAN) + 1e-9));
}

class Segment {
  readonly posts: readonly OpenTerms[];
  readonly #built: BuiltChunk;
  chunk: Chunk;

  /** @param posts - ascending by number. */
  constructor(posts: readonly OpenTerms[]) {
    const builder = new ChunkBuilder();
    for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
    this.posts = posts;
    this.#built = builder.build();
    this.chunk = { ...this.#built, dead: NONE };
  }

  bury(n: number): boolean {
    const place = lowerBound(
      Uint32Array.from(this.posts, (post) => post.n),
      n,
    );
    if (this.posts[place]?.n !== n) return false;
    const ordinal = this.#built.order.indexOf(place);
    const dead = or([this.chunk.dead, pack(Uint16Array.of(ordinal))]);
    this.chunk = { ...this.chunk, dead };
    return true;
  }
}

/**
 * The open set in memory: small chunks, joined as they become many, so that one more Post costs little
 * however many there are. A Post is built into a chunk once per tier.
 */
export class OpenSegments {
  #segments: Segment[] = [];
  /** Numbers of dead Posts, so that joining segments does not revive them. */
  readonly #dead = new Set<number>();

  get chunks(): readonly Chunk[] {
    return this.#segments.map((segment) => segment.chunk);
  }

  /** Adds Posts, ascending by number, all above those that are there. */
  add(posts: readonly OpenTerms[]): void {
    for (let from = 0; from < posts.length; from += SEGMENT_POSTS) {
      this.#addSome(posts.slice(from, from + SEGMENT_POSTS));
    }
  }

  #addSome(posts: readonly OpenTerms[]): void {
    this.#put(posts);
    for (;;) {
      const last = this.#segments.slice(-FAN);
      const tiers = new Set(last.map((segment) => tierOf(segment.posts.length)));
      if (last.length < FAN || tiers.size > 1 || tiers.has(JOINED_TIERS)) return;
      this.#segments.splice(-FAN);
      this.#put(last.flatMap((segment) => segment.posts));
    }
  }

  #put(posts: readonly OpenTerms[]): void {
    const alive = posts.filter((post) => !this.#dead.has(post.n));
    if (alive.length > 0) this.#segments.push(new Segment(alive));
  }

  /** Marks Posts as dead; a number that is not there is passed over. */
  bury(numbers: readonly number[]): void {
    for (const n of numbers) {
      if (this.#segments.some((segment) => segment.bury(n))) this.#dead.add(n);
    }
  }

  /** Lets go of the Posts up to a number: they are in a chunk now. */
  drop(last: number): void {
    const segments = this.#segments;
    this.#segments = [];
    for (const segment of segments) {
      const kept = segment.posts.filter((post) => post.n > last);
      if (kept.length === segment.posts.length) this.#segments.push(segment);
      else this.#put(kept);
    }
    for (const n of this.#dead) if (n <= last) this.#dead.delete(n);
  }
}
