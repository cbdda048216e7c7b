import { expect } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS } from '#core/time/span.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { numbers } from '#tests/server/index/corpus.ts';

const START = Date.UTC(2017, 2, 1);
const DAYS = 40;
const SPAN = { start: START, end: START + DAYS * DAY_MS };
const WORDS = [
  'cat',
  'dog',
  'bird',
  'Kätzchen',
  '東京',
  '#news',
  '@ann',
  '$AB',
  '🎉',
  'https://x.io/a',
];
const LANGS = ['en', 'de', 'ja'];

/** Queries over the words of {@link makePost}, of every kind that is counted differently. */
const QUERIES = [
  'cat',
  '"cat dog"',
  'katzchen OR 京',
  'dog -lang:en',
  'from:u3 has:links',
  '#news 🎉',
];
const CONDITIONS = QUERIES.map((query) => {
  const read = parse(query);
  if (!read.ok) throw new RangeError(`expected a query, got ${query}`);
  return condition(read.ast);
});

/** A Post of invented words at a random time, with the terms of its row. */
export function makePost(id: bigint, pick: ReturnType<typeof numbers>): NewPost {
  const words = Array.from({ length: 1 + pick(5) }, () => WORDS[pick(WORDS.length)]);
  if (pick(40) === 0) words.push(`rare${pick(1000)}`);
  const text = words.join(' ');
  const [username, lang] = [`u${pick(9)}`, LANGS[pick(3)]!];
  return {
    id,
    createdAt: START + pick(DAYS * 86_400) * 1000 + pick(1000),
    authorId: null,
    username,
    text,
    lang,
    rest: null,
    facts: null,
    terms: termsOf({ text, username, lang }),
  };
}

/** The expected counts of a file whose index changes: by day and query, Post by Post. */
export class Expected {
  static readonly conditions = CONDITIONS;
  static readonly span = SPAN;
  readonly posts = new Map<bigint, NewPost>();
  readonly #counts = CONDITIONS.map(() => new Uint32Array(DAYS));

  /** The same counts, which change on their own from now on. */
  copy(): Expected {
    const copy = new Expected();
    for (const [id, post] of this.posts) copy.posts.set(id, post);
    for (const [i, counts] of this.#counts.entries()) copy.#counts[i]!.set(counts);
    return copy;
  }

  add(post: NewPost): void {
    this.remove(post.id);
    this.posts.set(post.id, post);
    this.#count(post, 1);
  }

  remove(id: bigint): void {
    const post = this.posts.get(id);
    if (!post) return;
    this.posts.delete(id);
    this.#count(post, -1);
  }

  #count({ createdAt, terms }: NewPost, by: 1 | -1): void {
    for (const [i, each] of CONDITIONS.entries()) {
      if (match(each, terms)) this.#counts[i]![Math.floor((createdAt - START) / DAY_MS)]! += by;
    }
  }

  /** Counts by day of each of {@link Expected.conditions}, as text. */
  counts(): string[] {
    return this.#counts.map((counts) => String([...counts]));
  }

  /** Compares all answers of a source with the Posts that should be there. */
  compare(source: Source): void {
    source.refresh();
    const { index } = source;
    let [first, last] = [Infinity, -Infinity];
    for (const { createdAt } of this.posts.values()) {
      first = Math.min(first, createdAt);
      last = Math.max(last, createdAt);
    }
    expect({ posts: index.posts, first: index.first, last: index.last }).toEqual({
      posts: this.posts.size,
      first: this.posts.size === 0 ? null : first,
      last: this.posts.size === 0 ? null : last,
    });
    for (const [i, each] of CONDITIONS.entries()) {
      const counts = [...index.histogram(each, SPAN, 'day')];
      expect([QUERIES[i], ...counts]).toEqual([QUERIES[i], ...this.#counts[i]!]);
    }
  }

  /** {@link compare} with a file opened for it. */
  compareFile(file: string, random: (n: number) => Uint8Array): void {
    const source = openSource(file, { random });
    try {
      this.compare(source);
    } finally {
      source.close();
    }
  }
}
