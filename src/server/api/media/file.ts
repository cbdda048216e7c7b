import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { nothingAt } from '#server/http/errors.ts';
import { typeOf, type MediaFiles } from '#server/media/media-files.ts';

/** The range of bytes that a request asks for: both ends included, or null if there is no such byte. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Reads a header `range` (RFC 9110, section 14).
 *
 * @param size - Of the file, bytes.
 * @returns Undefined if the whole file is to be sent: without the header, with several ranges, or with a malformed one.
 *   Null if the file has no byte of the range.
 */
export function byteRange(header: string | undefined, size: number): Range | null | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.replaceAll(' ', '') ?? '');
  if (!found) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '') {
    if (last === '') return undefined;
    const length = Math.min(Number(last), size);
    return length === 0 ? null : { from: size - length, to: size - 1 };
  }
  const from = Number(first);
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < from) return undefined;
  return from >= size ? null : { from, to };
}

/** Size of a finished file; null if there is none. */
function sizeOf(path: string): number | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : null;
}

/**
 * `GET /media/{hash}.{extension}`: a finished file, for everyone who knows its address. The service chooses its content
 * type. A browser neither guesses another one nor runs anything in it.
 */
export function mediaFile(files: MediaFiles) {
  return (c: Context): Response => {
    const name = c.req.param('file') ?? '';
    const type = typeOf(name);
    const size = type && sizeOf(files.path(name));
    if (!type || size === null) throw nothingAt(c);
    const tag = `"${name}"`;
    c.header('content-type', type.startsWith('text/') ? `${type}; charset=utf-8` : type);
    c.header('x-content-type-options', 'nosniff');
    c.header('content-security-policy', "sandbox; default-src 'none'");
    c.header('cache-control', 'public, max-age=31536000, immutable');
    c.header('accept-ranges', 'bytes');
    c.header('etag', tag);
    const held = c.req.header('if-none-match')?.split(/\s*,\s*/) ?? [];
    if (held.some((each) => each === tag || each === '*')) return c.body(null, 304);
    const asked = c.req.header('if-range');
    const range =
      asked === undefined || asked === tag ? byteRange(c.req.header('range'), size) : undefined;
    if (range === null) {
      c.header('content-range', `bytes */${size}`);
      return c.body(null, 416);
    }
    const { from, to } = range ?? { from: 0, to: size - 1 };
    c.header('content-length', String(to - from + 1));
    if (range) c.header('content-range', `bytes ${from}-${to}/${size}`);
    const status = range ? 206 : 200;
    if (c.req.method === 'HEAD') return c.body(null, status);
    const stream = createReadStream(files.path(name), { start: from, end: to });
    return c.body(Readable.toWeb(stream) as ReadableStream<Uint8Array>, status);
  };
}
