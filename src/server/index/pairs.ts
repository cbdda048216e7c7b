import { urlTerm } from './chunk.ts';
import { GAP, ordinalsOf, spotsOf, type Inverted } from './inverted.ts';
import { BITMAP_FROM } from './ordinals.ts';

/** Prefix of the terms of pairs, which no word has. */
const PAIR = 'pair:';
const URL = urlTerm('');

/** The term of the Posts in which one common word follows another one. Both are words, or both `url:` tokens. */
export function pairTerm(first: string, second: string): string {
  return `${PAIR}${first} ${second}`;
}

export function isPair(term: string): boolean {
  return term.startsWith(PAIR);
}

/** A word with its positions, `ordinal << 16 | position`, ascending. */
interface Word {
  readonly term: string;
  readonly spots: Uint32Array;
}

/** The Posts in which two words follow each other. */
export interface Pair {
  readonly term: string;
  /** Ascending. */
  readonly ordinals: Uint16Array;
}

/** The words of each Post at their positions: number `1 + i` for `words[i]`, 0 for all others. */
function sequences(words: readonly Word[]): { at: Uint32Array; slots: Uint16Array } {
  const at = new Uint32Array(65_537);
  for (const { spots } of words) {
    for (let i = 0; i < spots.length; i++) {
      const o = spots[i]! >>> 16;
      // One more, so that no Post's last word precedes the first one of the next Post.
      at[o + 1] = Math.max(at[o + 1]!, (spots[i]! & 0xffff) + 2);
    }
  }
  for (let o = 0; o < 65_536; o++) at[o + 1]! += at[o]!;
  const slots = new Uint16Array(at[65_536]!);
  for (const [number, { spots }] of words.entries()) {
    for (let i = 0; i < spots.length; i++) {
      slots[at[spots[i]! >>> 16]! + (spots[i]! & 0xffff)] = number + 1;
    }
  }
  return { at, slots };
}

/** The pairs of words that share their positions: at most 65,534 words. */
function* pairsAmong(words: readonly Word[]): Generator<Pair> {
  const { at, slots } = sequences(words);
  const found = new Map<number, number[]>();
  for (let o = 0; o < 65_536; o++) {
    for (let i = at[o]! + 1; i < at[o + 1]!; i++) {
      if (slots[i] === 0 || slots[i - 1] === 0) continue;
      const key = slots[i - 1]! * 65_536 + slots[i]!;
      const ordinals = found.get(key);
      if (!ordinals) found.set(key, [o]);
      else if (ordinals.at(-1) !== o) ordinals.push(o);
    }
  }
  for (const [key, ordinals] of found) {
    const [first, second] = [words[Math.floor(key / 65_536) - 1]!, words[(key % 65_536) - 1]!];
    yield { term: pairTerm(first.term, second.term), ordinals: Uint16Array.from(ordinals) };
  }
}

/**
 * The Posts of every two words in sequence, by which a phrase of common words is found without reading
 * their positions.
 *
 * @param words - The words, and the `url:` tokens, that {@link BITMAP_FROM} Posts or more of a chunk contain.
 */
export function pairsOf(words: readonly Word[]): Pair[] {
  const isUrl = ({ term }: Word): boolean => term.startsWith(URL);
  return [...pairsAmong(words.filter((word) => !isUrl(word))), ...pairsAmong(words.filter(isUrl))];
}

/** The words of a chunk that are common enough for {@link pairsOf}. */
function commonWords(inverted: Inverted): Word[] {
  const { terms, spotsAt, flagsAt } = inverted;
  const words: Word[] = [];
  for (let t = GAP + 1; t < terms.length; t++) {
    const spots = spotsAt[t + 1]! - spotsAt[t]!;
    if (spots === 0 || spots + flagsAt[t + 1]! - flagsAt[t]! < BITMAP_FROM) continue;
    if (ordinalsOf(inverted, t).length < BITMAP_FROM) continue;
    words.push({ term: terms[t]!, spots: spotsOf(inverted, t) });
  }
  return words;
}

/** The terms of a chunk and, after them, those of its pairs, as flags. */
export function withPairs(inverted: Inverted): Inverted {
  const pairs = pairsOf(commonWords(inverted));
  const { terms, spots, spotsAt, flags, flagsAt } = inverted;
  const all = terms.length + pairs.length;
  const more = {
    flags: new Uint16Array(
      flags.length + pairs.reduce((sum, { ordinals }) => sum + ordinals.length, 0),
    ),
    flagsAt: new Uint32Array(all + 1),
    spotsAt: new Uint32Array(all + 1).fill(spots.length),
  };
  more.flags.set(flags);
  more.flagsAt.set(flagsAt);
  more.spotsAt.set(spotsAt);
  for (const [i, { ordinals }] of pairs.entries()) {
    const from = more.flagsAt[terms.length + i]!;
    more.flags.set(ordinals, from);
    more.flagsAt[terms.length + i + 1] = from + ordinals.length;
  }
  return { terms: [...terms, ...pairs.map(({ term }) => term)], spots, ...more };
}
