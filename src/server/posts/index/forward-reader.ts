import type { Db } from '#server/db/driver.ts';
import { blobOf } from './blobs.ts';
import type { Checks } from './checks.ts';
import { PART_BYTES } from './chunk-writer.ts';
import { placeOf } from './sums.ts';
import { storedForward } from '#server/index/stored-forward.ts';
import { storedVocabulary, type ChunkVocabulary } from '#server/index/vocabulary.ts';
import type { Forward } from '#server/index/term-table.ts';

/** Bytes of forward terms in memory: those of twenty full chunks, or of a span of a million Posts. */
const FORWARD_BYTES = 128 * 2 ** 20;

/** The forward terms of the chunks that were used last. */
function forwardCache() {
  const chunks = new Map<number, { readonly forward: Forward; readonly bytes: number }>();
  let bytes = 0;
  return {
    get: (c: number): Forward | undefined => {
      const cached = chunks.get(c);
      if (!cached) return undefined;
      chunks.delete(c);
      chunks.set(c, cached);
      return cached.forward;
    },
    put: (c: number, forward: Forward, size: number): void => {
      bytes += size - (chunks.get(c)?.bytes ?? 0);
      chunks.delete(c);
      chunks.set(c, { forward, bytes: size });
      for (const [oldest, { bytes: freed }] of chunks) {
        if (bytes <= FORWARD_BYTES || oldest === c) break;
        chunks.delete(oldest);
        bytes -= freed;
      }
    },
  };
}

/** Reads the terms of each Post of a chunk, and its vocabulary. */
export function forwardReader(db: Db) {
  const forwardFor = db.prepare('SELECT data, sum, part FROM forward WHERE c = ? ORDER BY part');
  const forwardPart = db.prepare('SELECT data, sum FROM forward WHERE c = ? AND part = ?');
  const cache = forwardCache();
  /** One string for each word, however many chunks have it. */
  const spellings = new Map<string, string>();
  const shared = (word: string): string => {
    const known = spellings.get(word) ?? word;
    spellings.set(known, known);
    return known;
  };

  /** @param rareTerms - The rare terms of the chunk with a hash. */
  return (
    c: number,
    { verify, whole, damaged }: Checks,
    rareTerms: (hash: number) => Iterable<string>,
  ) => {
    let isVerified = false;
    let vocabulary: ChunkVocabulary | undefined;

    const read = (): Forward => {
      const blobs = forwardFor.all([c]).map(([cell, sum, number], part) => {
        verify(() => Number(number) === part);
        if (!isVerified) whole(cell, placeOf.forward(c, part), sum);
        return cell as Buffer;
      });
      const [names, ...parts] = blobs;
      const numbers = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0) / 4);
      const bytes = blobOf(numbers);
      let used = 0;
      for (const part of parts) used += part.copy(bytes, used);
      const found = names && storedForward(numbers, () => names.toString('utf8'), rareTerms);
      if (!found) throw damaged();
      isVerified = true;
      cache.put(c, found, numbers.byteLength + names.length);
      return found;
    };

    const partAt = (part: number): Buffer => {
      const [cell, sum] = forwardPart.get([c, part]) ?? [];
      return whole(cell, placeOf.forward(c, part), sum);
    };

    const readVocabulary = (): ChunkVocabulary => {
      const parts = new Map<number, Buffer>();
      const numbers = (from: number, to: number): Uint32Array => {
        const words = new Uint32Array(to - from);
        const bytes = blobOf(words);
        for (let used = 0; used < bytes.length;) {
          const at = from * 4 + used;
          const part = 1 + Math.floor(at / PART_BYTES);
          const cell = parts.get(part) ?? partAt(part);
          parts.set(part, cell);
          const copied = cell.copy(bytes, used, at % PART_BYTES);
          if (copied === 0) throw damaged();
          used += copied;
        }
        return words;
      };
      const { words, languages } = storedVocabulary(numbers, partAt(0).toString('utf8'), rareTerms);
      return { words: words.map(shared), languages: languages.map(shared) };
    };

    return {
      /** Reads it from the file even if it is cached. */
      read,
      forward: () => cache.get(c) ?? read(),
      vocabulary: () => (vocabulary ??= readVocabulary()),
    };
  };
}
