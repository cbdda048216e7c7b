import type { PostTerms } from '#core/text/post.ts';
import { holds } from '#tests/server/index/corpus.ts';
import { bucketsOf, firstFrom, type Engine } from './engine.ts';
import type { GeneratedPost } from './posts.ts';
import type { Query } from './queries.ts';

/** The matches of each query, found by checking every Post. */
export class Truth {
  /** Seconds of all Posts, ascending. */
  readonly times: Uint32Array;
  readonly #matched: ReadonlyMap<Query, number[]>;
  #posts = 0;

  constructor(posts: number, queries: readonly Query[]) {
    this.times = new Uint32Array(posts);
    this.#matched = new Map(queries.map((query) => [query, []]));
  }

  add(post: GeneratedPost): void {
    const n = this.#posts++;
    this.times[n] = Math.floor(post.createdAt / 1000);
    const flags = [`from:${post.author}`, `lang:${post.lang}`];
    if (post.isRetweet) flags.push('is:retweet');
    const terms: PostTerms = { words: post.words, urlWords: [], flags };
    for (const [query, posts] of this.#matched) {
      if (holds(query.condition, terms)) posts.push(n);
    }
  }

  /** Numbers of the Posts that a query matches, ascending. */
  postsOf(query: Query): Uint32Array {
    return Uint32Array.from(this.#matched.get(query) ?? []);
  }
}

/**
 * The lower bound for an engine that counts hit by hit: it has the numbers of the matching Posts and the
 * seconds of all Posts in memory, and only looks up each hit's second and adds it to the histogram. Its
 * answers are the truth that the other engines must match.
 */
export function limit(truth: Truth, queries: readonly Query[]): Engine {
  const matched = new Map(queries.map((query) => [query.condition, truth.postsOf(query)]));
  const { times } = truth;
  return {
    name: 'limit',
    ask: async (question) => {
      const { first, width, count } = bucketsOf(question);
      const all = matched.get(question.condition);
      if (!all) throw new RangeError('expected a condition of one of the queries, got another');
      const [from, to] = [question.span.start, question.span.end].map((instant) =>
        firstFrom(all, firstFrom(times, instant / 1000)),
      );
      const posts = all.subarray(from, to);
      return () => {
        const counts = new Uint32Array(count);
        for (let i = 0; i < posts.length; i++) {
          counts[((times[posts[i]!]! - first) / width) >>> 0]!++;
        }
        return counts;
      };
    },
    close: () => {},
  };
}
