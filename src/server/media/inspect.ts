import { open, type FileHandle } from 'node:fs/promises';
import {
  fits,
  FORMATS,
  invalidMedia,
  unsupportedMedia,
  violation,
  type Content,
  type Format,
  type MediaKind,
  type MediaFault,
} from './content.ts';
import { BrokenFileError, readGif } from './gif.ts';
import { readVideo, UncheckableFileError } from './video.ts';

/** Bytes from a file's beginning by which its type is recognized (file-type, `reasonableDetectionSizeInBytes`). */
export const MEDIA_HEAD_BYTES = 4100;
/** Bytes in which most images say their size; others are read whole. */
const IMAGE_HEAD_BYTES = 64 * 1024;
/** Most pixels of a side, as in the formats' own headers of two bytes. */
const MOST_SIDE = 65_535;

/** A type by a file's content. `format` is null for one that the platform knows and this service cannot check. */
export interface Recognized {
  readonly mime: string;
  readonly format: Format | null;
}

/** Types of videos that the platform names (platform-facts-additions, section 3a), and this service cannot check. */
const UNCHECKED: ReadonlySet<string> = new Set(['video/webm', 'video/mp2t', 'video/matroska']);
/** Names by which file-type knows MP4 files. */
const MP4: ReadonlySet<string> = new Set(['video/mp4', 'video/x-m4v']);

const VTT = /^\ufeff?WEBVTT(?:[ \t\n\r]|$)/;
const SRT =
  /^\ufeff?\s*\d+[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->[ \t]*\d{1,3}:\d\d:\d\d[,.]\d{1,3}/;

function isFormat(mime: string): mime is Format {
  return Object.hasOwn(FORMATS, mime);
}

/**
 * Recognizes a file by its beginning.
 *
 * @param head - Its first {@link MEDIA_HEAD_BYTES} bytes, or all if it has fewer.
 * @returns Null if it is none of the types that the platform knows.
 */
export async function recognize(head: Uint8Array): Promise<Recognized | null> {
  const { fileTypeFromBuffer } = await import('file-type');
  const mime = (await fileTypeFromBuffer(head))?.mime ?? 'text/plain';
  if (MP4.has(mime)) return { mime, format: 'video/mp4' };
  if (isFormat(mime)) return { mime, format: mime };
  if (UNCHECKED.has(mime)) return { mime, format: null };
  const text = Buffer.from(head).toString('utf8');
  if (VTT.test(text)) return { mime: 'text/vtt', format: 'text/vtt' };
  return SRT.test(text) ? { mime: 'text/srt', format: 'text/srt' } : null;
}

/** The beginning of a file. */
async function headOf(file: FileHandle, bytes: number): Promise<Buffer> {
  const head = Buffer.alloc(bytes);
  const { bytesRead } = await file.read(head, 0, bytes, 0);
  return head.subarray(0, bytesRead);
}

async function readImage(file: FileHandle, size: number, format: Format): Promise<Content> {
  const { imageSize } = await import('image-size');
  for (const bytes of [IMAGE_HEAD_BYTES, size]) {
    const whole = bytes >= size;
    try {
      const found = imageSize(await headOf(file, Math.min(bytes, size)));
      // JPEG turns images by a quarter with the values 5 to 8.
      const isTurned = (found.orientation ?? 1) >= 5;
      const [width, height] = isTurned ? [found.height, found.width] : [found.width, found.height];
      if (Math.min(width, height) < 1 || Math.max(width, height) > MOST_SIDE) {
        throw new BrokenFileError(`it says that it has ${width}×${height} pixels`);
      }
      return { format, width, height };
    } catch (error) {
      if (error instanceof BrokenFileError) throw error;
      if (whole) throw new BrokenFileError('the size of the image cannot be read');
    }
  }
  throw new BrokenFileError('the image is empty');
}

async function readSubtitles(file: FileHandle, size: number, format: Format): Promise<Content> {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(await headOf(file, size));
  } catch {
    throw new BrokenFileError('subtitles must be in UTF-8');
  }
  return { format, width: 0, height: 0 };
}

async function read(file: FileHandle, size: number, format: Format): Promise<Content> {
  switch (format) {
    case 'image/gif':
      return await readGif(file.createReadStream({ start: 0, autoClose: false }));
    case 'video/mp4':
    case 'video/quicktime':
      return await readVideo(file, size, format);
    case 'text/vtt':
    case 'text/srt':
      return await readSubtitles(file, size, format);
    default:
      return await readImage(file, size, format);
  }
}

/**
 * Checks a file by its content, whatever its name and declared type.
 *
 * @param size - Bytes; at most what its kind allows.
 * @returns The findings, or the reason the file is refused. Rejects only if the file cannot be read.
 */
export async function inspect(
  path: string,
  size: number,
  kind: MediaKind,
): Promise<{ readonly content: Content } | { readonly fault: MediaFault }> {
  const file = await open(path);
  try {
    const recognized = await recognize(await headOf(file, MEDIA_HEAD_BYTES));
    if (!recognized) return { fault: invalidMedia('media type unrecognized') };
    const { format, mime } = recognized;
    if (!format) return { fault: unsupportedMedia(`This service cannot check files of ${mime}`) };
    if (!fits(format, kind)) return { fault: invalidMedia(`A file of ${mime} is no ${kind}`) };
    const content = await read(file, size, format);
    const exceeded = violation(kind, content);
    return exceeded === null ? { content } : { fault: invalidMedia(exceeded) };
  } catch (error) {
    if (error instanceof BrokenFileError) {
      return { fault: invalidMedia(`The file is damaged: ${error.message}`) };
    }
    if (error instanceof UncheckableFileError) {
      return { fault: unsupportedMedia(`This service cannot check the video: ${error.message}`) };
    }
    throw error;
  } finally {
    await file.close();
  }
}
