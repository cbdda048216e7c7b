import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { errorCode } from '#core/thrown.ts';
import { CommandError } from '#server/command-error.ts';

/** A certificate with its chain, and its key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

function fileOf(file: string, what: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errorCode(error) || String(error);
    throw new CommandError(`Cannot read the ${what} ${file}: ${code}.`);
  }
}

/** Reads a part of a pair. The message of a failure never repeats any of the file. */
function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new CommandError(`${file} is not ${what} as PEM.`);
  }
}

/**
 * Reads a certificate and its key.
 *
 * @param names - Names of the service, as they are in origins.
 * @param now - Epoch ms.
 * @throws {@link CommandError} if a file cannot be read, if the two do not belong together, or if the certificate is not
 *   valid now and for every name.
 */
export function readCertificate(
  files: { readonly cert: string; readonly key: string },
  names: readonly string[],
  now: number,
): Certificate {
  const cert = fileOf(files.cert, 'certificate');
  const key = fileOf(files.key, 'key of the certificate');
  const own = parsed(files.cert, 'a certificate', () => new X509Certificate(cert));
  const secret = parsed(files.key, 'a key without a password', () => createPrivateKey(key));
  if (!own.checkPrivateKey(secret)) {
    throw new CommandError(`${files.key} is not the key of the certificate ${files.cert}.`);
  }
  parsed(files.cert, 'a certificate with its chain', () => createSecureContext({ cert, key }));
  const [from, to] = [Date.parse(own.validFrom), Date.parse(own.validTo)];
  if (now < from || now > to) {
    const when = now > to ? `expired on ${own.validTo}` : `is valid from ${own.validFrom}`;
    throw new CommandError(`The certificate ${files.cert} ${when}.`);
  }
  for (const name of names) {
    const bare = name.replace(/^\[|\]$/g, '');
    const isFor = isIP(bare) === 0 ? own.checkHost(name) : own.checkIP(bare);
    if (isFor !== undefined) continue;
    const known = own.subjectAltName ?? 'no name';
    throw new CommandError(`The certificate ${files.cert} is not for ${name}: it has ${known}.`);
  }
  return { cert, key };
}
