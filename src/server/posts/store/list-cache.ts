import type { Ordinals } from '#server/index/ordinals.ts';

/** Bytes that the cached lists may have together. */
const MOST_BYTES = 96 * 2 ** 20;
/** Bytes of a list apart from its ordinals, approximately. */
const LIST_BYTES = 250;

/** Lists of a chunk that were read. */
export interface ChunkLists {
  get(term: string): Ordinals | undefined;
  put(term: string, list: Ordinals): void;
}

/** Lists of the chunks that were used last: a chunk never changes, so none needs to be read or verified twice. */
export function listCache(mostBytes = MOST_BYTES): { of(c: number): ChunkLists } {
  /** By chunk, the one that was used last at the end. */
  const chunks = new Map<number, { readonly lists: Map<string, Ordinals>; bytes: number }>();
  let bytes = 0;
  return {
    of: (c) => {
      const cached = chunks.get(c) ?? { lists: new Map<string, Ordinals>(), bytes: 0 };
      chunks.delete(c);
      chunks.set(c, cached);
      return {
        get: (term) => cached.lists.get(term),
        put: (term, list) => {
          if (chunks.get(c) !== cached || cached.lists.has(term)) return;
          const more = list.byteLength + LIST_BYTES;
          cached.lists.set(term, list);
          cached.bytes += more;
          bytes += more;
          for (const [oldest, { bytes: freed }] of chunks) {
            if (bytes <= mostBytes) break;
            chunks.delete(oldest);
            bytes -= freed;
          }
        },
      };
    },
  };
}
