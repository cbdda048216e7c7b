import { createHmac } from 'node:crypto';
import type { CountsRequest } from '#contract/counts/count-operations.ts';
import { invalidParameters, invalidRequest } from '#contract/fault.ts';
import { unpackCursor, type Seal } from '#core/cursor.ts';

/** Seals page tokens with a key. */
export function sealBy(key: Uint8Array): Seal {
  return (text) => createHmac('sha256', key).update(text).digest();
}

/**
 * Reads the page token of a request.
 *
 * @param bound - The request and store that the token must have been issued for.
 * @returns Its fields; null if the request has no token.
 * @throws {@link Fault} 400 for a token of another request, or for two tokens.
 */
export function readPageToken(
  request: Pick<CountsRequest, 'next_token' | 'pagination_token'>,
  bound: string,
  seal: Seal,
): string[] | null {
  const { next_token: next, pagination_token: pagination } = request;
  if (next !== undefined && pagination !== undefined) {
    const rule = '`next_token` and `pagination_token` mean the same: give at most one of them';
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
