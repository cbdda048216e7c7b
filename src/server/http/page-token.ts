import { createHmac } from 'node:crypto';
import type { CountsRequest } from '#contract/counts.ts';
import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import { unpackCursor } from '#core/cursor.ts';
import type { Seal } from '#core/cursor.ts';

/** The seal of page tokens by a key. */
export function sealBy(key: Uint8Array): Seal {
  return (text) => createHmac('sha256', key).update(text).digest();
}

/**
 * Reads the page token of a request.
 *
 * @param bound - What the token must have been made for.
 * @returns Its fields; null where the request has none.
 * @throws {@link Fault} 400 for a token of another request, or for two tokens.
 */
export function readPageToken(
  request: Pick<CountsRequest, 'next_token' | 'pagination_token'>,
  bound: string,
  seal: Seal,
): string[] | null {
  const { next_token: next, pagination_token: pagination } = request;
  if (next !== undefined && pagination !== undefined) {
    const rule =
      '`next_token` and `pagination_token` mean the same: at most one of them may be given';
    throw invalidParameters([
      { parameter: 'next_token', value: next, message: rule },
      { parameter: 'pagination_token', value: pagination, message: rule },
    ]);
  }
  const token = next ?? pagination;
  if (token === undefined) return null;
  const fields = unpackCursor(token, bound, seal);
  if (fields) return fields;
  const parameter = next === undefined ? 'pagination_token' : 'next_token';
  const rule = `The \`${parameter}\` query parameter value [${token}] is not a valid token for this request`;
  throw invalidRequest(parameter, token, rule);
}
