import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPlatform } from '#server/platform/store.ts';
import { heldUp, startPlatform } from '#tests/support/platform.ts';
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
    signal: () => child.kill('SIGINT'),
    /** Resolves when it has said a text after all. */
    saying: (text: RegExp): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (text.test(said)) resolve();
        };
        look();
        child.stderr.on('data', look);
      }),
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

/** A service with a request under way that the platform holds up. */
async function underway(ask: string) {
  const environment = {
    GROUNDSWELL_PLATFORM_TOKEN: platform.token,
    GROUNDSWELL_PLATFORM_URL: platform.url,
  };
  const service = await serve(environment, /connected.*\n/);
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(service.said())?.[0] ?? '';
  const { out } = groundswell('token', 'app', '--data', data);
  const { mishap, reached, release } = heldUp();
  platform.spoil(() => true, mishap, 1);
  const answer = fetch(`${url}/platform/2/tweets/counts/recent?query=tea`, {
    headers: { authorization: `Bearer ${out.trim()}`, 'x-ask': ask },
  }).then(
    ({ status }) => status,
    () => 'cut',
  );
  await reached;
  return { service, answer, release };
}

/** What the file of the platform has of an ask once the service has ended. */
function keptOf(ask: string): { page: boolean; uncertain: number } {
  const store = openPlatform(join(data, 'platform.sqlite'));
  const kept = { page: store.pageOf(ask) !== undefined, uncertain: store.uncertain().requests };
  store.close();
  return kept;
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
  expect(service.said()).not.toContain('being finished');
  expect(platform.sent).toHaveLength(1);
  expect(platform.sent[0]?.headers.get('user-agent')).toMatch(/^groundswell\/\d+\.\d+\.\d+$/);
  expect(service.said()).not.toContain(platform.token);
  for (const name of readdirSync(data)) {
    expect(readFileSync(join(data, name)).includes(platform.token), name).toBe(false);
  }
  expect(statSync(join(data, 'platform.sqlite')).mode & 0o777).toBe(0o600);
});

it('serve that is stopped finishes a request of the platform, says so, and keeps its page', async () => {
  const { service, answer, release } = await underway('ask-stop');
  service.signal();
  await service.saying(/being finished.*\n/);
  expect(service.said().split('\n')).toContainEqual(
    expect.stringMatching(/^1 request of the platform .* 15 seconds .*Ctrl-C again leaves it/),
  );
  // What else is under way, its own client's connection too, is cut before.
  expect(await answer).toBe('cut');
  release();
  expect(await service.ended).toBe(0);
  expect(keptOf('ask-stop')).toEqual({ page: true, uncertain: 0 });
});

it('serve that is stopped twice ends at once, and the request is perhaps billed', async () => {
  const { service, answer, release } = await underway('ask-twice');
  service.signal();
  await service.saying(/being finished.*\n/);
  service.signal();
  expect(await service.ended).toBe(130);
  expect(await answer).toBe('cut');
  release();
  expect(keptOf('ask-twice')).toEqual({ page: false, uncertain: 1 });
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
