import { hash, timingSafeEqual } from 'node:crypto';

/** Hash by which a bearer token is stored. */
export function hashOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** True if two secrets are the same; takes a time that says nothing about them. */
export function isSameSecret(secret: string, other: string): boolean {
  return timingSafeEqual(hash('sha256', secret, 'buffer'), hash('sha256', other, 'buffer'));
}
