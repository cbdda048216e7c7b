import { urlTerm, type Chunk } from './chunk.ts';
import { and, below, NONE, size, smallerForm, type Ordinals } from './ordinals.ts';
import { pairTerm } from './pairs.ts';
import { postsInSequence, type Positions } from './positions.ts';
import type { Due, Steps } from './steps.ts';

/** A token of a phrase, and its offsets in the phrase. */
interface PhraseToken {
  readonly name: string;
  readonly offsets: number[];
  list: Ordinals;
}

function tokensOf(names: readonly string[]): PhraseToken[] {
  const found = new Map<string, PhraseToken>();
  for (const [offset, name] of names.entries()) {
    const known = found.get(name);
    if (known) known.offsets.push(offset);
    else found.set(name, { name, offsets: [offset], list: NONE });
  }
  return [...found.values()];
}

/** The Posts in which each two common words of a phrase follow each other; undefined if it has no such two. */
function pairsWithin(
  names: readonly string[],
  tokens: readonly PhraseToken[],
  chunk: Chunk,
): Ordinals | undefined {
  const common = new Set(
    tokens.flatMap(({ name, list }) => (list instanceof Uint32Array ? [name] : [])),
  );
  let found: Ordinals | undefined;
  for (const [i, name] of names.entries()) {
    const before = names[i - 1];
    if (before === undefined || !common.has(before) || !common.has(name)) continue;
    const list = chunk.list(pairTerm(before, name));
    found = found ? and(found, list) : list;
  }
  return found;
}

/**
 * Posts with the tokens at consecutive positions. First it intersects the Posts that contain each
 * token: these lists are short compared with positions, and usually show early that nothing can match.
 * Two common tokens have a list of the Posts in which they follow each other, which is all that a phrase of
 * two needs. Otherwise it reads positions, from the rarest token on.
 */
export function* phraseWithin(
  field: 'word' | 'url',
  words: readonly string[],
  chunk: Chunk,
  due: Due,
  among?: Ordinals,
): Steps<Ordinals> {
  const names = field === 'url' ? words.map(urlTerm) : words;
  const [first, second] = names;
  if (chunk.hasPairs && names.length === 2) {
    const pair = chunk.list(pairTerm(first!, second!));
    if (pair.length > 0) return among ? and(among, pair) : pair;
  }
  const tokens = tokensOf(names);
  let together = among;
  for (const token of tokens) {
    token.list = chunk.list(token.name);
    together = together ? smallerForm(and(together, token.list)) : token.list;
    if (together.length === 0) return NONE;
    if (due()) yield;
  }
  if (!together) return below(chunk.n);
  const pairs = chunk.hasPairs ? pairsWithin(names, tokens, chunk) : undefined;
  if (pairs) {
    together = smallerForm(and(together, pairs));
    if (together.length === 0) return NONE;
    if (due()) yield;
  }
  const sizes = new Map(tokens.map(({ name, list }) => [name, size(list)]));
  tokens.sort((a, b) => sizes.get(a.name)! - sizes.get(b.name)!);
  const parts = tokens.flatMap(({ name, offsets, list }) => {
    let read: Positions | null | undefined;
    const positions = (): Positions | null => (read ??= chunk.positions(name, list));
    return offsets.map((offset) => ({ offset, positions }));
  });
  return postsInSequence(parts, together);
}
