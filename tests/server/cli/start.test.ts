import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { MONITORING } from '#contract/control/monitoring.ts';
import { long } from '#tests/support/run/long.ts';
import { command, serve } from '#tests/support/service/command.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';
import { program } from '#tests/support/service/process.ts';

const inFolder = temporaryFolder();

/** Makes a data folder with a Post and a sample of one, so that the start does not make one. */
function dataFolder(name: string): string {
  const data = inFolder(name);
  mkdirSync(data);
  const post = { id: 1n, createdAt: '2020-01-01T00:00:00Z', username: 'ann', authorId: '7' };
  writePosts(join(data, 'posts.sqlite'), [{ ...post, text: 'tea', lang: 'en' }]);
  giveTinySample(data);
  return data;
}

async function listening(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** The stores whose files a start opens, and what makes it open one that is not always used. */
const STORES: readonly [string, Readonly<Record<string, string>>][] = [
  ['posts', {}],
  ['sample', {}],
  ['service', {}],
  ['ads', {}],
  ['catalog', {}],
  ['deliveries', {}],
  ['platform', { GROUNDSWELL_PLATFORM_TOKEN: 'a-token-of-the-platform' }],
];

describe('a start that fails', () => {
  it('ends the process with a message where the port is taken', { tags: 'long' }, async () => {
    const { server, port } = await listening();
    const data = dataFolder('taken');
    const { code, out, err } = await program(['serve', '--port', String(port), '--data', data]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`Port ${port} is in use.`);
    expect(existsSync(join(data, 'serve.json'))).toBe(false);
    server.close();
  });

  // The short form takes the store before which most others are open.
  it.for(long() ? STORES : STORES.slice(-1))(
    'ends the process with a message where %s.sqlite is damaged',
    async (row) => {
      const [store, env] = row;
      const data = dataFolder(store);
      const file = join(data, `${store}.sqlite`);
      writeFileSync(file, Buffer.alloc(65_536, 'x'));
      const { code, out, err } = await program(['serve', '--port', '0', '--data', data], env);
      expect([code, out]).toEqual([1, '']);
      expect(err).toContain(`${file} is not a store of this program`);
      expect(existsSync(join(data, 'serve.json'))).toBe(false);
    },
  );
});

describe('a start of a page that is still being built', () => {
  const path = MONITORING.health.path;

  it('names its address when the page is built, and answers programs before', async () => {
    const { server, port } = await listening();
    server.close();
    let finish = (): void => {};
    const built = new Promise<void>((resolve) => (finish = resolve));
    const order: string[] = [];
    const data = dataFolder('unbuilt');
    const serving = serve(data, { port, built }).then((service) => {
      order.push('serving');
      return service;
    });
    const origin = `http://127.0.0.1:${port}`;
    const health = async (): Promise<number> =>
      await fetch(`${origin}${path}`)
        .then(({ status }) => status)
        .catch(() => 0);
    await expect.poll(health, { timeout: 20_000, interval: 20 }).toBe(503);
    const { code, out } = await command(['token', 'app', '--data', data]);
    expect(code).toBe(0);
    const headers = { authorization: `Bearer ${out.trim()}` };
    const counts = await fetch(`${origin}/2/tweets/counts/recent?query=tea`, { headers });
    expect(counts.status).toBe(200);
    order.push('built');
    finish();
    const { stop } = await serving;
    expect(order).toEqual(['built', 'serving']);
    expect(await health()).toBe(200);
    await stop();
  });

  it('ends with the first signal', async () => {
    const stop = new AbortController();
    const args = ['serve', '--port', '0', '--data', dataFolder('unfinished')];
    const ended = command(args, { built: new Promise(() => {}), stopping: stop.signal });
    stop.abort();
    expect(await ended).toMatchObject({ code: 0, out: '' });
  });
});

it('the first SIGTERM ends a start that waits', async () => {
  // Accepts statements, and answers none.
  const { server, port } = await listening();
  const connected = once(server, 'connection');
  const args = ['bin/groundswell.js', 'serve', '--port', '0', '--data', dataFolder('waiting')];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GROUNDSWELL_CLICKHOUSE_URL: `http://127.0.0.1:${port}/posts` },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => (printed += part.toString()));
  }
  const ended = once(child, 'exit');
  await Promise.race([connected, ended]);
  child.kill('SIGTERM');
  expect([await ended, printed]).toEqual([[0, null], '']);
  server.close();
});
