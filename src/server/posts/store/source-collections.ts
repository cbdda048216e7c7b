import { collectionTerm } from '#core/text/collection.ts';
import { label } from '#core/text/label.ts';
import type { Condition } from '#core/query/ast.ts';
import type { Span } from '#core/time/span.ts';
import { extent, histogramSteps } from '#server/index/counting.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { andNot, below, NONE, or, type Ordinals } from '#server/index/ordinals.ts';
import type { Due, Steps } from '#server/index/steps.ts';
import type { Collection } from './collections.ts';

/** A collection and what is in it. */
export interface FilledCollection extends Collection {
  /** Posts in it, whether they count or not. */
  readonly posts: number;
  /** Instants of its first and last Post, epoch ms; null if it has none. */
  readonly firstAt: number | null;
  readonly lastAt: number | null;
}

/**
 * Posts of each chunk that do not count for now, and for which collections that holds. All states of a chunk have the same
 * `times`, and a chunk never changes, so the next state need not look them up again.
 */
type Hidden = ReadonlyMap<WholeChunk['times'], { readonly key: string; readonly posts: Ordinals }>;

/** Collections at one state of a source, which decide what counts. */
export type SourceCollections = ReturnType<typeof sourceCollections>;

const termOf = (id: number): Condition => ({ kind: 'term', term: collectionTerm(id) });

/** Posts of a chunk that are in a collection that does not count, and in none that does. */
function hiddenIn(
  chunk: WholeChunk,
  out: readonly number[],
  counting: readonly number[],
): Ordinals {
  const left = or(out.map((id) => chunk.list(collectionTerm(id))));
  if (left.length === 0) return NONE;
  return andNot(left, or(counting.map((id) => chunk.list(collectionTerm(id)))));
}

/**
 * Applies collections to the chunks of a source.
 *
 * @param all - Removed ones included.
 * @param before - The Posts that the state before found hidden.
 */
export function sourceCollections(
  all: readonly Collection[],
  chunks: readonly WholeChunk[],
  before: Hidden,
) {
  const existing = all.filter(({ removedAt }) => removedAt === null);
  const numbers = new Map(existing.map(({ id, name }) => [label(name), id]));
  const counting = existing.filter(({ included }) => included).map(({ id }) => id);
  const out = all.map(({ id }) => id).filter((id) => !counting.includes(id));
  // A collection that is new has no Post in a chunk that is not.
  const key = out.join();
  const hidden = new Map<WholeChunk['times'], { readonly key: string; readonly posts: Ordinals }>();
  const shown = chunks.map((chunk) => {
    if (out.length === 0) return chunk;
    const known = before.get(chunk.times);
    const posts = known?.key === key ? known.posts : hiddenIn(chunk, out, counting);
    hidden.set(chunk.times, { key, posts });
    return posts.length === 0 ? chunk : { ...chunk, dead: or([chunk.dead, posts]) };
  });
  return {
    /** All chunks, with the Posts that do not count for now as deleted ones. */
    shown,
    hidden,
    /** Those that can be restored. */
    removed: all.filter(({ removedAt }) => removedAt !== null),
    /** Number of the collection with a name, as queries compare names; null if there is none. */
    named: (name: string): number | null => numbers.get(label(name)) ?? null,
    /** True if Posts of some collections count: they are in one that is switched in, or in none. */
    counts: (ids: readonly number[]): boolean =>
      ids.length === 0 || ids.some((id) => counting.includes(id)),
    /** The collections with their Posts, in steps. */
    *filled(due: Due): Steps<FilledCollection[]> {
      const filled: FilledCollection[] = [];
      for (const collection of existing) {
        const parts: WholeChunk[] = [];
        for (const chunk of chunks) {
          if (due()) yield;
          const list = chunk.list(collectionTerm(collection.id));
          if (list.length === 0) continue;
          parts.push({ ...chunk, dead: or([chunk.dead, andNot(below(chunk.n), list)]) });
        }
        const { posts, first, last } = extent(parts);
        filled.push({ ...collection, posts, firstAt: first, lastAt: last });
      }
      return filled;
    },
    /** Posts of a span that meet a condition and are in a collection and in no other one that counts, in steps. */
    *alone(id: number, condition: Condition, span: Span, due: Due): Steps<number> {
      const others = counting.filter((other) => other !== id).map(termOf);
      const only: Condition = {
        kind: 'all',
        of: [condition, termOf(id), { kind: 'not', of: { kind: 'any', of: others } }],
      };
      const counts = yield* histogramSteps(chunks, only, span, 'day', {}, due);
      return counts.reduce((sum, n) => sum + n, 0);
    },
  };
}
