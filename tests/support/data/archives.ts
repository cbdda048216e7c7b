import { deflateSync, strToU8, unzipSync, Zip, ZipPassThrough, type ZipInputFile } from 'fflate';

/** The parts of an archive by name, the manifest first. */
export type Parts = Map<string, Uint8Array>;

type Json = Record<string, unknown>;

/** Unpacks an archive as any zip program does. */
export async function partsOf(file: Blob): Promise<Parts> {
  return new Map(Object.entries(unzipSync(new Uint8Array(await file.arrayBuffer()))));
}

/** Packs any parts into an archive with a valid layout and valid checksums. */
export function archiveOf(parts: Iterable<readonly [string, Uint8Array]>): Blob {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk);
  });
  for (const [name, bytes] of parts) {
    const sum = new ZipPassThrough(name);
    sum.ondata = () => undefined;
    sum.push(bytes, true);
    const stored = name === 'manifest.json';
    const entry: ZipInputFile = {
      filename: name,
      size: bytes.length,
      crc: sum.crc,
      compression: stored ? 0 : 8,
      mtime: new Date(1980, 0, 1, 12),
    };
    zip.add(entry);
    entry.ondata?.(null, stored ? Uint8Array.from(bytes) : deflateSync(bytes), true);
  }
  zip.end();
  return new Blob(chunks);
}

/** Changes the JSON of a part. */
export function rewritten(name: string, change: (json: Json) => void): (parts: Parts) => void {
  return (parts) => {
    const json = JSON.parse(new TextDecoder().decode(parts.get(name))) as Json;
    change(json);
    parts.set(name, strToU8(JSON.stringify(json)));
  };
}

/** The JSON value at a path. */
export const at = (json: Json, ...path: (string | number)[]): Json =>
  path.reduce<Json>((value, key) => value[key] as Json, json);

/** Repacks a file with changed parts. */
export async function forged(file: Blob, change: (parts: Parts) => void): Promise<Blob> {
  const parts = await partsOf(file);
  change(parts);
  return archiveOf(parts);
}

/** Bytes with one bit flipped. */
export function flipped(bytes: Uint8Array, bit: number): Blob {
  const other = Uint8Array.from(bytes);
  other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return new Blob([other]);
}

/** Offsets of a zip's local entries, its directory, the directory's entries, and the end record. */
export function boundaries(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = bytes.length - 22;
  const places = [view.getUint32(end + 16, true), end];
  for (let place = view.getUint32(end + 16, true); place < end;) {
    places.push(view.getUint32(place + 42, true));
    place += 46 + view.getUint16(place + 28, true);
    places.push(place);
  }
  return [...new Set(places)].sort((a, b) => a - b);
}
