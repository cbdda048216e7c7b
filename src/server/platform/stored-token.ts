import { createCipheriv, createDecipheriv } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import { errorCode } from '#core/thrown.ts';

/** The sizes that NIST SP 800-38D recommends for AES-GCM with a key of 256 bits. */
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CIPHER = 'aes-256-gcm';

const base64 = v.pipe(v.string(), v.base64());
const Sealed = v.strictObject({ nonce: base64, tag: base64, token: base64 });

/** The token is kept but cannot be read. The message is for the user. */
export class StoredTokenError extends Error {
  override readonly name = 'StoredTokenError';
}

/** A token of the platform that the service keeps between its runs. */
export type StoredPlatformToken = ReturnType<typeof storedToken>;

function readIfPresent(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Writes a file that only this user may read, whole or not at all. */
function writePrivate(file: string, content: string | Uint8Array): void {
  const next = `${file}.new`;
  rmSync(next, { force: true });
  writeFileSync(next, content, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(next, file);
}

/**
 * Keeps a token encrypted (AES-256-GCM) in one file and its key in another, both readable only for this user: a copy of
 * the first file alone, such as in a log or a backup, does not reveal the token.
 *
 * @param files - Paths; neither needs to exist.
 * @param random - Gives `n` random bytes.
 */
export function storedToken(
  files: { readonly token: string; readonly key: string },
  random: (n: number) => Uint8Array,
) {
  const lost = (why: string): StoredTokenError =>
    new StoredTokenError(
      `The platform token cannot be read: ${why}. Enter it again in the settings.`,
    );
  return {
    /**
     * Null if none is kept.
     *
     * @throws {@link StoredTokenError} if its file is damaged or its key is missing.
     */
    read: (): string | null => {
      const sealed = readIfPresent(files.token);
      if (!sealed) return null;
      const key = readIfPresent(files.key);
      if (!key) throw lost('its key is missing');
      try {
        const { nonce, tag, token } = v.parse(Sealed, JSON.parse(sealed.toString('utf8')));
        const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'));
        decipher.setAuthTag(Buffer.from(tag, 'base64'));
        const parts = [decipher.update(Buffer.from(token, 'base64')), decipher.final()];
        return Buffer.concat(parts).toString('utf8');
      } catch {
        throw lost('its file or its key is damaged');
      }
    },
    write: (token: string): void => {
      const [key, nonce] = [random(KEY_BYTES), random(NONCE_BYTES)];
      const cipher = createCipheriv(CIPHER, key, nonce);
      const text = Buffer.concat([cipher.update(token, 'utf8'), cipher.final()]);
      const sealed = {
        nonce: Buffer.from(nonce).toString('base64'),
        tag: cipher.getAuthTag().toString('base64'),
        token: text.toString('base64'),
      };
      // A stop in between leaves no token, rather than one with another's key.
      rmSync(files.token, { force: true });
      writePrivate(files.key, key);
      writePrivate(files.token, JSON.stringify(sealed));
    },
    /** Removes the token and its key. */
    remove: (): void => {
      for (const file of [files.token, files.key]) rmSync(file, { force: true });
    },
  };
}
