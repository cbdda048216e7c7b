import { hash, timingSafeEqual } from 'node:crypto';
import { FetchError, type FetchFault } from '#server/fetcher/fetch-error.ts';
import type { Fetcher } from '#server/fetcher/fetcher.ts';
import { signatureOf } from '#server/streams/deliverer.ts';
import { randomText } from '#server/random.ts';

/** A check of a receiver that failed. */
export interface CrcFault {
  /** `response` for an answer without the right token; otherwise why the request failed. */
  readonly fault: FetchFault | 'response';
  /** A sentence. */
  readonly message: string;
}

/**
 * True if a failed check says that the receiver is wrong. Others may pass: no answer, a status, no connection
 * (platform-facts, 6.4). An address that is refused does not pass either.
 */
export function isDefinite({ fault }: CrcFault): boolean {
  return fault !== 'timeout' && fault !== 'status' && fault !== 'connection';
}

function tokenIn(body: Buffer): unknown {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    return typeof json === 'object' && json !== null && 'response_token' in json
      ? json.response_token
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks that a receiver knows the consumer secret of its app: `GET url?crc_token=…` must be answered with the HMAC of
 * the token as `response_token`.
 *
 * @returns Null if it does; otherwise why not.
 */
export async function checkReceiver(
  { send, random }: { send: Fetcher['send']; random: (n: number) => Uint8Array },
  { url, secret }: { url: string; secret: string },
  signal?: AbortSignal,
): Promise<CrcFault | null> {
  const token = randomText(random, 24);
  const parameter = `crc_token=${token}`;
  try {
    const at = `${url}${url.includes('?') ? '&' : '?'}${parameter}`;
    const { status, body } = await send({ method: 'GET', url: at, ...(signal && { signal }) });
    if (status !== 200) {
      return { fault: 'status', message: `The server answered with status ${status}, not 200.` };
    }
    const shown = tokenIn(body);
    if (typeof shown !== 'string') {
      const message = 'The answer is not a JSON object with a response_token.';
      return { fault: 'response', message };
    }
    const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
    if (timingSafeEqual(digest(shown), digest(signatureOf(secret, token)))) return null;
    return { fault: 'response', message: 'Invalid response_token' };
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    return { fault: error.fault, message: error.message };
  }
}
