import type { PostTerms } from '#core/text/post.ts';
import { ChunkBuilder } from './builder.ts';
import type { Chunk } from './chunk.ts';

/** A Post of the open set. */
export interface OpenTerms {
  readonly id: bigint;
  readonly createdAt: number;
  readonly terms: PostTerms;
}

/**
 * The open set in memory: chunks whose sizes at least double from the newest to the oldest, so that one
 * more Post costs little on average however many there are.
 */
export class OpenSegments {
  #segments: { posts: readonly OpenTerms[]; chunk: Chunk }[] = [];

  get chunks(): readonly Chunk[] {
    return this.#segments.map((segment) => segment.chunk);
  }

  clear(): void {
    this.#segments = [];
  }

  add(posts: readonly OpenTerms[]): void {
    let joined = posts;
    if (joined.length === 0) return;
    for (let last = this.#segments.at(-1); last && last.posts.length < joined.length * 2;) {
      joined = [...last.posts, ...joined];
      this.#segments.pop();
      last = this.#segments.at(-1);
    }
    const builder = new ChunkBuilder();
    for (const { id, createdAt, terms } of joined) builder.add(id, createdAt, terms);
    this.#segments.push({ posts: joined, chunk: builder.build() });
  }
}
