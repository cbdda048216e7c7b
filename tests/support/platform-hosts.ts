import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { request as forward } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';

/** The machine's, also while a test replaces the global one. */
const machineFetch = fetch;

/** Hosts of the platform that published clients have in their code. */
const HOSTS = [
  'api.x.com',
  'api.twitter.com',
  'upload.x.com',
  'upload.twitter.com',
  'ads-api.x.com',
  'ads-api.twitter.com',
  'x.com',
  'twitter.com',
] as const;

/** An element of DER (ITU-T X.690 section 8.1). */
function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const long = length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...(length < 128 ? [length] : long)]), content]);
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** ecdsa-with-SHA256, the common name and the alternative names of a subject (RFC 5280), as encoded OIDs. */
const [ECDSA, NAME, ALTERNATIVES] = ['06082a8648ce3d040302', '0603550403', '0603551d11'].map(
  hex,
) as [Buffer, Buffer, Buffer];

/** A new certificate for the hosts, signed by its own key, valid for an hour around now. */
function makeCertificate(): { readonly key: string; readonly cert: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const time = (at: number): Buffer => {
    const text = new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '');
    return element(0x18, Buffer.from(text));
  };
  const name = sequence(
    element(0x31, sequence(NAME, element(0x0c, Buffer.from('platform hosts of a test')))),
  );
  const names = HOSTS.map((host) => element(0x82, Buffer.from(host)));
  const alternatives = sequence(ALTERNATIVES, element(0x04, sequence(...names)));
  const algorithm = sequence(ECDSA);
  const content = sequence(
    element(0xa0, hex('020102')),
    element(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    name,
    sequence(time(Date.now() - 1_800_000), time(Date.now() + 1_800_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(alternatives)),
  );
  const signature = sign('sha256', content, privateKey);
  const whole = sequence(content, algorithm, element(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** The hosts of the platform on this machine: a TLS front end of a service, with its own certificate. */
export interface PlatformHosts {
  /** Connects to the front end for a host of the platform, and to nothing else. */
  readonly agent: Agent;
  /** `fetch` for clients that take no agent: a host of the platform is the service, without TLS. */
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

function check(host: string | undefined): void {
  if (HOSTS.some((known) => known === host)) return;
  throw new Error(`expected a host of the platform, got ${String(host)}`);
}

/** @param service - Address of the service, such as `http://127.0.0.1:4319`. */
export async function startPlatformHosts(service: string): Promise<PlatformHosts> {
  const { key, cert } = makeCertificate();
  const { hostname, port, host } = new URL(service);
  const server = createServer({ key, cert }, (request, response) => {
    const { method, url: path, headers } = request;
    const onward = forward(
      { hostname, port, path, method, headers: { ...headers, host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const agent = Object.assign(new Agent(), {
    createConnection: (options: ConnectionOptions) => {
      check(options.host);
      return connect({ ...options, servername: options.host ?? '', ca: cert, ...front });
    },
  });
  return {
    agent,
    fetch: (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      if (url.origin !== service) check(url.hostname);
      return machineFetch(service + url.pathname + url.search, init);
    },
    close: async () => {
      agent.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
