import { isPair } from '#server/index/pairs.ts';
import { entriesOf, findInTail } from '#server/index/rare-terms.ts';
import type { Db } from '#server/db/driver.ts';
import { remember } from './checks.ts';
import type { TermsOfChunk } from './chunk-terms.ts';
import { placeOf } from './sums.ts';

/** Reads rare terms, which share blocks. */
export function rareReader(db: Db) {
  const blockFor = db.prepare(
    'SELECT block, h, next, sum FROM tail WHERE c = ? AND h <= ? ORDER BY h DESC LIMIT 1',
  );
  return ({ c, firstTail, checks: { verify, whole } }: TermsOfChunk) => {
    /** First hashes of the blocks that were verified. */
    const seen = new Set<number>();
    return {
      /** The entry of a term, by its hash, which must have passed the filter. */
      rare: (term: string, hash: number): ReturnType<typeof findInTail> => {
        const row = blockFor.get([c, hash]);
        if (!row) {
          verify(() => hash < firstTail);
          return undefined;
        }
        const [block, h, next, sum] = row;
        if (!seen.has(Number(h))) {
          whole(block, placeOf.block(c, Number(h), Number(next)), sum);
          remember(seen, Number(h));
        }
        verify(() => hash < Number(next));
        return findInTail(block as Buffer, term);
      },
      /** The rare terms with a hash. */
      *rareTerms(hash: number): Generator<string> {
        const [block] = blockFor.get([c, hash]) ?? [];
        if (!Buffer.isBuffer(block)) return;
        for (const entry of entriesOf(block)) {
          if (entry.hash === hash && !isPair(entry.term)) yield entry.term;
        }
      },
    };
  };
}
