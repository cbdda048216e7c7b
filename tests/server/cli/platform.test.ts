import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPlatform } from '#server/platform/store.ts';
import { heldUp, startPlatform, type TestPlatform } from '#tests/support/service/platform.ts';
import { command, groundswell, serve } from '#tests/support/service/command.ts';
import {
  serveProcess,
  temporaryFolder,
  type RunningService,
} from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startPlatform();
  const csv = join(folder, 'posts.csv');
  writeFileSync(csv, 'id,created_at,text\n1,2020-01-01T00:00:00Z,tea\n');
  expect(await groundswell('import', csv, '--data', data)).toMatchObject({ code: 0 });
  giveTinySample(data);
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true, force: true });
});

const access = (): Record<string, string> => ({
  GROUNDSWELL_PLATFORM_TOKEN: platform.token,
  GROUNDSWELL_PLATFORM_URL: platform.url,
});

/** Sends a request to the service that the platform holds up. */
async function heldRequest(service: RunningService, ask: string) {
  const { out } = await groundswell('token', 'app', '--data', data);
  const { fault, reached, release } = heldUp();
  platform.inject(() => true, fault, 1);
  const answer = fetch(`${service.url}/platform/2/tweets/counts/recent?query=tea`, {
    headers: { authorization: `Bearer ${out.trim()}`, 'x-ask': ask },
  }).then(
    ({ status }) => status,
    () => 'cut',
  );
  await reached;
  return { answer, release };
}

/** The content of the platform's file about a request once the service has ended. */
function storedOf(ask: string): { page: boolean; uncertain: number } {
  const store = openPlatform(join(data, 'platform.sqlite'));
  const stored = { page: store.pageOf(ask) !== undefined, uncertain: store.uncertain().requests };
  store.close();
  return stored;
}

it('serve reports the connected platform in one line, relays to it, and stores the token nowhere', async () => {
  const service = await serve(data, { environment: access() });
  await service.printed.until(/connected.*\n/, service.ended);
  expect(service.printed.text.split('\n')).toContainEqual(
    `The platform at ${new URL(platform.url).host} is connected. Its answers cost money, up to your caps.`,
  );
  const { out } = await groundswell('token', 'app', '--data', data);
  const ask = () =>
    fetch(`${service.url}/platform/2/tweets/counts/recent?query=tea`, {
      headers: { authorization: `Bearer ${out.trim()}`, 'x-ask': 'ask-0001' },
    });
  expect((await ask()).headers.get('x-vault')).toBe('bought');
  expect((await ask()).headers.get('x-vault')).toBe('held');
  expect(await service.stop()).toBe(0);
  expect(service.printed.text).not.toContain('Waiting up to');
  expect(platform.sent).toHaveLength(1);
  expect(platform.sent[0]?.headers.get('user-agent')).toMatch(/^groundswell\/\d+\.\d+\.\d+$/);
  expect(service.printed.text).not.toContain(platform.token);
  const files = readdirSync(data, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of files.filter((entry) => entry.isFile())) {
    expect(readFileSync(join(parentPath, name)).includes(platform.token), name).toBe(false);
  }
  expect(statSync(join(data, 'platform.sqlite')).mode & 0o777).toBe(0o600);
});

it('serve finishes a request to the platform when it is stopped, says so, and stores the page', async () => {
  const service = await serve(data, { environment: access() });
  const { answer, release } = await heldRequest(service, 'ask-stop');
  service.interrupt();
  await service.printed.until(/Waiting up to.*\n/, service.ended);
  expect(service.printed.text.split('\n')).toContainEqual(
    expect.stringMatching(
      /^Waiting up to 15 seconds for 1 request to the platform\. Press Ctrl-C again/,
    ),
  );
  // All connections of clients are closed before, even that of the request.
  expect(await answer).toBe('cut');
  release();
  expect(await service.ended).toBe(0);
  expect(storedOf('ask-stop')).toEqual({ page: true, uncertain: 0 });
});

it('serve ends at once when it is stopped twice, and the request is perhaps billed', async () => {
  const service = await serveProcess(data, access());
  const { answer, release } = await heldRequest(service, 'ask-twice');
  service.interrupt();
  await service.printed.until(/Waiting up to.*\n/, service.ended);
  service.interrupt();
  expect(await service.ended).toBeNull();
  expect(service.process.signalCode).toBe('SIGINT');
  expect(await answer).toBe('cut');
  release();
  expect(storedOf('ask-twice')).toEqual({ page: false, uncertain: 1 });
});

it.each([
  ['http://api.x.com', 'unencrypted'],
  ['nonsense', 'not an address'],
])('serve refuses the address %s in one line and does not start', async (address, why) => {
  const environment = { GROUNDSWELL_PLATFORM_TOKEN: 'a-token', GROUNDSWELL_PLATFORM_URL: address };
  const { code, out, err } = await command(['serve', '--port', '0', '--data', data], {
    environment,
  });
  expect([code, out]).toEqual([1, '']);
  expect(err.split('\n')).toEqual([expect.stringContaining(why), '']);
  expect(err).toContain('GROUNDSWELL_PLATFORM_URL');
  expect(err).not.toContain('a-token');
});
