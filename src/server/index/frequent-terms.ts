import type { Span } from '#core/time/span.ts';
import { firstFrom } from './histogram.ts';
import type { WholeChunk } from './merge.ts';
import { bitsBetween, lowerBound, type Ordinals } from './ordinals.ts';
import type { Due, Steps } from './steps.ts';

/** The Posts of a chunk in a span, as ordinals `[from, to)`. */
export interface ChunkPart {
  readonly chunk: WholeChunk;
  readonly from: number;
  readonly to: number;
}

/** The parts of chunks with Posts in `[span.start, span.end)`, to the second. */
export function partsIn(chunks: readonly WholeChunk[], span: Span): ChunkPart[] {
  const start = Math.floor(span.start / 1000);
  const end = Math.floor(span.end / 1000);
  return chunks.flatMap((chunk) => {
    if (Math.floor(chunk.last / 1000) < start || Math.floor(chunk.first / 1000) >= end) return [];
    const seconds = chunk.seconds();
    const part = { chunk, from: firstFrom(seconds, start), to: firstFrom(seconds, end) };
    return part.from < part.to ? [part] : [];
  });
}

/** Number of ordinals of a set in `[from, to)`. */
function sizeWithin(set: Ordinals, from: number, to: number): number {
  if (set instanceof Uint32Array) return bitsBetween(set, from, to);
  return lowerBound(set, to) - lowerBound(set, from);
}

/** A term: its Posts where they were counted, and the shares of those chunks. */
interface Seen {
  posts: number;
  shares: number;
}

/**
 * Finds the terms that may be in at least so many Posts of a span, in steps and without reading a Post.
 *
 * A term that fewer Posts of each chunk contain than the chunk's share of `least` is in fewer than `least` of all, so
 * each chunk is searched for its share alone: memory is bounded by the number of frequent terms, and the rare ones,
 * which are most, are not read.
 *
 * @param accepts - True for the terms that are sought.
 * @returns Every such term, and some that are slightly rarer; which ones depends on how Posts lie in chunks.
 */
export function* frequentTerms(
  chunks: readonly WholeChunk[],
  span: Span,
  least: number,
  accepts: (term: string) => boolean,
  due: Due,
): Steps<string[]> {
  const parts = partsIn(chunks, span);
  const all = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  const shareOf = ({ from, to }: ChunkPart): number =>
    Math.max(1, Math.ceil((least * (to - from)) / all));
  const found = new Map<string, Seen>();
  const known = new Map<string, boolean>();
  const isSought = (term: string): boolean => {
    const is = known.get(term) ?? accepts(term);
    known.set(term, is);
    return is;
  };
  for (const part of parts) {
    const { chunk, from, to } = part;
    const share = shareOf(part);
    for (const { term, list } of chunk.lists(share, isSought)) {
      if (due()) yield;
      const posts = sizeWithin(list, from, to);
      if (posts < share) continue;
      const seen = found.get(term) ?? { posts: 0, shares: 0 };
      seen.posts += posts;
      seen.shares += share - 1;
      found.set(term, seen);
    }
  }
  // Where a term was not counted, fewer Posts than the chunk's share contain it.
  const shares = parts.reduce((sum, part) => sum + shareOf(part) - 1, 0);
  return [...found].flatMap(([term, seen]) =>
    seen.posts + shares - seen.shares >= least ? [term] : [],
  );
}
