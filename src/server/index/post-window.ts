import type { Span } from '#core/time/span.ts';
import { partsIn } from './frequent-terms.ts';
import type { ChunkPart } from './frequent-terms.ts';
import type { WholeChunk } from './merge.ts';
import { andNot, listed, lowerBound, or } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';

/**
 * The Posts of a span under numbers of their own, so that sets of them are flat arrays. The numbers depend on how Posts
 * lie in chunks; their seconds and ids do not.
 */
export interface PostWindow {
  /** Whole seconds since 1970, by number; also of Posts that are left out. */
  readonly seconds: Uint32Array;
  /** Numbers of the Posts that contain a term, ascending. */
  of(term: string): Uint32Array;
  id(number: number): bigint;
}

/**
 * Opens the Posts of `[span.start, span.end)`, to the second.
 *
 * @param without - Posts with this term are left out, as deleted ones are.
 */
export function postWindow(chunks: readonly WholeChunk[], span: Span, without: string): PostWindow {
  const parts: (ChunkPart & { readonly base: number; readonly hidden: Ordinals })[] = [];
  let total = 0;
  for (const part of partsIn(chunks, span)) {
    const { chunk, from, to } = part;
    parts.push({ ...part, base: total - from, hidden: or([chunk.dead, chunk.list(without)]) });
    total += to - from;
  }
  const seconds = new Uint32Array(total);
  for (const { chunk, from, to, base } of parts) {
    seconds.set(chunk.times().subarray(from, to), base + from);
  }
  const of: PostWindow['of'] = (term) => {
    const found = parts.map(({ chunk, from, to, base, hidden }) => {
      const list = chunk.list(term);
      if (list.length === 0) return new Uint32Array(0);
      const shown = listed(hidden.length === 0 ? list : andNot(list, hidden));
      const some = shown.subarray(lowerBound(shown, from), lowerBound(shown, to));
      return Uint32Array.from(some, (ordinal) => base + ordinal);
    });
    const out = new Uint32Array(found.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const some of found) {
      out.set(some, at);
      at += some.length;
    }
    return out;
  };
  return {
    seconds,
    of,
    id: (number) => {
      const part = parts.findLast(({ base, from }) => base + from <= number)!;
      return part.chunk.ids()[number - part.base]!;
    },
  };
}
