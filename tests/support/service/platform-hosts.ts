import { request as forward } from 'node:http';
import { Agent, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';
import { makeCertificate } from './certificate.ts';

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
  'ads-api-sandbox.twitter.com',
  'x.com',
  'twitter.com',
] as const;

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
  const { key, cert } = makeCertificate(HOSTS);
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
