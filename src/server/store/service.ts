import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { ACCESS_LEVELS } from '#contract/counts.ts';
import type { Access } from '#contract/counts.ts';
import { openStore } from './migrate.ts';
import { SERVICE_1 } from './migrations/service-1.ts';

/** A token that this service issued. The token itself is told once and never kept. */
export interface StoredToken {
  /** Hash of the token, as text; how it is made is the caller's. */
  readonly hash: string;
  readonly access: Access;
  /** Whether the platform's rate limits hold for it. */
  readonly limited: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
}

export interface Service {
  /** The 32 random bytes of that name, made at the first asking and the same ever after. */
  secret(name: string): Buffer;
  addToken(token: StoredToken): void;
  findToken(hash: string): StoredToken | undefined;
  close(): void;
}

const KIND = { application: 0x47537376, steps: [SERVICE_1] };

/**
 * Opens the file of secrets and tokens, made if it is absent.
 *
 * @throws {@link StoreError} as `openStore`; any function, when the file cannot be read or written.
 */
export function openService(file: string, deps: { random: (n: number) => Uint8Array }): Service {
  // Keys and hashes are for this user's eyes alone, in a folder that others may read too.
  if (existsSync(dirname(file)) && !existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const db = openStore(file, KIND, () => {});
  const secretOf = db.prepare('SELECT value FROM secret WHERE name = ?');
  const addSecret = db.prepare('INSERT INTO secret (name, value) VALUES (?, ?)');
  const addToken = db.prepare(
    'INSERT INTO token (hash, access, limited, created_at) VALUES (?, ?, ?, ?)',
  );
  const tokenOf = db.prepare('SELECT access, limited, created_at FROM token WHERE hash = ?');

  const found = (name: string): Buffer | undefined => {
    const value = secretOf.get([name])?.[0];
    return Buffer.isBuffer(value) ? value : undefined;
  };
  return {
    secret: (name) =>
      found(name) ??
      db.write('secret', () => {
        const other = found(name);
        if (other) return other;
        const value = Buffer.from(deps.random(32));
        addSecret.run([name, value]);
        return value;
      }),
    addToken: ({ hash, access, limited, createdAt }) => {
      db.write('token', () => addToken.run([hash, access, limited ? 1 : 0, createdAt]));
    },
    findToken: (hash) => {
      const row = tokenOf.get([hash]);
      const access = ACCESS_LEVELS.find((level) => level === row?.[0]);
      if (!row || !access) return undefined;
      return { hash, access, limited: row[1] === 1, createdAt: Number(row[2]) };
    },
    close: () => db.close(),
  };
}
