import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { signatureOf } from '#server/streams/deliverer.ts';
import { makeCertificate } from './certificate.ts';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly signature: string | undefined;
  readonly body: Buffer;
}

/** Answers a request; the default checks nothing and answers 200. */
export type Answering = (request: Received, response: ServerResponse) => void;

/** A receiver of webhooks on this machine: a TLS server with its own certificate. */
export interface TestReceiver {
  /** Address of a webhook; the path is `/` by default. */
  url(path?: string): string;
  /** Its certificate, PEM, which clients must trust. */
  readonly ca: string;
  /** Deliveries in the order in which they came. */
  readonly deliveries: Received[];
  /** Checks in the order in which they came. */
  readonly checks: Received[];
  /** Consumer secret that checks are answered with. */
  secret: string;
  /** Answers deliveries. */
  deliver: Answering;
  /** Answers checks; null for the right answer. */
  check: Answering | null;
  close(): Promise<void>;
}

/** The name of receivers in tests, which {@link testNames} resolves. */
export const RECEIVER = 'receiver.test';

/** Resolves {@link RECEIVER} and names below it to this machine, and nothing else. */
export async function testNames(name: string): Promise<string[]> {
  if (name === RECEIVER || name.endsWith(`.${RECEIVER}`)) return ['127.0.0.1'];
  throw Object.assign(new Error(`expected ${RECEIVER}, got ${name}`), { code: 'ENOTFOUND' });
}

/** @param names - Names in the certificate. */
export async function startReceiver(names: readonly string[] = [RECEIVER]): Promise<TestReceiver> {
  const { key, cert } = makeCertificate(names);
  const accept = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url: path = '', headers } = request;
    const signature = headers['x-twitter-webhooks-signature'];
    const got: Received = {
      method,
      path,
      signature: typeof signature === 'string' ? signature : undefined,
      body: await buffer(request),
    };
    const token = new URL(path, 'https://receiver.test').searchParams.get('crc_token');
    if (token === null) {
      receiver.deliveries.push(got);
      receiver.deliver(got, response);
      return;
    }
    receiver.checks.push(got);
    if (receiver.check) receiver.check(got, response);
    else response.end(JSON.stringify({ response_token: signatureOf(receiver.secret, token) }));
  };
  const server = createServer({ key, cert }, (request, response) => {
    // A client that goes away ends a request early.
    accept(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: TestReceiver = {
    url: (path = '/') => `https://${RECEIVER}:${port}${path}`,
    ca: cert,
    deliveries: [],
    checks: [],
    secret: '',
    deliver: (_, response) => void response.end(),
    check: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
