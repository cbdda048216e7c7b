import type { Curve } from './series.ts';

/** A series from a file: its counts are fixed, nothing is fetched for it, and it is in no ledger. */
export interface FixedSeries extends Curve {
  readonly label: string;
  /** The query that the file names; empty if none. */
  readonly query: string;
  /** The origin of the counts, as the file states it; empty if not stated. */
  readonly source: string;
  /** As in the file, to be passed on unchanged. */
  readonly origin?: object;
}

const keys = new WeakMap<FixedSeries, string>();

/** FNV-1a, 32 bits, over words of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
function mixed(hash: number, words: Iterable<number> & ArrayLike<number>): number {
  let mix = hash;
  for (let i = 0; i < words.length; i += 1) mix = Math.imul(mix ^ (words[i] ?? 0), 0x0100_0193);
  return mix;
}

/** Identifies a series from a file by its content: 8 hex digits. */
export function fixedKey(series: FixedSeries): string {
  const known = keys.get(series);
  if (known !== undefined) return known;
  const { label, query, source, bounds, counts } = series;
  const text = Array.from(
    JSON.stringify([label, query, source]),
    (char) => char.codePointAt(0) ?? 0,
  );
  const words = [bounds, counts].map((list) => new Uint32Array(Float64Array.from(list).buffer));
  const hash = words.reduce(mixed, mixed(0x811c_9dc5, text));
  const key = (hash >>> 0).toString(16).padStart(8, '0');
  keys.set(series, key);
  return key;
}
