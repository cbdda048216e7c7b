import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A server that receives deliveries. */
export interface Receiver {
  readonly url: string;
  close(): void;
}

/**
 * Opens a receiver on this machine.
 *
 * @param accept - Called with each body; false answers 500, as a receiver does that fails.
 */
export async function openReceiver(accept: (body: string) => boolean): Promise<Receiver> {
  const server = createServer((request, response) => {
    void text(request).then((body) => response.writeHead(accept(body) ? 200 : 500).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
