import type { Ast, Condition } from '#core/query/ast.ts';
import { readPart, type QueryPart } from '#core/query/clause.ts';
import { DECISIVE, leastPosts, likelihoodOf } from '#core/text/keyness.ts';
import { evaluateAmong } from '#server/index/evaluate.ts';
import { size } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { TermCounts } from '#server/index/term-counts.ts';
import { total, type ChunkPosts } from '#server/index/chunk-posts.ts';

/** Posts, and those that they are compared with. */
export interface Sets {
  readonly now: readonly ChunkPosts[];
  readonly before: readonly ChunkPosts[];
  readonly posts: number;
  readonly postsBefore: number;
}

export function setsOf(now: readonly ChunkPosts[], before: readonly ChunkPosts[]): Sets {
  return { now, before, posts: total(now), postsBefore: total(before) };
}

/** A question about a source: its Posts that meet a condition. */
export interface AnalysisSubject {
  /** Null for all Posts. */
  readonly ast: Ast | null;
  readonly condition: Condition;
  /** Most items of a list. */
  readonly limit: number;
}

/** The fewest Posts of a word that can be distinctive. */
export function leastDistinctive({ posts, postsBefore }: Sets): number {
  return leastPosts(posts, postsBefore, DECISIVE);
}

/** Log-likelihood of an entry that is more frequent than in the Posts compared with, beyond chance; else null. */
export function distinctiveness(
  { posts, postsBefore }: Sets,
  counts: TermCounts,
  entry: number,
): number | null {
  const [n, before] = [counts.posts[entry]!, counts.before[entry]!];
  if (n * postsBefore <= before * posts) return null;
  const likelihood = likelihoodOf({ posts: n, all: posts }, { posts: before, all: postsBefore });
  return likelihood > DECISIVE ? likelihood : null;
}

/** Orders entries with the same figure, whatever the chunks. */
export function byKeys({ keys }: TermCounts, a: number, b: number): number {
  return keys[a * 2]! - keys[b * 2]! || keys[a * 2 + 1]! - keys[b * 2 + 1]!;
}

/**
 * The entries of at least so many Posts, most frequent first. It sorts a few at a time: usually only the first are
 * wanted, and most are rare.
 */
export function* mostFrequent(counts: TermCounts, least: number): Generator<number> {
  const { posts, size } = counts;
  let below = Infinity;
  for (let from = posts.subarray(0, size).reduce((most, n) => Math.max(most, n), 0); from > 0;) {
    from = Math.max(least, Math.ceil(from / 2));
    const found: number[] = [];
    for (let entry = 0; entry < size; entry++) {
      const n = posts[entry]!;
      if (n >= from && n < below) found.push(entry);
    }
    yield* found.sort((a, b) => posts[b]! - posts[a]! || byKeys(counts, a, b));
    if (from === least) return;
    below = from;
  }
}

/** An entry that is distinctive. */
export interface Distinctive {
  readonly entry: number;
  readonly likelihood: number;
}

/** The distinctive entries, most distinctive first. */
export function mostDistinctive(sets: Sets, counts: TermCounts): Distinctive[] {
  const least = leastDistinctive(sets);
  const found: Distinctive[] = [];
  for (let entry = 0; entry < counts.size; entry++) {
    if (counts.posts[entry]! < least) continue;
    const likelihood = distinctiveness(sets, counts, entry);
    if (likelihood !== null) found.push({ entry, likelihood });
  }
  return found.sort((a, b) => b.likelihood - a.likelihood || byKeys(counts, a.entry, b.entry));
}

/** The members that every item has. */
export function itemOf(name: string, part: QueryPart, posts: number, all: number) {
  // 0 ÷ 0 is given as 0.
  const share = all === 0 ? 0 : posts / all;
  return { name, clause: part.text, alone: part.alone, posts, share };
}

/** {@link itemOf} of an entry that is compared. */
export function comparedItem(
  name: string,
  part: QueryPart,
  sets: Sets,
  counts: TermCounts,
  entry: number,
) {
  const { posts, postsBefore } = sets;
  return {
    ...itemOf(name, part, counts.posts[entry]!, posts),
    expected: postsBefore === 0 ? null : (counts.before[entry]! * posts) / postsBefore,
    likelihood: distinctiveness(sets, counts, entry),
  };
}

/** The number of the Posts that meet a condition, in steps. */
export function* countAmong(
  parts: readonly ChunkPosts[],
  condition: Condition,
  due: Due,
): Steps<number> {
  let n = 0;
  for (const { chunk, posts } of parts) {
    if (due()) yield;
    n += size(yield* evaluateAmong(posts, condition, chunk, due));
  }
  return n;
}

/** A part of a query that is known to be one. */
export function partOf(text: string): QueryPart {
  const part = readPart(text);
  if (part) return part;
  throw new RangeError(`expected a part of a query, got ${text}`);
}
