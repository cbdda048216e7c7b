import type { PostAccess } from '#app/insight/drawer.svelte.ts';
import type { FoundPost } from '#app/insight/found.ts';

type Ask = Parameters<PostAccess['find']>[0];

/** A source of given Posts that answers as search does, when it is let. */
export class PostSource implements PostAccess {
  readonly asked: Ask[] = [];
  /** USD a Post; 0 is free. */
  each = 0;
  /** Answers wait for {@link answer} where set. */
  held = false;
  fault: Error | null = null;
  readonly #posts: readonly FoundPost[];
  readonly #waiting: (() => void)[] = [];

  constructor(posts: readonly FoundPost[]) {
    this.#posts = posts.toSorted((a, b) => b.at - a.at);
  }

  readonly price: PostAccess['price'] = (most) =>
    this.each > 0 ? { posts: most, money: most * this.each } : null;

  readonly find: PostAccess['find'] = async (ask, signal) => {
    this.asked.push(ask);
    if (this.held) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.fault) throw this.fault;
    signal.throwIfAborted();
    const { span, next, most = 10 } = ask;
    const all = this.#posts.filter(({ at }) => at >= span.start && at < span.end);
    const from = Number(next ?? 0);
    const posts = all.slice(from, from + most);
    return { posts, next: from + most < all.length ? String(from + most) : null };
  };

  /** Lets every answer go that waits. */
  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Posts evenly over a time, each with the text of its place. */
export function posts(
  count: number,
  start: number,
  end: number,
  text: (i: number) => string,
): FoundPost[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${start}-${i}`,
    at: Math.floor(start + ((end - start) * i) / count),
    text: text(i),
    lang: 'en',
    author: { name: `Author ${i % 7}`, username: `author${i % 7}` },
    reposts: i % 3,
    likes: i % 2 === 0 ? i : null,
  }));
}
