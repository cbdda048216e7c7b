import { blockOf, mayHold } from '#server/index/bloom-filter.ts';
import type { VerifiedWords } from '#server/index/chunk.ts';
import type { Db } from '#server/db/driver.ts';
import { blobOf } from './blobs.ts';
import type { TermsOfChunk } from './chunk-terms.ts';
import { placeOf } from './sums.ts';

/** Reads the filters of chunks, which rule out most terms that a chunk lacks. */
export function filterReader(db: Db) {
  const filterFor = db.prepare('SELECT bits, parts FROM filter WHERE c = ?');
  return ({ c, checks }: TermsOfChunk) => {
    let cached: (VerifiedWords & { readonly bits: Uint8Array }) | undefined;
    const filter = (): NonNullable<typeof cached> => {
      if (!cached) {
        const { words, verify, verifyAll } = checks.inParts(filterFor.get([c]), placeOf.filter(c));
        cached = { words, verify, verifyAll, bits: blobOf(words) };
      }
      return cached;
    };
    return {
      /** False if the chunk has no term of a hash. */
      mayBe: (hash: number): boolean => {
        const { bits, words, verify } = filter();
        if (bits.length === 0) return false;
        verify(blockOf(bits.length, hash) / words.BYTES_PER_ELEMENT);
        return mayHold(bits, hash);
      },
      verifyFilter: () => filter().verifyAll(),
    };
  };
}
