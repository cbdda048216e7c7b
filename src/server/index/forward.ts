import { isSlight } from '#core/text/keyness.ts';
import { ADDRESS, DOMAIN } from '#core/text/linked.ts';
import { urlTerm } from './chunk.ts';
import { GAP, type Inverted } from './inverted.ts';
import { traitsOf, type TermTraits } from './rare-terms.ts';
import {
  type TermGroup,
  type TermTable,
  WIDE,
  type BuiltTable,
  secondHash,
  GROUPS,
  type BuiltForward,
} from './term-table.ts';

const PREFIXES: readonly (readonly [prefix: string, group: TermGroup])[] = [
  ['from:', 'author'],
  ['lang:', 'language'],
  ['place:', 'place'],
  ['place_country:', 'country'],
  [DOMAIN, 'domain'],
  [ADDRESS, 'address'],
];

/** Ends a keycap, such as `#` in a square. */
const KEYCAP = '\u20e3';

/** The group of a flag; null if none counts it. */
export function groupOf(flag: string): TermGroup | null {
  const sign = flag.charCodeAt(0);
  if (sign === 0x40) return null;
  if (sign === 0x24) return 'cashtag';
  if (sign === 0x23 && !flag.endsWith(KEYCAP)) return 'hashtag';
  if (!flag.includes(':')) return 'emoji';
  return PREFIXES.find(([prefix]) => flag.startsWith(prefix))?.[1] ?? null;
}

/** Prefixes of the groups' terms. */
export const PREFIX_OF: Readonly<Record<TermGroup, string>> = {
  language: 'lang:',
  country: 'place_country:',
  cashtag: '',
  emoji: '',
  place: 'place:',
  author: 'from:',
  hashtag: '',
  domain: DOMAIN,
  address: ADDRESS,
};

/** Inverted terms in the order of their numbers. */
interface Numbering {
  readonly terms: Uint32Array;
  readonly groups: Uint32Array;
  readonly frequent: Uint32Array;
  /** For each inverted term its number; {@link GAP} if it has none. */
  readonly numberOf: Uint32Array;
}

/**
 * Numbers terms: by group, and frequent ones of a group first, since a low number takes one unit.
 *
 * @param members - The inverted terms of each group.
 */
function numbered(
  inverted: Inverted,
  traits: TermTraits,
  members: readonly (readonly number[])[],
): Numbering {
  const total = members.reduce((sum, group) => sum + group.length, 0);
  const terms = new Uint32Array(total + 1);
  const numberOf = new Uint32Array(inverted.terms.length);
  const groups = new Uint32Array(members.length + 1);
  const frequent = new Uint32Array(members.length);
  let n = 1;
  for (const [g, group] of members.entries()) {
    groups[g] = n;
    const rare: number[] = [];
    for (const t of group) {
      if (traits.rare[t] === 1) rare.push(t);
      else terms[n++] = t;
    }
    frequent[g] = n - groups[g]!;
    for (const t of rare) terms[n++] = t;
  }
  groups[members.length] = n;
  for (let i = 1; i < n; i++) numberOf[terms[i]!] = i;
  return { terms, groups, frequent, numberOf };
}

/** Writes the terms of all ordinals, each in one unit or two. @param slots - Numbers; those of ordinal o from `at[o]` on. */
function packed(slots: Uint32Array, at: Uint32Array): Pick<TermTable, 'at' | 'units'> {
  let wide = 0;
  for (let i = 0; i < slots.length; i++) if (slots[i]! >= WIDE) wide++;
  const units = new Uint16Array(slots.length + wide);
  const starts = new Uint32Array(at.length);
  let u = 0;
  for (let o = 0; o + 1 < at.length; o++) {
    starts[o] = u;
    for (let i = at[o]!; i < at[o + 1]!; i++) {
      const number = slots[i]!;
      if (number >= WIDE) {
        units[u++] = WIDE | (number >>> 16);
        units[u++] = number & 0xffff;
      } else units[u++] = number;
    }
  }
  starts[at.length - 1] = u;
  return { at: starts, units };
}

function tableOf(
  inverted: Inverted,
  traits: TermTraits,
  { terms, groups, frequent }: Numbering,
  content: Pick<TermTable, 'at' | 'units'>,
): BuiltTable {
  const hashes = new Uint32Array(terms.length * 2);
  for (let i = 1; i < terms.length; i++) {
    hashes[i * 2] = traits.hashes[terms[i]!]!;
    hashes[i * 2 + 1] = secondHash(inverted.terms[terms[i]!]!);
  }
  const name = (term: number): string => inverted.terms[terms[term]!]!;
  return { ...content, size: terms.length - 1, hashes, groups, terms, frequent, name };
}

