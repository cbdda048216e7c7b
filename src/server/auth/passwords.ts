import { scrypt, timingSafeEqual } from 'node:crypto';
import { Semaphore } from '#core/semaphore.ts';

/** The cost of hashing one password: `2 ** log2` × `block` × 128 bytes of memory, `lanes` times one after the other. */
export interface HashCost {
  readonly log2: number;
  readonly block: number;
  readonly lanes: number;
}

/**
 * The parameters that the OWASP Password Storage Cheat Sheet asks of scrypt (N = 2^17, r = 8, p = 1): 128 MiB. It
 * prefers Argon2id, which Node 20 does not have.
 */
export const HASH_COST: HashCost = { log2: 17, block: 8, lanes: 1 };

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/** Passwords that wait to be hashed, at most. */
const MOST_WAITING = 16;

const HASH = /^scrypt:(\d|1\d|20):(\d{1,2}):(\d{1,2}):([\w-]{22}):([\w-]{43})$/;

/** Hashes passwords, one at a time: each takes 128 MiB, and anyone may have one compared. */
export type Passwords = ReturnType<typeof openPasswords>;

export function openPasswords(random: (n: number) => Uint8Array, cost: HashCost = HASH_COST) {
  const turns = new Semaphore(1);
  let waiting = 0;
  const keyOf = async (
    password: string,
    salt: Uint8Array,
    { log2, block: r, lanes: p }: HashCost,
  ): Promise<Buffer> => {
    const N = 2 ** log2;
    const options = { N, r, p, maxmem: 128 * N * r + 1024 * 1024 };
    // Two ways to write one character must not be two passwords (NIST SP 800-63B, section 5.1.1.2).
    const text = password.normalize('NFKC');
    waiting += 1;
    try {
      return await turns.take(
        () =>
          new Promise<Buffer>((resolve, reject) => {
            scrypt(text, salt, KEY_BYTES, options, (error, key) => {
              if (error) reject(error);
              else resolve(key);
            });
          }),
      );
    } finally {
      waiting -= 1;
    }
  };
  return {
    /**
     * Hashes a password with a new salt.
     *
     * @returns Text with the parameters: `scrypt:LOG2:BLOCK:LANES:SALT:KEY`, the last two in base64url.
     */
    hash: async (password: string): Promise<string> => {
      const salt = Buffer.from(random(SALT_BYTES));
      const key = await keyOf(password, salt, cost);
      const { log2, block, lanes } = cost;
      const texts = [salt, key].map((bytes) => bytes.toString('base64url'));
      return ['scrypt', log2, block, lanes, ...texts].join(':');
    },
    /** True if a password is the one of a hash, compared in constant time; false for a hash that cannot be read. */
    matches: async (password: string, hash: string): Promise<boolean> => {
      const found = HASH.exec(hash);
      if (!found) return false;
      const [, log2, block, lanes, salt = '', key = ''] = found;
      const used = { log2: Number(log2), block: Number(block), lanes: Number(lanes) };
      const shown = await keyOf(password, Buffer.from(salt, 'base64url'), used);
      return timingSafeEqual(shown, Buffer.from(key, 'base64url'));
    },
    /** True while so many wait that another one should be refused. */
    get isBusy(): boolean {
      return waiting >= MOST_WAITING;
    },
  };
}
