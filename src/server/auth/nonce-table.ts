import { hash } from 'node:crypto';
import type { Db } from '#server/db/driver.ts';

/** Bytes of a hash: enough that two nonces never share one. */
const HASH_BYTES = 16;

/**
 * Nonces of signed requests, so that each works once.
 *
 * @param db - A connection of its own, whose commits do not wait for the disk: with a log, they outlive the process all
 *   the same, and a signed request would otherwise take as long as the disk.
 */
export function nonceTable(db: Db) {
  db.exec('PRAGMA synchronous = NORMAL');
  const insert = db.prepare('INSERT INTO nonce (at, hash) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const prune = db.prepare('DELETE FROM nonce WHERE at < ?');
  return {
    /**
     * Records a nonce. A killed process does not forget it.
     *
     * @param token - The OAuth 1.0a token, or the API key of a request without one.
     * @param at - The request's timestamp, Unix seconds.
     * @returns False if it was recorded before.
     */
    take: (token: string, nonce: string, at: number): boolean => {
      const digest = hash('sha256', `${token}\n${nonce}`, 'buffer').subarray(0, HASH_BYTES);
      return insert.run([at, digest]) === 1;
    },
    /** Forgets nonces with a timestamp before an instant, Unix seconds. */
    prune: (before: number): void => void prune.run([before]),
  };
}
