import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server on this machine. */
export interface Host {
  /** Its address without a path, such as `http://127.0.0.1:8000`. */
  readonly origin: string;
  close(): void;
}

export async function openHost(answer: RequestListener): Promise<Host> {
  const server = createServer((request, response) => {
    // A client may go away.
    response.on('error', () => {});
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
