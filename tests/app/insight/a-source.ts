import type { PostAccess } from '#app/insight/drawer/drawer.svelte.ts';
import type { SearchedPost } from '#app/api/search-api.ts';

type SearchRequest = Parameters<PostAccess['find']>[0];

/** Searches given Posts. Tests can pause its answers, and make them fail or cost money. */
export class PostSource implements PostAccess {
  readonly requests: SearchRequest[] = [];
  /** USD per Post; 0 is free. */
  postPrice = 0;
  /** While true, answers wait for {@link answer}. */
  paused = false;
  fault: Error | null = null;
  /** A priced source ranks nothing. */
  readonly rank: PostAccess['rank'] = null;
  readonly all: readonly SearchedPost[];
  readonly #waiting: (() => void)[] = [];

  constructor(posts: readonly SearchedPost[]) {
    this.all = posts.toSorted((a, b) => b.at - a.at);
  }

  readonly price: PostAccess['price'] = (most) =>
    this.postPrice > 0 ? { posts: most, money: most * this.postPrice } : null;

  readonly find: PostAccess['find'] = async (request, signal) => {
    this.requests.push(request);
    if (this.paused) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.fault) throw this.fault;
    signal.throwIfAborted();
    const { span, next, max = 10 } = request;
    const all = this.all.filter(({ at }) => at >= span.start && at < span.end);
    const from = Number(next ?? 0);
    const posts = all.slice(from, from + max);
    return { posts, next: from + max < all.length ? String(from + max) : null };
  };

  /** Releases all waiting answers. */
  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Posts at even intervals from start to end, with texts by index. */
export function posts(
  count: number,
  start: number,
  end: number,
  text: (i: number) => string,
): SearchedPost[] {
  return Array.from({ length: count }, (_, i) => ({
    id: `${start}-${i}`,
    at: Math.floor(start + ((end - start) * i) / count),
    text: text(i),
    lang: 'en',
    author: { name: `Author ${i % 7}`, username: `author${i % 7}` },
    url: `https://x.com/author${i % 7}/status/${i}`,
    reposts: i % 3,
    likes: i % 2 === 0 ? i : null,
    replies: null,
    raw: {
      id: `${start}-${i}`,
      text: text(i),
      created_at: new Date(start).toISOString(),
      author_id: String(i % 7),
    },
  }));
}
