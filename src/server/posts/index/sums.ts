import { crc32 } from 'node:zlib';
import type { Cell } from '#server/db/driver.ts';

/** Checksum of bytes and their address: the same bytes in another row have another one. */
export function checksumOf(bytes: Uint8Array | string, place: string): number {
  return crc32(bytes, crc32(place));
}

/** True if a cell is a blob that matches its checksum. */
export function isAsWritten(cell: Cell | undefined, place: string, sum: Cell | undefined): boolean {
  return Buffer.isBuffer(cell) && checksumOf(cell, place) === Number(sum);
}

/** The addresses of the parts of an index. */
export const placeOf = {
  times: (c: number) => `times ${c}`,
  ids: (c: number) => `ids ${c}`,
  filter: (c: number) => `filter ${c}`,
  list: (c: number, term: string) => `list ${c} ${term}`,
  spots: (c: number, term: string) => `spots ${c} ${term}`,
  forward: (c: number, part: number) => `forward ${c} ${part}`,
  block: (c: number, h: number, next: number) => `tail ${c} ${h} ${next}`,
};

/** The sum of a term without spots. */
export const NO_SPOTS_SUM = 0;

/** Checksum of a term and the next one in key order; empty means none. */
export function linkSum(c: number, term: string, next: string): number {
  return checksumOf(next, `link ${c} ${term}`);
}

/** Checksum of all place terms of a chunk, in key order. */
export function geoSum(c: number, terms: readonly string[]): number {
  return checksumOf(terms.join('\n'), `geo ${c}`);
}

/** Checksum of the columns of a chunk that are not blobs, its number first. */
export function headSum(columns: readonly (number | bigint)[]): number {
  return checksumOf(columns.join(' '), 'chunk');
}

export function deadSum(c: number, o: number): number {
  return checksumOf(String(o), `dead ${c}`);
}

export function liveSum(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : checksumOf(numbers.join(' '), 'live');
}

export function openSum(
  n: number,
  id: bigint,
  createdAt: number,
  terms: string | Uint8Array,
): number {
  return checksumOf(terms, `open ${n} ${id} ${createdAt}`);
}

/** Compares terms in key order: by bytes of UTF-8. */
export function byKey(a: string, b: string): number {
  // UTF-16 order can differ only if both have units of surrogates or above.
  if (HIGH.test(a) && HIGH.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : a > b ? 1 : 0;
}
const HIGH = /[\ud800-\uffff]/;
