import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Client } from '#app/api/client.ts';
import { faultWords } from '#app/format/run-fault-text.ts';
import { Fault } from '#contract/fault.ts';

/** Answers `/STATUS/BODY` with that status and that body. */
const server = createServer((request, response) => {
  const [, status = '', body = ''] = decodeURIComponent(request.url ?? '').split('/');
  response.writeHead(Number(status), { 'content-type': 'application/json' });
  response.end(body);
});
let base = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

async function faultOf(path: string): Promise<Fault> {
  const client = new Client({
    fetch: (to, init) => fetch(base + to, init),
    clock: () => 0,
    random: () => 0,
    sleep: () => Promise.resolve(),
  });
  const { signal } = new AbortController();
  const error: unknown = await client.get(path, { signal }).catch((e: unknown) => e);
  if (!(error instanceof Fault)) throw new Error('expected a Fault', { cause: error });
  return error;
}

describe('the fault of an error answer', () => {
  test.each([
    [299, '', 'The answer has status 299 and no explanation.'],
    [418, '', "The answer has status 418 (I'm a Teapot) and no explanation."],
    [520, '', 'The answer has status 520 and no explanation.'],
    [520, '{"title":"unknown"}', 'The answer has status 520 and no explanation.'],
    [520, '{"title":"","detail":" "}', 'The answer has status 520 and no explanation.'],
    [600, '', 'The answer has status 600, which HTTP does not define, and no explanation.'],
    [999, 'no', 'The answer has status 999, which HTTP does not define, and no explanation.'],
  ])('explains status %i with the body %j', async (status, body, words) => {
    const fault = await faultOf(`/${status}/${encodeURIComponent(body)}`);
    expect(fault.message).toBe(words);
    expect(fault.body.title).not.toMatch(/unknown/i);
    for (const source of ['posts', 'platform'] as const) {
      expect(faultWords(fault, source).what).toContain(words);
    }
  });

  test('keeps the explanation of the body', async () => {
    const body = encodeURIComponent('{"title":"Full","detail":"No room."}');
    expect(await faultOf(`/520/${body}`)).toMatchObject({
      message: 'No room.',
      body: { title: 'Full' },
    });
  });
});
