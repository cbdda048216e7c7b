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

/** Posts of a segment at most: making one is a pause for whoever asks meanwhile, some ten milliseconds. */
const SEGMENT_POSTS = 2048;

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
 * The open set in memory: chunks whose sizes at least double from the newest to the oldest, up to
 * {@link SEGMENT_POSTS}, so that one more Post costs little however many there are.
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
    let joined = posts;
    for (let last = this.#segments.at(-1); last; last = this.#segments.at(-1)) {
      const all = last.posts.length + joined.length;
      if (last.posts.length >= joined.length * 2 || all > SEGMENT_POSTS) break;
      joined = [...last.posts, ...joined];
      this.#segments.pop();
    }
    this.#put(joined);
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
