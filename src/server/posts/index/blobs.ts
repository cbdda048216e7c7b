import type { Ordinals } from '#server/index/ordinals.ts';
import { positionsIn, type Positions } from '#server/index/positions.ts';
import type { Cell } from '#server/db/driver.ts';

/** Bytes in the machine's order, which is also the stored one: every supported platform is little-endian. */
export function blobOf(array: Uint8Array | Uint16Array | Uint32Array | BigInt64Array): Buffer {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength);
}

/** A blob at an address from which wider elements can be read: itself, or a copy if it is not aligned. */
function aligned(cell: Cell | undefined): Buffer {
  if (!Buffer.isBuffer(cell)) throw new TypeError(`expected a blob, got ${typeof cell}`);
  return cell.byteOffset % 8 === 0 ? cell : Buffer.from(Uint8Array.from(cell).buffer);
}

/** A blob as 32-bit numbers, such as times. */
export function blobWords(cell: Cell | undefined): Uint32Array {
  const blob = aligned(cell);
  return new Uint32Array(blob.buffer, blob.byteOffset, blob.byteLength / 4);
}

/** A blob as ids of Posts. */
export function blobIds(cell: Cell | undefined): BigInt64Array {
  const blob = aligned(cell);
  return new BigInt64Array(blob.buffer, blob.byteOffset, blob.byteLength / 8);
}

const BITMAP_BYTES = 8192;

/** A blob as a set of ordinals. A list of 4,096 or more is a bitmap, so the length identifies the form. */
export function blobList(cell: Cell | undefined): Ordinals {
  const blob = aligned(cell);
  if (blob.byteLength === BITMAP_BYTES) return blobWords(blob);
  return new Uint16Array(blob.buffer, blob.byteOffset, blob.byteLength / 2);
}

/** A blob as the positions of a word in the Posts of its list; null if it does not fit the list. */
export function blobPositions(cell: Cell | undefined, posts: Ordinals): Positions | null {
  return positionsIn(posts, aligned(cell));
}

/** A blob as a text; empty if it is none. */
export function blobText(cell: Cell | undefined): string {
  return Buffer.isBuffer(cell) ? cell.toString('utf8') : '';
}
