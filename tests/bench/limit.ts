import type { PostTerms } from '#core/text/post.ts';
import { holds } from '#tests/server/index/corpus.ts';
import { bucketsOf, firstFrom } from './engine.ts';
import type { Engine } from './engine.ts';
import type { GeneratedPost } from './posts.ts';
import type { Query } from './queries.ts';

/** What each query matches, found by looking at every Post. */
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
    const second = Math.floor(post.createdAt / 1000);
    this.times[this.#posts++] = second;
    const flags = [`from:${post.author}`, `lang:${post.lang}`];
    if (post.isRetweet) flags.push('is:retweet');
    const terms: PostTerms = { words: post.words, urlWords: [], flags };
    for (const [query, seconds] of this.#matched) {
      if (holds(query.condition, terms)) seconds.push(second);
    }
  }

  /** Seconds of the Posts that a query matches, ascending. */
  secondsOf(query: Query): Uint32Array {
    return Uint32Array.from(this.#matched.get(query) ?? []);
  }
}

/**
 * The least that any engine does which adds hit by hit: the seconds of the Posts that match lie in memory
 * and are added to a histogram. Its answers are the truth that the others are held to.
 */
export function limit(truth: Truth, queries: readonly Query[]): Engine {
  const matched = new Map(queries.map((query) => [query.condition, truth.secondsOf(query)]));
  return {
    name: 'limit',
    ask: async (question) => {
      const { first, width, count } = bucketsOf(question);
      const all = matched.get(question.condition);
      if (!all) throw new RangeError('expected a condition of the queries given, got another');
      const seconds = all.subarray(
        firstFrom(all, question.span.start / 1000),
        firstFrom(all, question.span.end / 1000),
      );
      return () => {
        const counts = new Uint32Array(count);
        for (let i = 0; i < seconds.length; i++) counts[((seconds[i]! - first) / width) >>> 0]!++;
        return counts;
      };
    },
    close: () => {},
  };
}
