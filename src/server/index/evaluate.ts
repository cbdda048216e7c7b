import { areaPrefixes, contains, type Area } from '#core/query/area.ts';
import type { Condition, PostSet } from '#core/query/ast.ts';
import { boxOfTerm } from '#core/text/geo.ts';
import type { Chunk } from './chunk.ts';
import { and, andNot, below, lowerBound, NONE, or, pack, type Ordinals } from './ordinals.ts';
import { finish, NEVER, type Due, type Steps } from './steps.ts';
import { phraseWithin } from './phrase.ts';

/** The living Posts of a chunk that meet a condition. Exact for any nesting of negations. */
export function evaluate(condition: Condition, chunk: Chunk): Ordinals {
  return finish(evaluateSteps(condition, chunk, NEVER));
}

/** {@link evaluate} in steps: a query of 4,096 characters may take tenths of a second in one chunk. */
export function* evaluateSteps(condition: Condition, chunk: Chunk, due: Due): Steps<Ordinals> {
  const found =
    condition.kind === 'term' ? chunk.list(condition.term) : yield* meet(condition, chunk, due);
  return chunk.dead.length === 0 || found.length === 0 ? found : andNot(found, chunk.dead);
}

function* meet(condition: Condition, chunk: Chunk, due: Due): Steps<Ordinals> {
  switch (condition.kind) {
    case 'term':
      return chunk.list(condition.term);
    case 'phrase':
      return yield* phraseWithin(condition.field, condition.tokens, chunk, due);
    case 'within':
      return yield* within(condition.area, chunk, due);
    case 'posts':
      return yield* chosen(condition.posts, chunk, due);
    case 'not':
      return andNot(below(chunk.n), yield* meet(condition.of, chunk, due));
    case 'any':
      return yield* meetAny(condition.of, chunk, due);
    case 'all':
      return yield* meetAll(condition.of, chunk, due);
  }
}

/** A growing union. Bounds how many of a thousand sets are in memory. */
class Union {
  static readonly #MAX = 64;
  #sets: Ordinals[] = [];

  add(set: Ordinals): void {
    if (set.length === 0) return;
    this.#sets.push(set);
    if (this.#sets.length === Union.#MAX) this.#sets = [or(this.#sets)];
  }

  get all(): Ordinals {
    return or(this.#sets);
  }
}

function* meetAny(conditions: readonly Condition[], chunk: Chunk, due: Due): Steps<Ordinals> {
  const union = new Union();
  for (const each of conditions) {
    union.add(each.kind === 'term' ? chunk.list(each.term) : yield* meet(each, chunk, due));
    if (due()) yield;
  }
  return union.all;
}

/** Those of some Posts that a chunk has. */
function* chosen({ ids, seconds }: PostSet, chunk: Chunk, due: Due): Steps<Ordinals> {
  const from = lowerBound(seconds, Math.floor(chunk.first / 1000));
  const to = lowerBound(seconds, Math.floor(chunk.last / 1000) + 1, from);
  if (from === to) return NONE;
  const times = chunk.times();
  const names = chunk.ids();
  const found: number[] = [];
  for (let i = from; i < to; i++) {
    const second = seconds[i]!;
    for (let o = lowerBound(times, second); times[o] === second; o++) {
      if (names[o] === ids[i]) found.push(o);
    }
    if (due()) yield;
  }
  return pack(Uint16Array.from(found).sort());
}

/** Compares every box of the chunk's Posts once, if its latitude is relevant. */
function* within(area: Area, chunk: Chunk, due: Due): Steps<Ordinals> {
  const union = new Union();
  for (const prefix of areaPrefixes(area)) {
    for (const term of chunk.termsFrom(prefix)) {
      if (contains(area, boxOfTerm(term))) union.add(chunk.list(term));
      if (due()) yield;
    }
  }
  return union.all;
}

/**
 * Terms first (they cost one look-up, and an absent one ends it), shortest first; then the rest; then
 * exclusions.
 */
function* meetAll(conditions: readonly Condition[], chunk: Chunk, due: Due): Steps<Ordinals> {
  const lists: Ordinals[] = [];
  const groups: Condition[] = [];
  const phrases: Condition[] = [];
  const excluded: Condition[] = [];
  for (const condition of conditions) {
    if (condition.kind === 'term') {
      const list = chunk.list(condition.term);
      if (list.length === 0) return NONE;
      lists.push(list);
      if (due()) yield;
    } else if (condition.kind === 'not') excluded.push(condition.of);
    else if (condition.kind === 'phrase') phrases.push(condition);
    else groups.push(condition);
  }
  // A bitmap has 2,048 words and represents at least twice as many ordinals.
  const weight = (set: Ordinals): number => (set instanceof Uint32Array ? 65_536 : set.length);
  lists.sort((a, b) => weight(a) - weight(b));
  let found: Ordinals | undefined;
  for (const list of lists) found = found ? and(found, list) : list;
  for (const condition of [...groups, ...phrases]) {
    if (found?.length === 0) return NONE;
    const next = yield* meet(condition, chunk, due);
    found = found ? and(found, next) : next;
    if (due()) yield;
  }
  found ??= below(chunk.n);
  for (const condition of excluded) {
    if (found.length === 0) return NONE;
    found = andNot(found, yield* meet(condition, chunk, due));
    if (due()) yield;
  }
  return found;
}

/** The Posts of a set that meet a condition; for a phrase, this costs less than {@link evaluateSteps} if they are few. */
export function* evaluateAmong(
  posts: Ordinals,
  condition: Condition,
  chunk: Chunk,
  due: Due,
): Steps<Ordinals> {
  if (posts.length === 0) return NONE;
  if (condition.kind !== 'phrase') return and(posts, yield* meet(condition, chunk, due));
  return and(posts, yield* phraseWithin(condition.field, condition.tokens, chunk, due, posts));
}
