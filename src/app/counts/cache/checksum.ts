import type { CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';

/** A row of the cache as stored; rows of earlier versions have no checksum. */
export type Sealed<T> = T & { readonly checksum?: number };

/** A 32-bit checksum, much faster than CRC-32. It always detects a change of one word. */
function mixed(view: ArrayBufferView): number {
  const { buffer, byteOffset, byteLength } = view;
  const words = new Uint32Array(buffer, byteOffset, byteLength >> 2);
  const rest = new Uint8Array(buffer, byteOffset + words.byteLength, byteLength & 3);
  // Two independent halves, which the processor computes in parallel.
  let a = byteLength;
  let b = 0x9e37_79b9;
  const pairs = words.length & ~1;
  for (let i = 0; i < pairs; i += 2) {
    a = Math.imul(a ^ (words[i] ?? 0), 0x85eb_ca6b);
    a = (a << 15) | (a >>> 17);
    b = Math.imul(b ^ (words[i + 1] ?? 0), 0xc2b2_ae35);
    b = (b << 13) | (b >>> 19);
  }
  for (const word of [...words.subarray(pairs), ...rest]) {
    a = Math.imul(a ^ word, 0x85eb_ca6b);
    a = (a << 15) | (a >>> 17);
  }
  return (a ^ b) >>> 0;
}

/** The 32-bit checksum of a text. */
export function textChecksum(text: string): number {
  return mixed(new TextEncoder().encode(text));
}

function checksum(content: object): number {
  return textChecksum(
    JSON.stringify(content, (_, value: unknown) =>
      ArrayBuffer.isView(value) ? [value.constructor.name, mixed(value)] : value,
    ),
  );
}

/** Adds the checksum of everything in a row. */
export function sealed<T extends object>(row: T): Sealed<T> {
  return { ...row, checksum: checksum(row) };
}

/**
 * Returns the content of a row; null if it has changed since it was written. A row without a checksum passes, except a
 * summary of large counts: its sums may have overflowed.
 */
export function intact<T extends CellRecord | CellSummary>(row: Sealed<T>): T | null {
  const { checksum: was, ...content } = row;
  const good =
    was === undefined
      ? !('days' in row) || row.days.max.BYTES_PER_ELEMENT < 4
      : was === checksum(content);
  return good ? (content as unknown as T) : null;
}