/** Moves each entry by one, so that a sum of lengths becomes a list of starts. */
function startsOf(lengths: Uint32Array): Uint32Array {
  const at = new Uint32Array(lengths.length + 1);
  for (let o = 0; o < lengths.length; o++) at[o + 1] = at[o]! + lengths[o]!;
  return at;
}

function wordTable(
  inverted: Inverted,
  traits: TermTraits,
  n: number,
  words: readonly number[],
): BuiltTable {
  const { spots, spotsAt } = inverted;
  const numbering = numbered(inverted, traits, [words]);
  const lengths = new Uint32Array(n);
  for (const t of words) {
    for (let i = spotsAt[t]!; i < spotsAt[t + 1]!; i++) {
      const [o, length] = [spots[i]! >>> 16, (spots[i]! & 0xffff) + 1];
      if (lengths[o]! < length) lengths[o] = length;
    }
  }
  const at = startsOf(lengths);
  const slots = new Uint32Array(at[n]!);
  for (const t of words) {
    const number = numbering.numberOf[t]!;
    for (let i = spotsAt[t]!; i < spotsAt[t + 1]!; i++) {
      slots[at[spots[i]! >>> 16]! + (spots[i]! & 0xffff)] = number;
    }
  }
  return tableOf(inverted, traits, numbering, packed(slots, at));
}

/** Shorter ones first, then in order: a username of digits alone is shorter than an id. */
function byLength(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1);
}

/**
 * The term that names the author of each Post: the username, or the id where there is none.
 *
 * @param authors - The terms of usernames and ids.
 */
function authorOf({ terms, flags, flagsAt }: Inverted, n: number, authors: readonly number[]) {
  const isId = (t: number): boolean => /^from:\d+$/.test(terms[t]!);
  const ids = authors.filter(isId).sort((a, b) => byLength(terms[a]!, terms[b]!));
  const owners = new Uint32Array(n);
  for (const t of [...authors.filter((t) => !isId(t)), ...ids]) {
    for (let i = flagsAt[t]!; i < flagsAt[t + 1]!; i++)
      if (owners[flags[i]!] === GAP) owners[flags[i]!] = t;
  }
  return owners;
}

function flagTable(
  inverted: Inverted,
  traits: TermTraits,
  n: number,
  members: ReadonlyMap<TermGroup, readonly number[]>,
): BuiltTable {
  const { flags, flagsAt } = inverted;
  const numbering = numbered(inverted, traits, [...members.values()]);
  const owners = authorOf(inverted, n, members.get('author') ?? []);
  const author = GROUPS.indexOf('author');
  const [from, to] = [numbering.groups[author]!, numbering.groups[author + 1]!];
  const lengths = new Uint32Array(n);
  const visit = (take: (o: number, number: number) => void): void => {
    for (let number = 1; number < numbering.terms.length; number++) {
      const t = numbering.terms[number]!;
      const isAuthor = number >= from && number < to;
      for (let i = flagsAt[t]!; i < flagsAt[t + 1]!; i++) {
        if (!isAuthor || owners[flags[i]!] === t) take(flags[i]!, number);
      }
    }
  };
  visit((o) => void lengths[o]!++);
  const at = startsOf(lengths);
  const slots = new Uint32Array(at[n]!);
  const next = at.slice();
  visit((o, number) => {
    slots[next[o]!++] = number;
  });
  return tableOf(inverted, traits, numbering, packed(slots, at));
}

/** Turns the terms of a chunk of `n` Posts into the terms of each Post. */
export function forwardOf(
  inverted: Inverted,
  n: number,
  traits = traitsOf(inverted),
): BuiltForward {
  const { terms, spotsAt, flagsAt } = inverted;
  const url = urlTerm('');
  const words: number[] = [];
  const members = new Map<TermGroup, number[]>(GROUPS.map((group) => [group, []]));
  for (let t = GAP + 1; t < terms.length; t++) {
    const term = terms[t]!;
    // A word of an address, and only that, has spots and a prefix.
    const isWord = spotsAt[t + 1]! > spotsAt[t]! && !term.startsWith(url);
    if (isWord && (term.length > 2 || !isSlight(term))) words.push(t);
    if (flagsAt[t + 1] === flagsAt[t]) continue;
    const group = groupOf(term);
    if (group !== null) members.get(group)!.push(t);
  }
  return {
    words: wordTable(inverted, traits, n, words),
    flags: flagTable(inverted, traits, n, members),
  };
}
