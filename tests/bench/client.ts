import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As received, still compressed. */
  readonly body: Buffer;
}

/** A client that reuses connections and leaves bodies compressed, to do little work of its own. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true });
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  #send(method: string, path: string, headers: Record<string, string>, body = ''): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.#url),
        {
          method,
          agent: this.#agent,
          headers: { ...headers, authorization: `Bearer ${this.#token}` },
        },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.once('error', reject);
          answer.once('end', () => {
            const { statusCode: status = 0, headers } = answer;
            resolve({ status, headers, body: Buffer.concat(parts) });
          });
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  }

  /** Requests a path, gzip by default. */
  get(
    path: string,
    encoding: 'gzip' | 'br' | 'identity' = 'gzip',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return this.#send('GET', path, { 'accept-encoding': encoding, ...headers });
  }

  post(path: string, json: unknown): Promise<Answer> {
    return this.#send('POST', path, { 'content-type': 'application/json' }, JSON.stringify(json));
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Checks the status of an answer. @throws {Error} for another one. */
export function expectStatus(answer: Answer, status: number, what: string): Answer {
  if (answer.status === status) return answer;
  throw new Error(
    `${what}: expected ${status}, got ${answer.status} ${answer.body.toString('utf8')}`,
  );
}
