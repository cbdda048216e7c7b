import { ipOf, readBlock, type AddressBlock } from '#server/http/forwarded.ts';
import { hostName } from '#server/http/origin.ts';
import { command } from '#server/cli/command.ts';
import type { ListenOptions, NetworkOptions } from '#server/cli/listeners.ts';
import { choiceOf, noMore, UsageError, type Values } from '#server/cli/options.ts';

export const DEFAULT_PORT = 4319;
const DEFAULT_LOG_MB = 256;

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1']);

/** One option's values, also several in one separated by commas. */
function listOf(values: Values, option: string): string[] {
  return values
    .all(option)
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
  const [cert, key] = [values.last('tls-cert'), values.last('tls-key')];
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
function listenOf(values: Values): ListenOptions {
  const given = values.last('host') ?? '127.0.0.1';
  const host = given === 'localhost' ? '127.0.0.1' : ipOf(given);
  if (host === null) {
    throw new UsageError(
      `--host ${given} is not an IP address: expected one of this machine, or 0.0.0.0 for all. Host names go with --name.`,
    );
  }
  const [tls, proxies] = [tlsOf(values), proxiesOf(values)];
  const names = listOf(values, 'name').map((text) => {
    const name = hostName(text);
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
function portOf(values: Values): number {
  const text = values.last('port') ?? String(DEFAULT_PORT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port ${text} is not a port: expected 0 to 65535.`);
}

/** Characters of `--log-size`. */
function logSizeOf(values: Values): number {
  const text = values.last('log-size') ?? String(DEFAULT_LOG_MB);
  const size = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (size > 0) return size * 1024 * 1024;
  throw new UsageError(`--log-size ${text} is not a size: expected 1 to 999999 megabytes.`);
}

export const serveCommand = command({
  name: 'serve',
  summary:
    'serves the dashboard and the interface on 127.0.0.1, or with --host by HTTPS to other machines',
  about: `groundswell serve [--port ${DEFAULT_PORT}] [--open] [--log-size ${DEFAULT_LOG_MB}] [--log json] [--allow-private]
groundswell serve --host ADDRESS --name NAME --tls-cert FILE --tls-key FILE [options]
groundswell serve [--host ADDRESS] --name NAME --trusted-proxy ADDRESS [options]
Serves the dashboard and the interface on 127.0.0.1 until interrupted. The address that it prints signs in
one browser, once, within an hour. The browser stays signed in when the service restarts.`,
  options: {
    '--port N': `port to listen on, 0 for any free port (default: ${DEFAULT_PORT})`,
    '--open': 'open the address in the browser',
    '--allow-private':
      'allow webhooks and feeds on this machine and its network, and webhooks with http or a port',
    '--log-size N': `megabytes of events kept for streams that reconnect, for at most 24 hours (default: ${DEFAULT_LOG_MB})`,
    '--log FORMAT':
      'text, or json for one line of JSON per request and message, without queries or tokens (default: text)',
    '--host ADDRESS': `IP address to listen on (default: 127.0.0.1). Any other one needs HTTPS: a certificate, or a reverse
      proxy that has one. People then sign in, see groundswell login --help`,
    '--name NAME': 'host name that people open the service by; repeat it for several',
    '--tls-cert FILE, --tls-key FILE':
      'the certificate with its chain, and its key, as PEM; SIGHUP reads them again',
    '--trusted-proxy ADDRESS':
      'address or block such as 10.0.0.0/8 of the reverse proxy, which alone may connect; repeat it for several',
  },
  notes: `With a token, entered in the settings or set as GROUNDSWELL_PLATFORM_TOKEN, the real platform is a source too.
Its requests cost money, up to your caps: 100 dollars a month unless you change them. GROUNDSWELL_PLATFORM_URL
replaces https://api.x.com as the platform's address.`,
  posts: 'cluster',
  read: ([extra], values) => {
    noMore(extra, 'serve');
    return {
      port: portOf(values),
      open: values.has('open'),
      allowPrivate: values.has('allow-private'),
      logSize: logSizeOf(values),
      log: choiceOf(values, 'log', ['text', 'json']) ?? 'text',
      listen: listenOf(values),
    };
  },
  run: async (deps, order) => await (await import('#server/cli/serve.ts')).runServe(deps, order),
});
