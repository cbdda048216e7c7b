import { request, type Agent, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Options of a raw request. */
export interface RawOptions {
  readonly method?: 'GET' | 'HEAD';
  readonly headers?: Readonly<Record<string, string>>;
  /** Reuses connections; without it each request opens its own. */
  readonly agent?: Agent;
}

/** An answer as received, not decompressed. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends a request and waits only for the head of the answer. Reading the returned message lets the server send the
 * body; `destroy()` closes the connection.
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

/** Sends a request, with no headers but those given, and reads the whole answer. */
export async function rawAsk(url: string, options: RawOptions = {}): Promise<RawAnswer> {
  const answer = await rawOpen(url, options);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: await buffer(answer),
  };
}
