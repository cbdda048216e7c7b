import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { AddressBlock } from '#server/http/forwarded.ts';
import { MAX_ADDRESS, type Listener } from '#server/http/origin.ts';
import { readCertificate } from './certificate.ts';
import type { CommandDeps } from './command-deps.ts';
import { CommandError } from '#server/command-error.ts';

/** The way in which other machines reach the service. */
export interface NetworkOptions {
  /** Names that people open it by. */
  readonly names: readonly string[];
  /** Files of the certificate and of its key; null where only a reverse proxy speaks HTTPS. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null if clients connect to the service itself. */
  readonly proxies: readonly AddressBlock[] | null;
}

/** The address at which the service listens. */
export interface ListenOptions {
  /** IP address. */
  readonly host: string;
  /** Null if only this machine reaches it. */
  readonly network: NetworkOptions | null;
}

/** The longest address and 16 KiB for the other headers. */
const MAX_HEADERS = MAX_ADDRESS + 16 * 1024;

/**
 * The time for which an idle connection stays open. Node's default of 5 seconds is close to the interval between
 * clients' requests, and a request that crosses with the closing of its connection fails.
 */
const KEEP_ALIVE_MS = 65_000;

/** The time that an upload may take. Node's default of five minutes is too short for 64 GB. */
const REQUEST_MS = 3_600_000;

/** The time that running answers may take after the service receives a signal to end. */
const FINISH_MS = 2000;

/** Limits of the HTTP server, times in ms. */
export const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADERS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  requestTimeout: REQUEST_MS,
};

/** Answers a request. The bindings are those of the HTTP server. */
type Answer = (request: Request, bindings: object & Listener) => Response | Promise<Response>;

/** The open ports of a service. */
export interface Listeners {
  /** The port for people and programs. */
  readonly port: number;
  /** The port for orders of this machine's command line; the same as {@link port} unless other machines reach that. */
  readonly orders: number;
  /** Stops listening; running answers get {@link FINISH_MS}. */
  finish(): Promise<void>;
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE'
          ? `Port ${port} is in use. Choose another with --port, or stop the program that listens on it.`
          : error.code === 'EADDRNOTAVAIL'
            ? `${host} is not an address of this machine.`
            : `Cannot listen on port ${port}: ${error.message}`;
      reject(new CommandError(why));
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

async function finish(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), FINISH_MS);
  await closed;
  clearTimeout(cut);
}

/** Makes a server by HTTPS, which reads its certificate again at every SIGHUP. */
function tlsServer(
  answer: Answer,
  files: { readonly cert: string; readonly key: string },
  names: readonly string[],
  deps: CommandDeps,
): { server: Server; stop: () => void } {
  const server = createAdaptorServer({
    fetch: answer,
    createServer: createTlsServer,
    serverOptions: { ...SERVER_OPTIONS, ...readCertificate(files, names, deps.now()) },
  }) as TlsServer;
  const stop = deps.onHangup(() => {
    try {
      server.setSecureContext(readCertificate(files, names, deps.now()));
      deps.out(`Reloaded the certificate ${files.cert}.\n`);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      deps.err(`The previous certificate stays in use. ${error.message}\n`);
    }
  });
  return { server, stop };
}

/**
 * Opens the ports of a service. If other machines reach it, the command line has a port of its own on 127.0.0.1, and
 * the other one serves no orders.
 *
 * @throws {@link CommandError} if a port is not available, or the certificate cannot be used.
 */
export async function openListeners(
  answer: Answer,
  { host, network, port: wanted }: ListenOptions & { readonly port: number },
  deps: CommandDeps,
): Promise<Listeners> {
  const plainServer = (inside: boolean): Server =>
    createAdaptorServer({
      fetch: (request, bindings) =>
        answer(request, inside ? { ...bindings, inside: true } : bindings),
      createServer,
      serverOptions: SERVER_OPTIONS,
    }) as Server;
  const open: Server[] = [];
  const stops: (() => void)[] = [];
  const close = async (): Promise<void> => {
    for (const stop of stops) stop();
    await Promise.all(open.map(finish));
  };
  const opened = async (server: Server, at: string, port: number): Promise<number> => {
    const number = await listen(server, at, port);
    open.push(server);
    return number;
  };
  try {
    if (!network) {
      const port = await opened(plainServer(false), host, wanted);
      return { port, orders: port, finish: close };
    }
    let main = plainServer(false);
    if (network.tls) {
      const { server, stop } = tlsServer(answer, network.tls, network.names, deps);
      stops.push(stop);
      main = server;
    }
    const port = await opened(main, host, wanted);
    return { port, orders: await opened(plainServer(true), '127.0.0.1', 0), finish: close };
  } catch (error) {
    await close();
    throw error;
  }
}
