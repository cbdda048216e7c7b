import { areaPrefixes, contains } from '#core/query/area.ts';
import type { Area } from '#core/query/area.ts';
import type { Condition } from '#core/query/ast.ts';
import { boxOfTerm } from '#core/text/geo.ts';
import { urlTerm } from './chunk.ts';
import type { Chunk } from './chunk.ts';
import { and, andNot, below, NONE, or } from './ordinals.ts';
import type { Ordinals } from './ordinals.ts';
import { beside, postsBeside, postsOf } from './spots.ts';

/** The Posts of a chunk that meet a condition, the dead ones left out. Exact for any nesting of negations. */
export function evaluate(condition: Condition, chunk: Chunk): Ordinals {
  const found = meet(condition, chunk);
  return chunk.dead.length === 0 || found.length === 0 ? found : andNot(found, chunk.dead);
}

function meet(condition: Condition, chunk: Chunk): Ordinals {
  switch (condition.kind) {
    case 'term':
      return chunk.list(condition.term);
    case 'phrase':
      return phrase(condition.field, condition.tokens, chunk);
    case 'within':
      return within(condition.area, chunk);
    case 'not':
      return andNot(below(chunk.n), meet(condition.of, chunk));
    case 'any':
      return or(condition.of.map((each) => meet(each, chunk)));
    case 'all':
      return meetAll(condition.of, chunk);
  }
}

/** Every box that the chunk's Posts have is looked at once, if its latitude comes into question. */
function within(area: Area, chunk: Chunk): Ordinals {
  const terms = areaPrefixes(area).flatMap((prefix) => chunk.termsFrom(prefix));
  const inside = terms.filter((term) => contains(area, boxOfTerm(term)));
  return or(inside.map((term) => chunk.list(term)));
}

/** Terms first (they cost one look-up, and an absent one ends it), shortest first; then the rest; then what is excluded. */
function meetAll(conditions: readonly Condition[], chunk: Chunk): Ordinals {
  const lists: Ordinals[] = [];
  const groups: Condition[] = [];
  const phrases: Condition[] = [];
  const excluded: Condition[] = [];
  for (const condition of conditions) {
    if (condition.kind === 'term') {
      const list = chunk.list(condition.term);
      if (list.length === 0) return NONE;
      lists.push(list);
    } else if (condition.kind === 'not') excluded.push(condition.of);
    else if (condition.kind === 'phrase') phrases.push(condition);
    else groups.push(condition);
  }
  // A bitmap has 2,048 words and stands for at least twice as many ordinals.
  const weight = (set: Ordinals): number => (set instanceof Uint32Array ? 65_536 : set.length);
  lists.sort((a, b) => weight(a) - weight(b));
  let found: Ordinals | undefined;
  for (const list of lists) found = found ? and(found, list) : list;
  for (const condition of [...groups, ...phrases]) {
    if (found?.length === 0) return NONE;
    const next = meet(condition, chunk);
    found = found ? and(found, next) : next;
  }
  found ??= below(chunk.n);
  for (const condition of excluded) {
    if (found.length === 0) return NONE;
    found = andNot(found, meet(condition, chunk));
  }
  return found;
}

/**
 * Posts with the tokens at consecutive positions. Starts from the token with the fewest places and looks
 * the others up beside it. A step over a Post's border would need position 65,535, which none has: some
 * token of the phrase would have to stand there.
 */
function phrase(field: 'word' | 'url', tokens: readonly string[], chunk: Chunk): Ordinals {
  const names = field === 'url' ? tokens.map(urlTerm) : tokens;
  // The lists are short beside the places: they say soon that nothing can match.
  let together: Ordinals | undefined;
  for (const name of names) {
    const list = chunk.list(name);
    together = together ? and(together, list) : list;
    if (together.length === 0) return NONE;
  }
  const places: { spots: Uint32Array; offset: number }[] = [];
  for (const [offset, name] of names.entries()) places.push({ spots: chunk.spots(name), offset });
  places.sort((a, b) => a.spots.length - b.spots.length);
  const [rarest, ...others] = places;
  if (!rarest) return below(chunk.n);
  const most = others.pop();
  if (!most) return postsOf(rarest.spots);
  let stands = rarest.spots;
  for (const { spots, offset } of others) {
    stands = beside(stands, spots, offset - rarest.offset);
    if (stands.length === 0) return NONE;
  }
  return postsBeside(stands, most.spots, most.offset - rarest.offset);
}
