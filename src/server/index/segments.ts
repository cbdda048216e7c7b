import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder, type BuiltChunk } from './builder.ts';
import type { WholeChunk } from './merge.ts';
import { lowerBound, NONE, or, pack } from './ordinals.ts';

/** A Post of the open set. */
export interface OpenTerms {
  /** Its number: ascends with every Post and is never reused. */
  readonly n: number;
  readonly id: bigint;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly terms: PostTerms;
}

/** This many segments of one tier are merged into one of the next. */
const FAN = 8;

/** Tiers below this are merged: building a larger segment would delay other requests. */
const MERGED_TIERS = 3;

/** Maximum number of Posts that are put into one segment at once. */
const SEGMENT_POSTS = 2048;

function tierOf(posts: number): number {
  return Math.min(MERGED_TIERS, Math.floor(Math.log(posts) / Math.log(FAN) + 1e-9));
}

class Segment {
  readonly posts: readonly OpenTerms[];
  readonly #built: BuiltChunk;
  chunk: WholeChunk;

  /** @param posts - Ascending by number. */
  constructor(posts: readonly OpenTerms[]) {
    const builder = new ChunkBuilder();
    for (const { id, createdAt, terms } of posts) builder.add(id, createdAt, terms);
    this.posts = posts;
    this.#built = builder.build();
    this.chunk = { ...this.#built, dead: NONE };
  }

  markDeleted(n: number): boolean {
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
 * The open set in memory: small chunks, merged as their number grows, so that one more Post is cheap
 * however many there are. A Post is built into a chunk once per tier.
 */
export class OpenSegments {
  #segments: Segment[] = [];
  /** Numbers of deleted Posts, so that merging segments does not restore them. */
  readonly #dead = new Set<number>();

  get chunks(): readonly WholeChunk[] {
    return this.#segments.map((segment) => segment.chunk);
  }

  /** Adds Posts, ascending by number, all above the existing ones. */
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
      if (last.length < FAN || tiers.size > 1 || tiers.has(MERGED_TIERS)) return;
      this.#segments.splice(-FAN);
      this.#put(last.flatMap((segment) => segment.posts));
    }
  }

  #put(posts: readonly OpenTerms[]): void {
    const alive = posts.filter((post) => !this.#dead.has(post.n));
    if (alive.length > 0) this.#segments.push(new Segment(alive));
  }

  /** Marks Posts as deleted; unknown numbers are ignored. */
  markDeleted(numbers: readonly number[]): void {
    for (const n of numbers) {
      if (this.#segments.some((segment) => segment.markDeleted(n))) this.#dead.add(n);
    }
  }

  /** Removes the Posts up to a number, which are in a chunk now. */
  drop(last: number): void {
    const segments = this.#segments;
    this.#segments = [];
    for (const segment of segments) {
      const later = segment.posts.filter((post) => post.n > last);
      if (later.length === segment.posts.length) this.#segments.push(segment);
      else this.#put(later);
    }
    for (const n of this.#dead) if (n <= last) this.#dead.delete(n);
  }
}
