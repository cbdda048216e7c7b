import { ZipPassThrough } from 'fflate';

/** The CRC-32 of bytes, which any change of up to four bytes in a row changes. */
export function crcOf(bytes: Uint8Array): number {
  const sum = new ZipPassThrough('');
  sum.ondata = () => undefined;
  sum.push(bytes, true);
  return sum.crc >>> 0;
}
