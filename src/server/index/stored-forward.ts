import {
  type BuiltTable,
  type BuiltForward,
  type TermTable,
  secondHash,
  type Forward,
  GROUPS,
} from './term-table.ts';

/** Length of a stored table's head: its number of terms, Posts and units. */
export const HEAD = 3;

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
export const BEFORE = 2;

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
