import type { PostTerms } from '#core/text/post.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import type { ReadBatch } from './reading.ts';

/**
 * A {@link ReadBatch} for transfer from the reading thread to the writing one: large parts are in a few
 * flat arrays, and every term of the block appears once. So the writer gets the same string for the
 * same term, with a known hash, instead of some 25 new strings per Post.
 */
export interface PackedReading extends Omit<ReadBatch, 'posts'> {
  readonly ids: BigInt64Array<ArrayBuffer>;
  /** Epoch ms. */
  readonly times: Float64Array<ArrayBuffer>;
  readonly texts: readonly string[];
  readonly rests: readonly (string | null)[];
  readonly facts: readonly (string | null)[];
  /** For each Post the numbers of username, author id and lang in `values`; 0 for null. */
  readonly authors: Uint32Array<ArrayBuffer>;
  readonly values: readonly string[];
  readonly terms: readonly string[];
  /** Terms of all Posts by number, and for each Post the ends of its words, url words and flags. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
}

class Numbering {
  readonly values: string[];
  readonly #numberOf = new Map<string, number>();

  constructor(first: string[]) {
    this.values = first;
  }

  number(value: string): number {
    let number = this.#numberOf.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numberOf.set(value, number);
    }
    return number;
  }
}

function termCount({ words, urlWords, flags }: PostTerms): number {
  return words.length + urlWords.length + flags.length;
}

export function packReading(reading: ReadBatch): {
  packed: PackedReading;
  transfer: ArrayBuffer[];
} {
  const { posts } = reading;
  const terms = new Numbering([]);
  const values = new Numbering(['']);
  const value = (text: string | null): number => (text === null ? 0 : values.number(text));
  const numbers = new Uint32Array(posts.reduce((sum, post) => sum + termCount(post.terms), 0));
  const ends = new Uint32Array(posts.length * 3);
  const authors = new Uint32Array(posts.length * 3);
  const ids = new BigInt64Array(posts.length);
  const times = new Float64Array(posts.length);
  let used = 0;
  for (let i = 0; i < posts.length; i++) {
    const post = posts[i]!;
    ids[i] = post.id;
    times[i] = post.createdAt;
    authors[i * 3] = value(post.username);
    authors[i * 3 + 1] = value(post.authorId);
    authors[i * 3 + 2] = value(post.lang);
    for (const word of post.terms.words) numbers[used++] = terms.number(word);
    ends[i * 3] = used;
    for (const word of post.terms.urlWords) numbers[used++] = terms.number(word);
    ends[i * 3 + 1] = used;
    for (const flag of post.terms.flags) numbers[used++] = terms.number(flag);
    ends[i * 3 + 2] = used;
  }
  const { file, kind, bytesRead, bytesTotal } = reading;
  const { objects, relations, requests, figures, refused } = reading;
  return {
    packed: {
      file,
      kind,
      bytesRead,
      bytesTotal,
      objects,
      relations,
      requests,
      figures,
      refused,
      ids,
      times,
      texts: posts.map((post) => post.text),
      rests: posts.map((post) => post.rest),
      facts: posts.map((post) => post.facts),
      authors,
      values: values.values,
      terms: terms.values,
      numbers,
      ends,
    },
    transfer: [ids.buffer, times.buffer, authors.buffer, numbers.buffer, ends.buffer],
  };
}

export function unpackReading(packed: PackedReading): ReadBatch {
  const { file, kind, bytesRead, bytesTotal } = packed;
  const { objects, relations, requests, figures, refused } = packed;
  const { ids, times, texts, rests, facts, authors, values, terms, numbers, ends } = packed;
  const value = (at: number): string | null => (authors[at] === 0 ? null : values[authors[at]!]!);
  const list = (from: number, to: number): string[] => {
    const out: string[] = [];
    for (let k = from; k < to; k++) out.push(terms[numbers[k]!]!);
    return out;
  };
  const posts: NewPost[] = [];
  let from = 0;
  for (let i = 0; i < ids.length; i++) {
    const at = i * 3;
    const wordsEnd = ends[at]!;
    const urlsEnd = ends[at + 1]!;
    const flagsEnd = ends[at + 2]!;
    posts.push({
      id: ids[i]!,
      createdAt: times[i]!,
      username: value(at),
      authorId: value(at + 1),
      lang: value(at + 2),
      text: texts[i]!,
      rest: rests[i]!,
      facts: facts[i]!,
      terms: {
        words: list(from, wordsEnd),
        urlWords: list(wordsEnd, urlsEnd),
        flags: list(urlsEnd, flagsEnd),
      },
    });
    from = flagsEnd;
  }
  const parts = { posts, objects, relations, requests, figures, refused };
  return { file, kind, bytesRead, bytesTotal, ...parts };
}
