import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Db } from '#server/db/driver.ts';
import { StoreError } from '#server/db/store-error.ts';

/** Bytes that a commit writes apart from the page of an answer: rows, indexes, the list of free pages. */
const SPARE_BYTES = 128 * 1024;

/** Minimum growth of the file when it needs space, so that most purchases find some. */
const STEP_BYTES = 1024 * 1024;

/** Each frame of SQLite's log is a page with this header. */
const FRAME_HEAD = 24;

/**
 * Reserves disk space for pages in transit. Free pages of the file hold space on the disk, and so does
 * the log, up to its length before the last checkpoint. A commit that needs no more than those cannot
 * fail for lack of space.
 */
export class DiskReserve {
  readonly #db: Db;
  /** Bytes by purchase. */
  readonly #reserved = new Map<number, number>();
  readonly #pageBytes: number;
  readonly #put;
  readonly #drop;
  readonly #free;
  readonly #checkpoint;

  constructor(db: Db) {
    this.#db = db;
    this.#pageBytes = Number(db.prepare('PRAGMA page_size').get()?.[0]);
    this.#put = db.prepare(`INSERT OR REPLACE INTO setting VALUES ('room', zeroblob(?))`);
    this.#drop = db.prepare(`DELETE FROM setting WHERE name = 'room'`);
    this.#free = db.prepare('PRAGMA freelist_count');
    this.#checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)');
    this.#freeUp();
  }

  /** @throws {@link StoreError} `full` if there is not enough space apart from what others have reserved. */
  find(bytes: number): void {
    const own = bytes + SPARE_BYTES;
    const wanted = [...this.#reserved.values()].reduce((sum, each) => sum + each, own);
    const lacking = wanted - Number(this.#free.get()?.[0]) * this.#pageBytes;
    const log = statSync(`${this.#db.file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const short = log < this.#logged(own);
    if (lacking <= 0 && !short) return;
    const grown = Math.ceil(Math.max(lacking, short ? own : 0, STEP_BYTES)) + SPARE_BYTES;
    // Checked first: a log that is written but does not fit into the file could not be reset by any
    // process.
    if (this.#diskBytes() < grown + this.#logged(grown)) {
      throw new StoreError('full', this.#db.file);
    }
    try {
      this.#checkpoint.get();
      this.#db.write('room', () => this.#put.run([grown]));
      // Only now does the file itself take the space.
      this.#checkpoint.get();
    } finally {
      this.#freeUp();
    }
  }

  take(purchase: number, bytes: number): void {
    this.#reserved.set(purchase, bytes + SPARE_BYTES);
  }

  /** Releases the reservation of a purchase for the next write: its page, which may be larger. */
  use(purchase: number, bytes: number): void {
    const reserved = this.#reserved.get(purchase) ?? 0;
    this.#reserved.delete(purchase);
    if (bytes + SPARE_BYTES > reserved) this.find(bytes);
    // On a full disk the commit fits only into a reset log, which costs two more syncs.
    if (this.#diskBytes() < 2 * this.#logged(bytes + SPARE_BYTES)) this.#checkpoint.get();
  }

  giveUp(purchase: number): void {
    this.#reserved.delete(purchase);
  }

  #freeUp(): void {
    this.#db.write('room', () => this.#drop.run());
  }

  #diskBytes(): number {
    const { bavail, bsize } = statfsSync(dirname(this.#db.file));
    return bavail * bsize;
  }

  /** The size in the log of that many bytes of pages. */
  #logged(bytes: number): number {
    return bytes + Math.ceil(bytes / this.#pageBytes + 1) * FRAME_HEAD;
  }
}
