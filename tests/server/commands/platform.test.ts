import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPlatform } from '#tests/support/platform.ts';
import type { TestPlatform } from '#tests/support/platform.ts';
import { groundswell, temporaryFolder } from '#tests/support/process.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
  const csv = join(folder, 'posts.csv');
  writeFileSync(csv, 'id,created_at,text\n1,2020-01-01T00:00:00Z,tea\n');
  expect(groundswell('import', csv, '--data', data)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `groundswell serve` with an environment, until it has said a text or ended. */
async function serve(environment: Record<string, string>, until: RegExp) {
  const args = ['bin/groundswell.js', 'serve', '--data', data, '--port', '0'];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...environment } });
  let said = '';
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await new Promise<void>((resolve) => {
    const read = (part: Buffer): void => {
      said += part.toString();
      if (until.test(said)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => resolve());
  });
  return {
    said: () => said,
    ended,
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

it('serve says in one line that the platform is connected, relays to it, and keeps the token nowhere', async () => {
  const environment = {
    GROUNDSWELL_PLATFORM_TOKEN: platform.token,
    GROUNDSWELL_PLATFORM_URL: platform.url,
  };
  const service = await serve(environment, /connected.*\n/);
  const lines = service.said().split('\n');
  expect(lines).toContainEqual(
    `The platform at ${new URL(platform.url).host} is connected: its answers cost money, up to the caps you set.`,
  );
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(service.said())?.[0] ?? '';
  const { out } = groundswell('token', 'app', '--data', data);
  const ask = () =>
    fetch(`${url}/platform/2/tweets/counts/recent?query=tea`, {
      headers: { authorization: `Bearer ${out.trim()}`, 'x-ask': 'ask-0001' },
    });
  expect((await ask()).headers.get('x-vault')).toBe('bought');
  expect((await ask()).headers.get('x-vault')).toBe('held');
  expect(await service.stop()).toBe(0);
  expect(platform.sent).toHaveLength(1);
  expect(platform.sent[0]?.headers.get('user-agent')).toMatch(/^groundswell\/\d+\.\d+\.\d+$/);
  expect(service.said()).not.toContain(platform.token);
  for (const name of readdirSync(data)) {
    expect(readFileSync(join(data, name)).includes(platform.token), name).toBe(false);
  }
  expect(statSync(join(data, 'platform.sqlite')).mode & 0o777).toBe(0o600);
});

it.each([
  ['http://api.x.com', 'unencrypted'],
  ['nonsense', 'no address'],
])('serve refuses the address %s in one line and does not start', async (address, why) => {
  const environment = { GROUNDSWELL_PLATFORM_TOKEN: 'a-token', GROUNDSWELL_PLATFORM_URL: address };
  const service = await serve(environment, /never said/);
  expect(await service.ended).toBe(1);
  expect(service.said().split('\n')).toEqual([expect.stringContaining(why), '']);
  expect(service.said()).toContain('GROUNDSWELL_PLATFORM_URL');
  expect(service.said()).not.toContain('a-token');
});
