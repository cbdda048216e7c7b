/*
 * The members of a gzip file (RFC 1952, section 2.3): a header, deflated data, and a CRC-32 with the length.
 */
const MAGIC = 0x1f8b;
const DEFLATE = 8;
const FIXED = 10;
const HAS = { crc: 2, extra: 4, name: 8, comment: 16 } as const;
const RESERVED = 0xe0;

/** Bytes that a header may have here: its extra field is at most 64 KB, its name and comment are short. */
export const GZIP_HEADER = 128 * 1024;

/** Bytes behind the data of a member; the first four are its CRC-32, low byte first. */
export const GZIP_TRAILER = 8;

/**
 * Length of the header of a member.
 *
 * @param head - The first {@link GZIP_HEADER} bytes from its beginning on, or fewer at the end of a file.
 * @returns Null if there is no header.
 */
export function gzipHeaderLength(head: Buffer): number | null {
  if (head.length < FIXED || head.readUInt16BE(0) !== MAGIC || head[2] !== DEFLATE) return null;
  const flags = head[3] ?? 0;
  if (flags & RESERVED) return null;
  let at = FIXED;
  if (flags & HAS.extra) {
    if (at + 2 > head.length) return null;
    at += 2 + head.readUInt16LE(at);
  }
  for (const text of [HAS.name, HAS.comment]) {
    if (!(flags & text)) continue;
    const end = head.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  if (flags & HAS.crc) at += 2;
  return at <= head.length ? at : null;
}
