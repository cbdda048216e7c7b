import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { chargesIn } from '#server/posts/editor/charges.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { groundswell } from '#tests/support/service/command.ts';
import { long } from '#tests/support/run/long.ts';
import { serveProcess, temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Requests until the service is killed, while others are running. */
const CONFIRMED = long() ? [5, 20, 35] : [5, 20];
const PRICE = 15_000;

it('has every charge that it confirmed with its Post, never one of them alone, and continues the limit of the day', async () => {
  const data = join(folder, 'billed');
  mkdirSync(data);
  giveTinySample(data);
  const json = async (...args: string[]) => {
    const { code, out } = await groundswell(...args, '--json', '--data', data);
    expect(code).toBe(0);
    return JSON.parse(out);
  };
  const { id: app } = await json('app', 'add', 'Reader', '--access', 'pay-per-use');
  const { access_token } = await json('token', 'user', '--name', 'alice', '--app', 'Reader');
  const headers = {
    authorization: `Bearer ${String(access_token)}`,
    'content-type': 'application/json',
  };
  let texts = 0;
  let confirmed = 0;
  let remaining = 10_000;
  const create = async (url: string): Promise<void> => {
    const body = JSON.stringify({ text: `tea ${(texts += 1)}` });
    const answer = await fetch(`${url}/2/tweets`, { method: 'POST', headers, body });
    expect(answer.status).toBe(201);
    confirmed += 1;
    remaining = Math.min(remaining, Number(answer.headers.get('x-app-limit-24hour-remaining')));
  };

  for (const until of CONFIRMED) {
    const service = await serveProcess(data);
    const gone = new Promise<void>((resolve) => service.process.once('exit', () => resolve()));
    const before = remaining;
    await create(service.url);
    expect(remaining).toBeLessThan(before);
    const client = async (): Promise<void> => {
      try {
        for (;;) {
          await create(service.url);
          if (confirmed === until) service.process.kill('SIGKILL');
        }
      } catch (error) {
        // `fetch` reports a closed connection as a TypeError.
        if (!(error instanceof TypeError)) throw error;
      }
    };
    await Promise.all([client(), client(), client(), client()]);
    await gone;

    const db = openPosts(join(data, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
    const [[posts] = []] = db.prepare('SELECT count(*) FROM post').all();
    expect(Number(posts)).toBeGreaterThanOrEqual(confirmed);
    // The test may run past midnight.
    const charges = chargesIn(db)(app, 0);
    expect(charges.reduce((sum, { requests }) => sum + requests, 0)).toBe(posts);
    const charged = charges.reduce((sum, each) => sum + each.charged, 0);
    expect(charged).toBe(Number(posts) * PRICE);
    db.close();
  }
  // Each confirmed request took one.
  expect(remaining).toBeLessThanOrEqual(10_000 - confirmed);
});
