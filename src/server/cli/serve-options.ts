import { ipOf, readBlock, type AddressBlock } from '#server/http/forwarded.ts';
import { nameOf } from '#server/http/origin.ts';
import { UsageError, type Option, type Values } from './options.ts';

/** How other machines reach the service. */
export interface NetworkOptions {
  /** Names that people open it by. */
  readonly names: readonly string[];
  /** Files of the certificate and of its key; null where only a reverse proxy speaks HTTPS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null if clients connect to the service itself. */
  readonly proxies: readonly AddressBlock[] | null;
}

/** Where the service listens. */
export interface ListenOptions {
  /** IP address. */
  readonly host: string;
  /** Null if only this machine reaches it. */
  readonly network: NetworkOptions | null;
}

export const LISTEN_OPTIONS: Readonly<Record<string, Option>> = {
  host: { type: 'string' },
  name: { type: 'string' },
  'tls-cert': { type: 'string' },
  'tls-key': { type: 'string' },
  'trusted-proxy': { type: 'string' },
};

export const LISTEN_HELP = `  --host ADDRESS
                IP address to listen on (default: 127.0.0.1). Any other one needs HTTPS: a certificate, or a reverse
                proxy that has one. People then sign in, see groundswell login --help
  --name NAME   host name that people open the service by; repeat it for several
  --tls-cert FILE, --tls-key FILE
                the certificate with its chain, and its key, as PEM; SIGHUP reads them again
  --trusted-proxy ADDRESS
                address or block such as 10.0.0.0/8 of the reverse proxy, which alone may connect; repeat it for several
`;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** One option's values, also several in one separated by commas. */
function listOf(values: Values, option: string): string[] {
  return (values.get(option) ?? [])
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

function proxiesOf(values: Values): AddressBlock[] | null {
  if (!values.has('trusted-proxy')) return null;
  const blocks = listOf(values, 'trusted-proxy').map((text) => {
    try {
      return readBlock(text);
    } catch (error) {
      if (error instanceof RangeError) throw new UsageError(`--trusted-proxy ${error.message}.`);
      throw error;
    }
  });
  if (blocks.length === 0) throw new UsageError('--trusted-proxy names no address.');
  return blocks;
}

function tlsOf(values: Values): NetworkOptions['tls'] {
  const [cert, key] = [values.get('tls-cert')?.at(-1), values.get('tls-key')?.at(-1)];
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) {
    throw new UsageError('--tls-cert and --tls-key need each other.');
  }
  return { cert, key };
}

/**
 * Reads where `groundswell serve` listens and who may connect.
 *
 * @throws {@link UsageError} for an address of other machines without HTTPS, and for options that are invalid or need
 *   others.
 */
export function listenOf(values: Values): ListenOptions {
  const given = values.get('host')?.at(-1) ?? '127.0.0.1';
  const host = given === 'localhost' ? '127.0.0.1' : ipOf(given);
  if (host === null) {
    throw new UsageError(
      `--host ${given} is not an IP address: expected one of this machine, or 0.0.0.0 for all. Host names go with --name.`,
    );
  }
  const [tls, proxies] = [tlsOf(values), proxiesOf(values)];
  const names = listOf(values, 'name').map((text) => {
    const name = nameOf(text);
    if (name !== null) return name;
    throw new UsageError(
      `--name ${text} is not a host name: expected one such as groundswell.example.org, without a port.`,
    );
  });
  if (!tls && !proxies) {
    if (!LOOPBACK.has(host)) {
      throw new UsageError(
        `--host ${given} would serve other machines without encryption. Give the service a certificate (--tls-cert FILE --tls-key FILE --name NAME), or put a reverse proxy with one in front of it (--trusted-proxy ADDRESS --name NAME).`,
      );
    }
    if (names.length > 0) {
      throw new UsageError('--name goes with --tls-cert and --tls-key, or with --trusted-proxy.');
    }
    return { host, network: null };
  }
  if (names.length === 0) {
    throw new UsageError(
      'Name the host that people open the service by, such as --name groundswell.example.org.',
    );
  }
  if (values.has('open')) {
    throw new UsageError('--open is for a service that only this machine reaches.');
  }
  return { host, network: { names, tls, proxies } };
}
