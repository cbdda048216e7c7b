import { isSlight } from '#core/text/keyness.ts';
import { ADDRESS, DOMAIN } from '#core/text/linked.ts';
import { urlTerm } from './chunk.ts';
import { GAP, type Inverted } from './inverted.ts';
import { traitsOf, type TermTraits } from './rare-terms.ts';

/**
 * The contents of a chunk's Posts, Post by Post: the index the other way round, for counting all terms of many Posts at
 * once. It holds the words in order, with {@link GAP} for slight ones (`isSlight`), and the flags of {@link GROUPS}. Terms have numbers within their chunk; the same term
 * of two chunks has the same {@link TermNames.hashes}.
 */
export interface Forward {
  readonly words: TermTable;
  readonly flags: TermTable;
}

/**
 * Kinds of flags, in the order of their numbers. A Post has one author: its username, or the id where it has none.
 */
export const GROUPS = [
  'language',
  'country',
  'cashtag',
  'emoji',
  'place',
  'author',
  'hashtag',
  'domain',
  'address',
] as const;
export type TermGroup = (typeof GROUPS)[number];

/** The terms of each ordinal. */
export interface TermTable {
  /** Numbers of terms are 1 to this, inclusive; {@link GAP} is none. */
  readonly size: number;
  /** Two numbers of 32 bits per term that identify it in other chunks: those of term t at 2t and 2t + 1. */
  readonly hashes: Uint32Array;
  /** The positions at which the units of each ordinal begin; one more than there are Posts. */
  readonly at: Uint32Array;
  /** The terms of all ordinals: a number below {@link WIDE}, or the two units of {@link wideOf}. */
  readonly units: Uint16Array;
  /** The first number of each group, and one more than the last of the last; words are one group. */
  readonly groups: Uint32Array;
  /** The number of terms of each group, from its first on, that are not rare. */
  readonly frequent: Uint32Array;
  /** The text of a term; undefined if it is not the one that was hashed, since half a surrogate pair cannot be stored. */
  name(term: number): string | undefined;
}

/** Units from here on are the upper part of a number that takes two. */
export const WIDE = 0xff00;

/** The number of a term in two units. */
export function wideOf(unit: number, next: number): number {
  return ((unit & 0xff) << 16) | next;
}

/** A second hash of a term, independent of `termHash`: 32 bits of FNV-1 with its finalizer from MurmurHash3. */
export function secondHash(term: string): number {
  let h = 0x2a29_6f4d ^ term.length;
  for (let i = 0; i < term.length; i++) {
    h = Math.imul(h, 0x85eb_ca6b) ^ term.charCodeAt(i);
    h = (h << 13) | (h >>> 19);
  }
  h = Math.imul(h ^ (h >>> 16), 0xc2b2_ae35);
  return (h ^ (h >>> 15)) >>> 0;
}

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

/** A {@link TermTable} before it is stored: names are those of the inverted terms. */
export interface BuiltTable extends TermTable {
  /** For each term its number among the inverted ones. */
  readonly terms: Uint32Array;
}

export interface BuiltForward extends Forward {
  readonly words: BuiltTable;
  readonly flags: BuiltTable;
}

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

/** Length of a stored table's head: its number of terms, Posts and units. */
const HEAD = 3;

/** The words of 32 bits of a table and the names of its frequent terms, for {@link storedTable}. */
function wordsOfTable({ size, hashes, at, units, groups, frequent }: BuiltTable): Uint32Array {
  const packedUnits = new Uint32Array(Math.ceil(units.length / 2));
  new Uint16Array(packedUnits.buffer).set(units);
  const parts = [
    Uint32Array.of(size, at.length - 1, units.length),
    groups,
    frequent,
    hashes.subarray(2),
    at,
    packedUnits,
  ];
  const out = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let used = 0;
  for (const part of parts) {
    out.set(part, used);
    used += part.length;
  }
  return out;
}

/** Names of the frequent terms, in the order of their numbers. */
function namesOfTable({ groups, frequent, name }: BuiltTable): string[] {
  const names: string[] = [];
  for (let g = 0; g < frequent.length; g++) {
    for (let i = 0; i < frequent[g]!; i++) names.push(name(groups[g]! + i) ?? '');
  }
  return names;
}

/** A {@link Forward} as it is stored. */
export interface PackedForward {
  /** Its own length, the length of the words' table, both tables. */
  readonly numbers: Uint32Array;
  /** JSON of the names of its frequent terms: words, then flags. */
  readonly names: string;
}

/** Numbers before the first table. */
const BEFORE = 2;

export function packForward({ words, flags }: BuiltForward): PackedForward {
  const [first, second] = [wordsOfTable(words), wordsOfTable(flags)];
  const numbers = new Uint32Array(BEFORE + first.length + second.length);
  numbers[0] = numbers.length;
  numbers[1] = first.length;
  numbers.set(first, BEFORE);
  numbers.set(second, BEFORE + first.length);
  const names = [...namesOfTable(words), ...namesOfTable(flags)];
  return { numbers, names: JSON.stringify(names) };
}

