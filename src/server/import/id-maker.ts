import { hash } from 'node:crypto';
import { firstIndex } from '#core/first-index.ts';

/** Ids made here are at least this: those of the platform reach it in 2045, so neither can be the other. */
const FIRST_MADE = 1n << 62n;

const FIRST_TABLE = 1 << 14;
const LARGEST_TABLE = 1 << 25;

/**
 * Makes ids for rows without one of a file, from time, author, content and the running number among
 * equal rows, so that every import of the file makes the same ones.
 *
 * A seen row takes 32 bits of a hash, at a position in the table that other bits of it select: 6 to 12
 * bytes per row. A full table stays, and a larger one is added. Two different rows taken for equal ones
 * (once in hundreds of files of ten million rows) still get different ids, as their content differs.
 */
export class IdMaker {
  readonly #tables: Uint32Array[] = [];
  #free = 0;

  /**
   * The id of the next row of the file.
   *
   * @returns At least 2^62 and below 2^63, which no id of the platform is before 2045.
   * @throws {@link RangeError} beyond 45 million rows without an id, which would take more than 300 MB.
   */
  make(createdAt: number, author: string, text: string): bigint {
    const key = `${createdAt}\u0000${author}\u0000${text}\u0000`;
    let digest = digestOf(key, 0);
    if (this.#has(digest)) {
      let seen = 0;
      let unseen = 1;
      while (this.#has(digestOf(key, unseen))) {
        seen = unseen;
        unseen *= 2;
      }
      const free = firstIndex(seen + 1, unseen, (n) => !this.#has(digestOf(key, n)));
      digest = digestOf(key, free);
    }
    this.#add(digest);
    return FIRST_MADE | (digest.readBigUInt64BE(0) & (FIRST_MADE - 1n));
  }

  #has(digest: Buffer): boolean {
    const place = digest.readUInt32BE(8);
    const mark = markOf(digest);
    for (const table of this.#tables) {
      const mask = table.length - 1;
      for (let at = place & mask; ; at = (at + 1) & mask) {
        const entry = table[at];
        if (entry === mark) return true;
        if (entry === 0) break;
      }
    }
    return false;
  }

  #add(digest: Buffer): void {
    let table = this.#tables.at(-1);
    if (!table || this.#free === 0) {
      const length = table ? table.length * 2 : FIRST_TABLE;
      if (length > LARGEST_TABLE) throw new RangeError('more than 45 million rows without an id');
      table = new Uint32Array(length);
      this.#tables.push(table);
      this.#free = Math.floor(length * 0.7);
    }
    const mask = table.length - 1;
    let at = digest.readUInt32BE(8) & mask;
    while (table[at] !== 0) at = (at + 1) & mask;
    table[at] = markOf(digest);
    this.#free -= 1;
  }
}

function digestOf(key: string, number: number): Buffer {
  return hash('sha1', key + number, 'buffer');
}

function markOf(digest: Buffer): number {
  return digest.readUInt32BE(12) || 1;
}
