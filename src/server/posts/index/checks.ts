import { verifiedWords, type VerifiedWords } from '#server/index/chunk.ts';
import type { Cell, Db } from '#server/db/driver.ts';
import { blobWords } from './blobs.ts';
import { CheckedParts } from './parts.ts';
import { isAsWritten } from './sums.ts';
import { StoreError } from '#server/db/store-error.ts';

/** Maximum number of cells of a chunk remembered as verified; beyond it, some are verified again. */
const MAX_VERIFIED = 2048;

/** Remembers that a cell was verified. */
export function remember<K>(verified: Set<K>, key: K): void {
  if (verified.size >= MAX_VERIFIED) verified.clear();
  verified.add(key);
}

/** Comparisons of what is read from the index of a file with its checksums. */
export type Checks = ReturnType<typeof checksIn>;

/** @param unverified - For repairs of the index, and to find out what is wrong with it: everything counts as right. */
export function checksIn({ file }: Db, unverified?: 'unverified') {
  const damaged = (): StoreError => new StoreError('index-damaged', file);
  /** @throws {@link StoreError} `index-damaged` unless it is right. */
  const verify = (isRight: () => boolean): void => {
    if (!unverified && !isRight()) throw damaged();
  };
  return {
    damaged,
    verify,
    /** A blob that matches its checksum. @throws {@link StoreError} `index-damaged` */
    whole: (cell: Cell | undefined, place: string, sum: Cell | undefined): Buffer => {
      verify(() => isAsWritten(cell, place, sum));
      return cell as Buffer;
    },
    /** Words whose parts are verified when used. */
    inParts: ([cell, sums]: Cell[] = [], place: string): VerifiedWords => {
      if (unverified) return verifiedWords(blobWords(cell));
      verify(() => Buffer.isBuffer(cell) && Buffer.isBuffer(sums));
      return new CheckedParts(blobWords(cell), blobWords(sums), place, damaged);
    },
  };
}
