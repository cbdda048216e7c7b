import { hash } from 'node:crypto';

/** Hash by which a bearer token is stored. */
export function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
