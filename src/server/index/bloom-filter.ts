/**
 * The filter of a chunk: a split block Bloom filter (github.com/apache/parquet-format, BloomFilter.md;
 * F. Putze, P. Sanders, J. Singler, Cache-, Hash- and Space-Efficient Bloom Filters, WEA 2007). A hash
 * selects one block of 256 bits, and one bit in each of its eight 32-bit lanes. Unlike Parquet's, it
 * takes hashes of 31 bits and is read byte by byte, so that it may lie at any address.
 */
const BLOCK_BYTES = 32;

/** Odd multipliers, one per lane, from the same specification. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

/** Hashes per block: 11.6 bits each, which gives 0.6 % false positives. */
const BLOCK_HASHES = 22;

/** Finalizer of MurmurHash3 (github.com/aappleby/smhasher): hashes of one block share their highest bits. */
function mixed(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Offset of the block of a hash in a filter of a given length, in bytes. */
export function blockOf(length: number, hash: number): number {
  return Math.floor((hash / 2 ** 31) * (length / BLOCK_BYTES)) * BLOCK_BYTES;
}

/**
 * Makes a filter of hashes.
 *
 * @param hashes - Of 31 bits, in any order; repeats only make it larger.
 * @returns Bytes for {@link mayHold}, the same for the same hashes: 32 per 22 hashes, none for no
 *   hashes.
 * @throws {@link RangeError} if a hash has more than 31 bits.
 */
export function makeFilter(hashes: Uint32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(hashes.length / BLOCK_HASHES) * BLOCK_BYTES);
  for (let i = 0; i < hashes.length; i++) {
    const hash = hashes[i]!;
    if (hash > 0x7fffffff) throw new RangeError(`expected a hash of 31 bits, got ${hash}`);
    const block = blockOf(bits.length, hash);
    const key = mixed(hash);
    for (let lane = 0; lane < 8; lane++) {
      const bit = Math.imul(key, SALTS[lane]!) >>> 27;
      bits[block + lane * 4 + (bit >>> 3)]! |= 1 << (bit & 7);
    }
  }
  return bits;
}

/**
 * True if a filter may contain a hash.
 *
 * @param bits - From {@link makeFilter}, at any address.
 * @returns True for every hash it contains, and for less than 1 % of all others.
 */
export function mayHold(bits: Uint8Array, hash: number): boolean {
  if (bits.length === 0) return false;
  const block = blockOf(bits.length, hash);
  const key = mixed(hash);
  for (let lane = 0; lane < 8; lane++) {
    const bit = Math.imul(key, SALTS[lane]!) >>> 27;
    if (((bits[block + lane * 4 + (bit >>> 3)]! >>> (bit & 7)) & 1) === 0) return false;
  }
  return true;
}
