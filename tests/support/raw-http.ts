import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What a raw request may say beside its address. */
export interface RawOptions {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** Keeps connections between requests; without one each request has a connection of its own. */
  readonly agent?: Agent;
}

/** An answer as it came over the wire: nothing unpacked, no header added to the request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Asks and waits for the head of the answer alone. The body stays unread, so its sender is held up, until
 * it is read from what is returned; `destroy()` closes the connection.
 */
export function rawOpen(
  url: string,
  { method = 'GET', headers = {}, agent }: RawOptions = {},
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: agent ?? false }, resolve)
      .once('error', reject)
      .end();
  });
}

/** Asks and reads the whole answer as sent. */
export async function rawAsk(url: string, options: RawOptions = {}): Promise<RawAnswer> {
  const answer = await rawOpen(url, options);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: await buffer(answer),
  };
}
