import { hasPhrase, match } from '#core/query/match.ts';
import type { Leaf, RuleNeed } from './need.ts';
import type { PostView } from './post.ts';

/**
 * True if each sought word is at a place of its own, none more than `apart` positions from where the
 * first of them would put it. `from` is the first position, less the number of the word.
 */
function isNearFrom(
  words: readonly string[],
  sought: readonly string[],
  apart: number,
  from: number,
): boolean {
  const taken = new Set<number>();
  // The spans of equal words begin and end in their order, so the first free place is the best one.
  return sought.every((word, i) => {
    for (let at = Math.max(0, from + i); at <= from + i + apart; at++) {
      if (words[at] !== word || taken.has(at)) continue;
      taken.add(at);
      return true;
    }
    return false;
  });
}

/**
 * True if words contain others that together are moved by at most `apart` positions from being
 * consecutive: in order with so many words between, in the opposite order with two fewer.
 */
function isNear(words: readonly string[], sought: readonly string[], apart: number): boolean {
  return words.some((word, at) =>
    sought.some((each, i) => each === word && isNearFrom(words, sought, apart, at - i)),
  );
}

/** The texts that empty strings separate. */
function textsOf(words: readonly string[]): string[][] {
  const texts: string[][] = [[]];
  for (const word of words) {
    if (word === '') texts.push([]);
    else texts.at(-1)?.push(word);
  }
  return texts;
}

/** True if a Post is in a sample. Its id is mixed because the last digits of ids are not uniform. */
export function isSampled(id: bigint, percent: number): boolean {
  let mixed = Number(BigInt.asUintN(32, id ^ (id >> 32n)));
  for (const factor of [0x85ebca6b, 0xc2b2ae35]) {
    mixed = Math.imul(mixed ^ (mixed >>> 15), factor);
  }
  return ((mixed ^ (mixed >>> 16)) >>> 0) % 100 < percent;
}

/** True if a Post meets a single requirement of a rule. */
export function meetsLeaf(leaf: Leaf, view: PostView): boolean {
  switch (leaf.kind) {
    case 'words':
      return hasPhrase(view.words(leaf.field), leaf.tokens);
    case 'near':
      return textsOf(view.terms.words).some((words) => isNear(words, leaf.tokens, leaf.apart));
    case 'contains': {
      const texts = leaf.of === 'text' ? view.texts() : view.addresses();
      return texts.some((text) => text.includes(leaf.text));
    }
    case 'between': {
      const amount = view.amount(leaf.of);
      return amount !== undefined && amount >= leaf.min && amount <= leaf.max;
    }
    case 'sample':
      return isSampled(view.id, leaf.percent);
    default:
      return match(leaf, view.terms);
  }
}

/** True if a Post meets a rule. */
export function meets(need: RuleNeed, view: PostView): boolean {
  switch (need.kind) {
    case 'all':
      return need.of.every((part) => meets(part, view));
    case 'any':
      return need.of.some((part) => meets(part, view));
    case 'not':
      return !meets(need.of, view);
    default:
      return meetsLeaf(need, view);
  }
}
