import { promisify } from 'node:util';
import { constants, gzip, brotliCompress } from 'node:zlib';

const gzipBytes = promisify(gzip);
const brotliBytes = promisify(brotliCompress);

/** Bodies below this gain nothing. */
const SMALLEST = 1400;

/** Low levels: an answer is sent once, and waiting for a better packing costs more than it saves. */
const GZIP_LEVEL = 1;
const BROTLI_LEVEL = 1;

export type Encoding = 'br' | 'gzip';

/** The encoding that a client likes best of those we have, by `Accept-Encoding`; null for none. */
export function chooseEncoding(accept: string | undefined): Encoding | null {
  const weights = new Map<string, number>();
  for (const part of (accept ?? '').split(',')) {
    const [name = '', ...parameters] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: Encoding): number => weights.get(name) ?? weights.get('*') ?? 0;
  const best = weightOf('br') > weightOf('gzip') ? 'br' : 'gzip';
  return weightOf(best) > 0 ? best : null;
}

/** Packs a body off the main thread, where the client takes it and it is worth it. */
export async function encode(
  body: Uint8Array,
  accept: string | undefined,
): Promise<{ body: Uint8Array; encoding: Encoding | null }> {
  const encoding = body.length < SMALLEST ? null : chooseEncoding(accept);
  if (encoding === 'gzip') return { body: await gzipBytes(body, { level: GZIP_LEVEL }), encoding };
  if (encoding === 'br') {
    const params = {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
    };
    return { body: await brotliBytes(body, { params }), encoding };
  }
  return { body, encoding };
}
