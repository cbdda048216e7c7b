import type { Curve } from './series.ts';

/** A series that was read from a file: its counts stand as they are, nobody is asked for more, and no ledger has them. */
export interface FixedSeries extends Curve {
  readonly label: string;
  /** The query as the file tells it; empty where it does not. */
  readonly query: string;
  /** Where its counts came from, in the words of the file; empty where it does not tell. */
  readonly source: string;
  /** As the file carried it, where it is to be handed on as it was. */
  readonly origin?: object;
}

const keys = new WeakMap<FixedSeries, string>();

/** FNV-1a, 32 bits, over words of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function mixed(hash: number, words: Iterable<number> & ArrayLike<number>): number {
  let mix = hash;
  for (let i = 0; i < words.length; i += 1) mix = Math.imul(mix ^ (words[i] ?? 0), 0x0100_0193);
  return mix;
}

/** What a series read from a file is called where its counts are kept elsewhere: 8 hex digits, the same for the same content. */
export function fixedKey(series: FixedSeries): string {
  const known = keys.get(series);
  if (known !== undefined) return known;
  const { label, query, source, bounds, counts } = series;
  const text = Array.from(JSON.stringify([label, query, source]), (one) => one.codePointAt(0) ?? 0);
  const words = [bounds, counts].map((list) => new Uint32Array(Float64Array.from(list).buffer));
  const hash = words.reduce(mixed, mixed(0x811c_9dc5, text));
  const key = (hash >>> 0).toString(16).padStart(8, '0');
  keys.set(series, key);
  return key;
}
