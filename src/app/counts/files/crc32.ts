const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let c = byte;
  for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ 0xedb8_8320 : c >>> 1;
  return c;
});

/** CRC-32 (of gzip and PNG) of bytes that follow on those of `before`. */
export function crc32(bytes: Uint8Array, before = 0): number {
  let c = ~before;
  for (let i = 0; i < bytes.length; i += 1) {
    c = (c >>> 8) ^ (TABLE[(c ^ (bytes[i] ?? 0)) & 255] ?? 0);
  }
  return ~c >>> 0;
}
