import { text } from 'node:stream/consumers';
import { openHost } from '#tests/support/service/host.ts';

/**
 * Opens a receiver of deliveries on this machine.
 *
 * @param accept - Called with each body; false answers 500, as a receiver does that fails.
 */
export async function openReceiver(accept: (body: string) => boolean) {
  const { origin, close } = await openHost((request, response) => {
    void text(request).then((body) => response.writeHead(accept(body) ? 200 : 500).end());
  });
  return { url: `${origin}/`, close };
}
