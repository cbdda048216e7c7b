import type { FileHandle } from 'node:fs/promises';
import { BrokenFileError } from './gif.ts';
import type { Content } from './content.ts';

/** Thrown for a file that this service cannot check, though others may play it. */
export class UncheckableFileError extends Error {
  override readonly name = 'UncheckableFileError';
}

/** Most bytes of the box with the tables of a video: a hundred times what the longest one needs. */
const MOST_MOOV = 8 * 1024 ** 2;
/** Most boxes at the top of a file, and of the tables. A video has some ten, and some twenty per track. */
const MOST_BOXES = 1000;
/** The depth to which the boxes that a check needs are nested: moov, trak, mdia, minf, stbl, stts. */
const DEPTH = 6;

interface Box {
  readonly type: string;
  /** Place of its first byte, and of the byte after its header, in the file or buffer. */
  readonly start: number;
  readonly body: number;
  readonly end: number;
}

/**
 * Reads the header of a box (ISO/IEC 14496-12, section 4.2).
 *
 * @param bytes - From the box's first byte on.
 * @param limit - End of what contains the box.
 * @throws {@link BrokenFileError} if it does not fit there.
 */
function boxAt(bytes: Buffer, start: number, limit: number): Box {
  const tooLong = (): BrokenFileError => new BrokenFileError(`the box at byte ${start} ends early`);
  if (bytes.length < 8) throw tooLong();
  const short = bytes.readUInt32BE(0);
  if (short === 1 && bytes.length < 16) throw tooLong();
  const [header, size] =
    short === 1 ? [16, Number(bytes.readBigUInt64BE(8))] : [8, short === 0 ? limit - start : short];
  const end = start + size;
  if (size < header || end > limit) throw tooLong();
  return { type: bytes.toString('latin1', 4, 8), start, body: start + header, end };
}

function tooMany(): UncheckableFileError {
  return new UncheckableFileError(`it has more than ${MOST_BOXES} boxes`);
}

/** The boxes at the top of a file, which fill it. */
async function topBoxes(file: FileHandle, size: number): Promise<Box[]> {
  const boxes: Box[] = [];
  const header = Buffer.alloc(16);
  for (let at = 0; at < size; at = boxes.at(-1)?.end ?? size) {
    if (boxes.length === MOST_BOXES) throw tooMany();
    const { bytesRead } = await file.read(header, 0, 16, at);
    boxes.push(boxAt(header.subarray(0, bytesRead), at, size));
  }
  return boxes;
}

/** The boxes that a check needs, and those that contain them. */
const CONTAINERS: ReadonlySet<string> = new Set(['trak', 'mdia', 'minf', 'stbl']);
const NEEDED: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd', 'hdlr', 'stts']);

/**
 * Makes every box of `moov` that the check does not need a free one, so that the parser skips it: tables may claim
 * billions of entries in a few bytes.
 *
 * @returns The number of boxes.
 */
function freeOthers(moov: Buffer, from: number, to: number, depth = 1): number {
  let boxes = 0;
  for (let at = from; at < to;) {
    const box = boxAt(moov.subarray(at, Math.min(at + 16, to)), at, to);
    boxes += 1;
    const isContainer = CONTAINERS.has(box.type) && depth < DEPTH;
    if (isContainer) boxes += freeOthers(moov, box.body, box.end, depth + 1);
    else if (!NEEDED.has(box.type)) moov.write('free', at + 4, 'latin1');
    else if (box.type === 'stts') checkEntries(moov, box);
    if (boxes > MOST_BOXES) throw tooMany();
    at = box.end;
  }
  return boxes;
}

/** Requires that a table of times has the entries that it claims. */
function checkEntries(moov: Buffer, { body, end }: Box): void {
  const entries = end - body < 8 ? Infinity : moov.readUInt32BE(body + 4);
  if (body + 8 + entries * 8 <= end) return;
  throw new BrokenFileError('a table of times is shorter than it says');
}

/** True if a track is shown turned by a quarter, by its matrix (ISO/IEC 14496-12, section 8.3.2). */
function isTurned(matrix: ArrayLike<number> | undefined): boolean {
  return matrix !== undefined && matrix[0] === 0 && matrix[4] === 0 && matrix[1] !== 0;
}

/**
 * Reads the size, duration and rate of a video in an MP4 or QuickTime file. Of the file it reads only the box with the
 * tables, at most 8 MiB.
 *
 * @param size - Of the file, bytes.
 *
 * Rejects with {@link BrokenFileError} if the file is damaged or has no picture, {@link UncheckableFileError} if it is
 * built in a way that this service does not read.
 */
export async function readVideo(
  file: FileHandle,
  size: number,
  format: 'video/mp4' | 'video/quicktime',
): Promise<Content> {
  const boxes = await topBoxes(file, size);
  const place = boxes.find(({ type }) => type === 'moov');
  if (!place) throw new BrokenFileError('it has no moov box');
  const bytes = place.end - place.start;
  if (bytes > MOST_MOOV) throw new UncheckableFileError(`its moov box has ${bytes} bytes`);
  if (boxes.some(({ type }) => type === 'moof')) {
    throw new UncheckableFileError('it is fragmented');
  }
  const moov = Buffer.alloc(bytes);
  await file.read(moov, 0, bytes, place.start);
  freeOthers(moov, place.body - place.start, bytes);
  return { format, ...(await parse(moov)) };
}

/** Seconds of a box with a time scale. */
function seconds(box: { duration: number; timescale: number } | undefined): number {
  return box && box.timescale > 0 ? box.duration / box.timescale : 0;
}

async function parse(moov: Buffer): Promise<Omit<Content, 'format'>> {
  // Loaded with the first video: it takes some tens of megabytes.
  const { createFile, MP4BoxBuffer, Log } = await import('mp4box');
  // It prints what is wrong with a file; here the answer says so.
  Log.error = () => {};
  const file = createFile(false);
  const exact = moov.buffer.slice(moov.byteOffset, moov.byteOffset + moov.length);
  try {
    file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(exact, 0), true);
  } catch {
    // The parser expects every track to be complete, and fails in various ways where one is not.
    throw new BrokenFileError('its tables are incomplete');
  }
  const tracks = file.moov?.traks ?? [];
  const picture = tracks.find(({ mdia }) => mdia?.hdlr?.handler === 'vide');
  if (!picture) throw new BrokenFileError('it has no video track');
  const { tkhd, mdia } = picture;
  // Both are numbers with 16 binary places.
  const [across, down] = [tkhd.width / 65_536, tkhd.height / 65_536].map(Math.round);
  const [width = 0, height = 0] = isTurned(tkhd.matrix) ? [down, across] : [across, down];
  const shown = seconds(mdia.mdhd);
  const counts: readonly number[] = mdia.minf?.stbl?.stts?.sample_counts ?? [];
  const images = counts.reduce((sum, n) => sum + n, 0);
  if (shown <= 0 || images === 0) throw new BrokenFileError('its video track has no images');
  return {
    width,
    height,
    durationMs: Math.round(Math.max(shown, seconds(file.moov.mvhd)) * 1000),
    rate: Math.round((images / shown) * 100) / 100,
  };
}
