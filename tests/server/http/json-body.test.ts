import { connect, type AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { errorHandler } from '#server/http/errors.ts';
import { readMultipart } from '#server/http/form-body.ts';
import { readObject } from '#server/http/json-body.ts';

const JSON_TYPE = 'content-type: application/json';

it.each([
  ['a body of a stated length', `${JSON_TYPE}\r\ncontent-length: 50000`, '{"text"'],
  ['a body in chunks', `${JSON_TYPE}\r\ntransfer-encoding: chunked`, '7\r\n{"text"\r\n'],
  [
    'a form',
    'content-type: multipart/form-data; boundary=b\r\ncontent-length: 50000',
    '--b\r\ncontent-disposition: form-data; name="media"\r\n\r\nabc',
  ],
])(
  '%s whose sender disconnects is its fault, not an error of the service',
  async (_what, headers, start) => {
    const log: string[] = [];
    const answers: number[] = [];
    let arrived = 0;
    const app = new Hono();
    app.onError(
      errorHandler(
        () => null,
        (line) => void log.push(line),
      ),
    );
    app.use(async (c, next) => {
      arrived += 1;
      await next();
      answers.push(c.res.status);
    });
    app.post('/json', async (c) => c.json(await readObject(c, 65_536)));
    app.post('/form', async (c) => c.json(await readMultipart(c, [], () => Promise.resolve(null))));
    const server = createAdaptorServer({ fetch: app.fetch });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      const path = headers.includes('multipart') ? '/form' : '/json';
      socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n\r\n${start}`);
      await expect.poll(() => arrived).toBe(1);
      socket.destroy();
      await expect.poll(() => answers).toEqual([400]);
      expect(log).toEqual([]);
    } finally {
      server.close();
    }
  },
);
