import { HOUR_MS, type Span } from '#core/time/span.ts';
import { partsIn, type ChunkPart } from './frequent-terms.ts';
import { firstFrom } from './histogram.ts';
import type { WholeChunk } from './merge.ts';
import { andNot, listed, lowerBound, or, type Ordinals } from './ordinals.ts';

/**
 * The Posts of a span under numbers of their own, so that sets of them are flat arrays. The numbers depend on how Posts
 * lie in chunks; their seconds and ids do not.
 */
export type PostWindow = ReturnType<typeof postWindow>;

/** A part of a chunk, and which of its Posts are left out. */
interface ShownPart extends ChunkPart {
  readonly hidden: Ordinals;
}

function shownParts(
  chunks: readonly WholeChunk[],
  span: Span,
  without: readonly string[],
): ShownPart[] {
  return partsIn(chunks, span).map((part) => {
    const { chunk } = part;
    return { ...part, hidden: or([chunk.dead, ...chunk.listsOf(without)]) };
  });
}

/** The Posts of a part that contain each of some terms. */
function listsIn({ chunk, from, to, hidden }: ShownPart, terms: readonly string[]): Uint16Array[] {
  return chunk.listsOf(terms).map((list) => {
    const shown = listed(hidden.length === 0 ? list : andNot(list, hidden));
    return shown.subarray(lowerBound(shown, from), lowerBound(shown, to));
  });
}

/**
 * Opens the Posts of `[span.start, span.end)`, to the second.
 *
 * @param without - Posts with one of these terms are left out, as deleted ones are.
 */
export function postWindow(chunks: readonly WholeChunk[], span: Span, without: readonly string[]) {
  const parts: (ShownPart & { readonly base: number })[] = [];
  let total = 0;
  for (const part of shownParts(chunks, span, without)) {
    const { from, to } = part;
    parts.push({ ...part, base: total - from });
    total += to - from;
  }
  const seconds = new Uint32Array(total);
  for (const { chunk, from, to, base } of parts) {
    seconds.set(chunk.times().subarray(from, to), base + from);
  }
  return {
    /** Whole seconds since 1970, by number; also of Posts that are left out. */
    seconds,
    /** Numbers of the Posts that contain each of some terms, ascending. */
    of: (terms: readonly string[]): Uint32Array[] => {
      const found = parts.map((part) => listsIn(part, terms));
      return terms.map((_, t) => {
        const out = new Uint32Array(found.reduce((sum, lists) => sum + lists[t]!.length, 0));
        let at = 0;
        for (const [p, { base }] of parts.entries()) {
          const list = found[p]![t]!;
          for (let i = 0; i < list.length; i++) out[at++] = base + list[i]!;
        }
        return out;
      });
    },
    id: (number: number): bigint => {
      const part = parts.findLast(({ base, from }) => base + from <= number)!;
      return part.chunk.ids()[number - part.base]!;
    },
  };
}

/**
 * Counts Posts per hour.
 *
 * Counts the Posts of `[span.start, span.end)` in each of its hours, to the second.
 *
 * @param span - Begins with a whole hour.
 * @param without - As in {@link postWindow}.
 */
export function hourCounter(chunks: readonly WholeChunk[], span: Span, without: readonly string[]) {
  const hours = Math.ceil((span.end - span.start) / HOUR_MS);
  const parts = shownParts(chunks, span, without).map((part) => {
    const seconds = part.chunk.seconds();
    const hourOf = (ordinal: number): number =>
      Math.floor((seconds.words[ordinal]! * 1000 - span.start) / HOUR_MS);
    const [first, last] = [hourOf(part.from), hourOf(part.to - 1)];
    // The positions at which the next hour begins.
    const ends = Uint32Array.from({ length: last - first + 1 }, (_, i) =>
      firstFrom(seconds, (span.start + (first + i + 1) * HOUR_MS) / 1000, part.from, part.to),
    );
    return { ...part, first, ends };
  });
  return {
    /** All Posts in each hour of the span. */
    all: (): Float64Array => {
      const counts = new Float64Array(hours);
      for (const { from, to, hidden, first, ends } of parts) {
        let before = from;
        for (const [hour, end] of ends.entries()) {
          counts[first + hour]! += end - before;
          before = end;
        }
        let hour = 0;
        for (const ordinal of listed(hidden)) {
          if (ordinal < from || ordinal >= to) continue;
          while (ordinal >= ends[hour]!) hour++;
          counts[first + hour]!--;
        }
      }
      return counts;
    },
    /** Posts that contain each of some terms, in each hour of the span. */
    of: (terms: readonly string[]): Float64Array[] => {
      const counts = terms.map(() => new Float64Array(hours));
      for (const part of parts) {
        const { first, ends } = part;
        for (const [t, list] of listsIn(part, terms).entries()) {
          const of = counts[t]!;
          let hour = 0;
          for (let i = 0; i < list.length; i++) {
            const ordinal = list[i]!;
            while (ordinal >= ends[hour]!) hour++;
            of[first + hour]!++;
          }
        }
      }
      return counts;
    },
  };
}
