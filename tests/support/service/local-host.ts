import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** Starts a host on this machine for the tests of a file. @returns Its address. */
export async function localHost(answer: RequestListener): Promise<string> {
  const host = createServer(answer);
  afterAll(() => {
    host.closeAllConnections();
    host.close();
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}