/** The source of the names of a stored table. */
interface Names {
  /** Name of the i-th of its frequent terms. */
  frequent(i: number): string | undefined;
  /** Names of the rare terms with a hash. */
  rare(hash: number): Iterable<string>;
}

function storedTable(numbers: Uint32Array, groupCount: number, names: Names): TermTable {
  const [size = 0, n = 0, unitCount = 0] = numbers;
  let used = HEAD;
  const take = (length: number): Uint32Array => numbers.subarray(used, (used += length));
  const groups = take(groupCount + 1);
  const frequent = take(groupCount);
  const hashes = numbers.subarray(used - 2, used + size * 2);
  used += size * 2;
  const at = take(n + 1);
  const units = new Uint16Array(numbers.buffer, numbers.byteOffset + used * 4, unitCount);
  const name = (term: number): string | undefined => {
    let before = 0;
    for (let g = 0; g < groupCount; g++) {
      const place = term - groups[g]!;
      if (place >= 0 && place < frequent[g]!) return names.frequent(before + place);
      before += frequent[g]!;
    }
    for (const found of names.rare(hashes[term * 2]!)) {
      if (secondHash(found) === hashes[term * 2 + 1]) return found;
    }
    return undefined;
  };
  return { size, hashes, at, units, groups, frequent, name };
}

/**
 * Reads a stored {@link Forward}; the inverse of {@link packForward}.
 *
 * @param names - Reads the names of the frequent terms, once, when one is needed.
 * @param rare - Names of the chunk's rare terms with a hash.
 * @returns null if the numbers are not complete.
 */
export function storedForward(
  numbers: Uint32Array,
  names: () => string,
  rare: (hash: number) => Iterable<string>,
): Forward | null {
  const [length, first = 0] = numbers;
  if (length !== numbers.length) return null;
  let all: readonly string[] | undefined;
  const frequent = (i: number): string | undefined => {
    all ??= JSON.parse(names()) as string[];
    return all[i];
  };
  const words = numbers.subarray(BEFORE, BEFORE + first);
  // The table of words has one group.
  const frequentWords = words[HEAD + 2] ?? 0;
  return {
    words: storedTable(words, 1, { frequent, rare }),
    flags: storedTable(numbers.subarray(BEFORE + first), GROUPS.length, {
      frequent: (i) => frequent(frequentWords + i),
      rare,
    }),
  };
}

/** The terms of a chunk that are looked up by their spelling. */
export interface ChunkVocabulary {
  /** The words in at least `RARE_POSTS` of its Posts. */
  readonly words: readonly string[];
  /** The terms of its Posts' languages. */
  readonly languages: readonly string[];
}

const LANGUAGE = GROUPS.indexOf('language');

export function chunkVocabulary({ words, flags }: Forward): ChunkVocabulary {
  const named = ({ name }: TermTable, from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, i) => name(from + i) ?? []).flat();
  const { groups } = flags;
  return {
    words: named(words, 1, words.frequent[0]! + 1),
    languages: named(flags, groups[LANGUAGE]!, groups[LANGUAGE + 1]!),
  };
}

/**
 * Reads the {@link ChunkVocabulary} of a stored {@link Forward} without the terms of its Posts, which are most of it.
 *
 * @param read - Its numbers `[from, to)`.
 * @param names - Names of its frequent terms, as {@link PackedForward} has them.
 * @param rare - Names of the chunk's rare terms with a hash.
 */
export function storedVocabulary(
  read: (from: number, to: number) => Uint32Array,
  names: string,
  rare: (hash: number) => Iterable<string>,
): ChunkVocabulary {
  const [, first = 0] = read(0, BEFORE);
  const [frequentWords = 0] = read(BEFORE + HEAD + 2, BEFORE + HEAD + 3);
  const flags = BEFORE + first + HEAD;
  const hashesAt = flags + 2 * GROUPS.length + 1;
  const head = read(flags, hashesAt);
  const [from, to] = head.subarray(LANGUAGE, LANGUAGE + 2);
  const frequent = head.subarray(GROUPS.length + 1);
  const before = frequent.subarray(0, LANGUAGE).reduce((sum, each) => sum + each, frequentWords);
  const all = JSON.parse(names) as string[];
  const languages = all.slice(before, before + frequent[LANGUAGE]!);
  // Terms count from one.
  const rest = from! + frequent[LANGUAGE]!;
  const hashes = read(hashesAt + 2 * (rest - 1), hashesAt + 2 * (to! - 1));
  for (let i = 0; i < hashes.length; i += 2) {
    for (const found of rare(hashes[i]!))
      if (secondHash(found) === hashes[i + 1]) languages.push(found);
  }
  return { words: all.slice(0, frequentWords), languages };
}
