import { deflateSync, Zip, type ZipInputFile } from 'fflate';
import { crcOf } from '#core/export/crc.ts';
import type { Manifest } from './archive-schema.ts';
import {
  ARCHIVE_KINDS,
  MAX_ENTRY,
  MAX_ENTRIES,
  MANIFEST,
  STORED,
  DEFLATED,
} from './archive-kind.ts';

/** Compressed bytes to collect before they move to a Blob, which the browser may keep on disk. */
const BLOCK_BYTES = 2 ** 23;
/** Constant, so that the same data gives the same bytes. Zip has no zones: local noon is the same text everywhere. */
const WRITTEN_AT = new Date(1980, 0, 1, 12);

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** An entry to write, in pieces. */
export interface Part {
  readonly name: string;
  readonly pieces: readonly Uint8Array[];
}

/** JSON as the content of an entry. */
export function jsonPart(name: string, value: unknown): Part {
  return { name, pieces: [new TextEncoder().encode(JSON.stringify(value))] };
}

/**
 * Writes a file. The same manifest and parts give the same bytes. Only one part and some compressed bytes are in memory
 * at a time.
 *
 * @throws {RangeError} if the file would be larger than {@link openArchive} reads.
 */
export async function writeArchive(
  manifest: Manifest,
  parts: AsyncIterable<Part> | Iterable<Part>,
): Promise<Blob> {
  const { name, maxFile, maxInflated } = ARCHIVE_KINDS[manifest.groundswell];
  let blob = new Blob([]);
  let block: Uint8Array<ArrayBuffer>[] = [];
  let blockBytes = 0;
  let inflated = 0;
  let entries = 0;
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    block.push(chunk);
    blockBytes += chunk.length;
  });
  const refuseBeyond = (limit: number, got: number, what: string): void => {
    if (got <= limit) return;
    throw new RangeError(
      `The file would be ${name} of more than ${limit} ${what}, too large to open again. Choose fewer series or a shorter range.`,
    );
  };
  const add = ({ name: filename, pieces }: Part): void => {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    entries += 1;
    inflated += size;
    refuseBeyond(MAX_ENTRY, size, 'bytes in one part');
    refuseBeyond(maxInflated, inflated, 'bytes unpacked');
    refuseBeyond(MAX_ENTRIES, entries, 'parts');
    const content = joined(pieces, size);
    const compression = filename === MANIFEST ? STORED : DEFLATED;
    const crc = crcOf(content);
    const entry: ZipInputFile = { filename, size, crc, compression, mtime: WRITTEN_AT };
    zip.add(entry);
    // Deflated in one call, because fflate's streaming `Deflate` can write invalid distances.
    // https://github.com/101arrowz/fflate/issues/260
    entry.ondata?.(null, compression === STORED ? content : deflateSync(content), true);
    refuseBeyond(maxFile, blob.size + blockBytes, 'bytes');
    if (blockBytes < BLOCK_BYTES) return;
    blob = new Blob([blob, ...block]);
    block = [];
    blockBytes = 0;
  };
  add(jsonPart(MANIFEST, manifest));
  for await (const part of parts) add(part);
  zip.end();
  refuseBeyond(maxFile, blob.size + blockBytes, 'bytes');
  // Not the zip type, because some browsers would append `.zip` to the name.
  return new Blob([blob, ...block], { type: 'application/octet-stream' });
}
