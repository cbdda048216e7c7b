import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { groundswell } from '#tests/support/service/command.ts';
import { serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const STREAM = '/2/tweets/search/stream';
const folder = temporaryFolder();
const data = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let app: string;
let user: string;
beforeAll(async () => {
  mkdirSync(data);
  giveTinySample(data);
  const json = async (...args: string[]) => {
    const { code, out } = await groundswell(...args, '--json', '--data', data);
    expect(code).toBe(0);
    return JSON.parse(out);
  };
  app = (await json('app', 'add', 'Reader', '--access', 'enterprise')).bearer_token;
  user = (await json('token', 'user', '--name', 'alice')).access_token;
});

async function send(url: string, token: string, path: string, body?: object) {
  const answer = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return await answer.json();
}

/** Connects to the stream. */
async function connect(url: string, parameters = '') {
  const headers = { authorization: `Bearer ${app}` };
  const sent = get(`${url}${STREAM}${parameters}`, { headers, agent: false });
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  const ids: string[] = [];
  const errors: { disconnect_type?: string }[] = [];
  let rest = '';
  answer.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const parsed = JSON.parse(line || '{}');
      if (parsed.data) ids.push(parsed.data.id);
      errors.push(...(parsed.errors ?? []));
    }
  });
  // The service may be killed.
  answer.on('error', () => {});
  const closed = new Promise<void>((resolve) => answer.once('close', resolve));
  return { ids, errors, closed, answer };
}

it(
  'ends streams with a message when it is stopped, and delivers what a killed service did not',
  { tags: 'long' },
  async () => {
    let service = await serveProcess(data);
    await send(service.url, app, `${STREAM}/rules`, { add: [{ value: 'tea' }] });
    const first = await connect(service.url);
    const { data: one } = await send(service.url, user, '/2/tweets', { text: 'tea 1' });
    await expect.poll(() => first.ids).toEqual([one.id]);
    expect(await service.stop()).toBe(0);
    await first.closed;
    expect(first.answer.complete).toBe(true);
    expect(first.errors).toMatchObject([{ disconnect_type: 'UpstreamOperationalDisconnect' }]);

    service = await serveProcess(data);
    const second = await connect(service.url);
    const created: string[] = [];
    const gone = once(service.process, 'exit');
    const create = async (): Promise<void> => {
      try {
        for (;;) {
          const text = `tea ${created.length + 2}, ${performance.now()}`;
          created.push((await send(service.url, user, '/2/tweets', { text })).data.id);
          if (created.length === 20) service.process.kill('SIGKILL');
        }
      } catch (error) {
        // `fetch` reports a closed connection as a TypeError.
        if (!(error instanceof TypeError)) throw error;
      }
    };
    await Promise.all([create(), create(), create()]);
    await gone;
    await second.closed;

    service = await serveProcess(data);
    const { data: past } = await send(service.url, app, '/2/connections?status=inactive');
    expect(past).toMatchObject([
      { disconnect_reason: 'service_interrupted' },
      { disconnect_reason: 'operational_disconnect' },
    ]);
    const third = await connect(service.url, '?backfill_minutes=5');
    const { data: last } = await send(service.url, user, '/2/tweets', { text: 'the last tea' });
    await expect.poll(() => third.ids.at(-1)).toBe(last.id);
    expect(third.ids).toEqual(expect.arrayContaining([one.id, ...created, last.id]));
    expect(new Set(third.ids).size).toBe(third.ids.length);
    expect(third.ids).toEqual([...third.ids].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1)));
    // None was delivered that does not exist.
    expect(third.ids).toEqual(expect.arrayContaining(second.ids));
    await service.stop();
  },
);
