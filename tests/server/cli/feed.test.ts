import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCatalogs } from '#server/catalog/store.ts';
import { command, groundswell, serve } from '#tests/support/service/command.ts';
import { temporaryFolder } from '#tests/support/service/process.ts';
import { giveTinySample } from '#tests/support/service/service.ts';
import { signed } from '#tests/support/service/signing-in.ts';
import { FakeClock } from '#tests/support/timers.ts';

const folder = temporaryFolder();
const data = join(folder, 'data');
const clock = new FakeClock(Date.parse('2026-11-23T10:30:00Z'));

/** The feed of the shop. */
let rows: string[] = [];
let etag = '"1"';
const requests: (string | undefined)[] = [];
const host = createServer((request, response) => {
  requests.push(request.headers['if-none-match']);
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const header = 'id,title,description,availability,condition,price,link,image_link,brand';
  const body = gzipSync([header, ...rows].join('\n'));
  response.writeHead(200, { etag, 'content-encoding': 'gzip', 'content-length': body.length });
  return void response.end(body);
});
const row = (id: string, price = '20.00 USD'): string =>
  `${id},Product ${id},About it,in stock,new,${price},https://shop.example/${id},https://shop.example/i.png,Shop`;
function offer(list: string[]): void {
  rows = list;
  etag = `"${Number(etag.replaceAll('"', '')) + 1}"`;
}

let signer: { api_key: string; api_key_secret: string; token: string; secret: string };
beforeAll(async () => {
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  mkdirSync(data);
  giveTinySample(data);
  const on = ['--data', data, '--json'];
  await groundswell('user', 'add', 'ann', '--merchant-terms', 'yes', ...on);
  const app = JSON.parse(
    (await groundswell('app', 'add', 'Shop', '--early-access', 'yes', ...on)).out,
  );
  const token = JSON.parse(
    (await groundswell('token', 'user', '--name', 'ann', '--app', 'Shop', '--oauth1', ...on)).out,
  );
  signer = {
    api_key: app.api_key,
    api_key_secret: app.api_key_secret,
    token: token.access_token,
    secret: token.access_token_secret,
  };
});
afterAll(() => {
  host.closeAllConnections();
  host.close();
  rmSync(folder, { recursive: true, force: true });
});

const onFolder = (...args: string[]) => command([...args, '--data', data], { now: clock.now });
const feed = (...args: string[]) => onFolder('feed', ...args);

/** The report once so many runs have ended. */
async function afterRuns(count: number) {
  const read = async () => JSON.parse((await feed('report', '--json')).out);
  const isOver = async (): Promise<boolean> => {
    const { runs } = await read();
    // The service removes a run's files when it is done with it.
    const ended = runs.length === count && runs[0].ended_at !== null;
    return ended && readdirSync(join(data, 'feeds')).length === 0;
  };
  await expect.poll(isOver).toBe(true);
  return await read();
}

it('a feed is read by its schedule and by command, and reported', { tags: 'long' }, async () => {
  expect((await feed('run')).err).toBe('No product catalog has a scheduled feed.\n');
  const options = { args: ['--allow-private'], now: clock.now, timer: clock.timer };
  let service = await serve(data, options);
  const send = async (method: string, path: string) => {
    const url = `${service.url}/12/product_catalogs${path}`;
    const over = { oauth_timestamp: Math.floor(clock.at / 1000) };
    const authorization = signed(url, signer, { method, over });
    const answer = await fetch(url, { method, headers: { authorization } });
    return { status: answer.status, body: await answer.json() };
  };
  const at = `http://127.0.0.1:${(host.address() as AddressInfo).port}/feed.csv?key=secret`;
  const { id } = JSON.parse((await onFolder('catalog', 'add', 'Shop', '--json')).out);
  const when = ['--schedule', '4h 00:15', '--zone', 'Europe/Berlin'];
  expect((await feed('add', at, ...when)).out).toBe(
    `Shop: ${at}, CSV, every 4 hours from 00:15 (Europe/Berlin). Next run: 2026-11-23T11:15:00.000Z.\n`,
  );
  offer([row('a'), row('b'), row('c', 'free'), row('d'), row('d')]);
  expect((await feed('report')).out).toBe(
    `${at}: CSV, every 4 hours from 00:15 (Europe/Berlin)\nnext run: 2026-11-23T11:15:00.000Z\nThe feed has not been read yet.\n`,
  );

  // By its schedule: within a minute after 12:15 in Berlin.
  await clock.move(46 * 60_000);
  let report = await afterRuns(1);
  expect(report.feed).toMatchObject({ next_run: '2026-11-23T15:15:00.000Z' });
  expect(report.runs).toMatchObject([
    { outcome: 'complete', started_at: '2026-11-23T11:15:00.000Z', created: 2, refused: 3 },
  ]);
  expect(report.rows).toMatchObject([
    { number: 3, line: 4, product: 'c', errors: [{ parameter: 'price', value: 'free' }] },
    { number: 4, product: 'd' },
    { number: 5, product: 'd' },
  ]);
  const products = (await send('GET', `/${id}/products`)).body.data;
  expect(products.map((product: { id: string }) => product.id)).toEqual(['a', 'b']);

  // By command, which the service carries out.
  const same = await feed('run');
  expect([same.code, same.out]).toEqual([
    0,
    expect.stringContaining('unchanged since 2026-11-23T11:15:00.000Z'),
  ]);
  expect(requests.at(-1)).toBe(etag);
  offer([row('a', '30.00 USD'), row('e')]);
  const changed = await feed('run', '--user', 'ANN', '--json');
  expect(JSON.parse(changed.out)).toMatchObject({
    created: 1,
    updated: 1,
    unchanged: 0,
    refused: 0,
  });
  await service.stop();
  expect(readdirSync(join(data, 'feeds'))).toEqual([]);

  // By command, without a service.
  const refused = await feed('run');
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringContaining('not public (loopback)'),
  ]);
  offer([row('a', '30.00 USD'), row('e')]);
  const own = await feed('run', '--allow-private');
  expect([own.code, own.out]).toEqual([
    0,
    expect.stringMatching(/^Run 5: 2 rows: 0 created, 0 updated, 2 unchanged, 0 refused\n$/),
  ]);

  const text = (await feed('report', '--run', '1')).out;
  expect(text).toContain('run 1, 2 rows, error: "id" occurs more than once');
  expect(text).toMatch(/\nline 4, c: /);
  expect(text).toMatch(/\nrun 4, .*: failed, 0 rows: .*loopback/);
  expect((await feed('report', '--run', '1', '--csv')).out).toMatch(
    /^row,line,product,kind,parameter,value,message\n3,4,c,error,price,free,/,
  );
  expect((await feed('report', '--run', '99')).err).toContain('There is no run 99');

  // A night off: of the runs that were missed, one is made up when the service starts.
  clock.at += 20 * 3_600_000;
  service = await serve(data, options);
  report = await afterRuns(6);
  await service.stop();
  expect(report.runs).toMatchObject([
    { outcome: 'unchanged' },
    { outcome: 'complete' },
    {},
    {},
    {},
    {},
  ]);

  // The account's catalog goes with it.
  await groundswell('user', 'remove', 'ann', '--data', data);
  service = await serve(data, options);
  await service.stop();
  const store = openCatalogs(join(data, 'catalog.sqlite'));
  expect(store.all()).toEqual([]);
  store.close();
});

it.each([
  [['feed'], 'Say what to do: groundswell feed add, set, run, report.'],
  [['feed', 'run', 'now'], 'Unexpected now: see groundswell feed --help.'],
  [['feed', 'run', '--csv'], '--csv belongs to groundswell feed report.'],
  [['feed', 'report', '--allow-private'], '--allow-private belongs to groundswell feed run.'],
  [['feed', 'report', '--run', 'x'], '--run x is not the id of a run: expected a number.'],
  [['feed', 'report', '--csv', '--json'], 'Choose one of --csv and --json.'],
])('%j is refused', async (args, message) => {
  const { code, err } = await groundswell(...args, '--data', data);
  expect([code, err]).toEqual([2, `${message}\n`]);
});

it.each([
  [['catalog', 'add', ''], 'Name the catalog with 1 to 255 characters'],
  [['catalog', 'add', 'Shop', '--user', 'nobody'], 'There is no account @nobody.'],
  [['feed', 'add'], 'Name the address of the file'],
  [['feed', 'add', 'a.csv', '--schedule', 'daily'], '--schedule needs an address'],
  [['feed', 'add', 'a.csv', '--zone', 'UTC'], '--zone needs an address'],
  [['feed', 'add', 'products'], 'Say what the file is: --format CSV, TSV or XML.'],
  [['feed', 'add', 'ftp://a.com/a.csv'], 'ftp://a.com/a.csv is not an http or https address'],
  [['feed', 'add', 'https://a.com/feed'], 'Say what the file is: --format CSV, TSV or XML.'],
  [['feed', 'add', 'https://a.com/a.csv', '--schedule', '5h'], '--schedule 5h is not a schedule'],
  [['feed', 'add', 'https://a.com/a.csv', '--schedule', 'daily 24:00'], 'is not a schedule'],
  [['feed', 'run', '--zone', 'UTC'], '--zone belongs to groundswell feed add, set.'],
])('%j is refused', async (args, message) => {
  const { code, err } = await onFolder(...args);
  expect(code).not.toBe(0);
  expect(err).toContain(message);
});

it('a catalog and its feed are created and changed without a service', async () => {
  const other = join(folder, 'alone');
  const on = (...args: string[]) => command([...args, '--data', other], { now: clock.now });
  await on('user', 'add', 'ben');
  expect((await on('catalog', 'add', 'Tea')).err).toMatch(/^No account has accepted/);
  expect((await on('catalog', 'add', 'Tea', '--user', 'ben')).err).toContain(
    'groundswell user set ben --merchant-terms yes',
  );
  await on('user', 'set', 'ben', '--merchant-terms', 'yes');
  expect((await on('feed', 'add', 'https://a.com/a.csv')).err).toMatch(/^There is no product/);
  expect((await on('catalog', 'add', 'Tea')).out).toBe('Tea was added for @ben, with the id 1.\n');
  expect((await on('catalog', 'add', 'Tea')).err).toContain('already has a product catalog');
  const add = ['feed', 'add', 'https://a.com/a.xml.gz', '--json'] as const;
  expect(JSON.parse((await on(...add)).out).feed).toMatchObject({
    format: 'XML',
    frequency: 'DAILY',
    start_time: '06:00',
    time_zone: 'UTC',
  });
  expect((await on(...add)).err).toContain('already has a scheduled feed');
  expect((await on('feed', 'set')).err).toContain('at least one parameter');
  const set = await on('feed', 'set', 'https://b.com/b', '--schedule', 'Friday 7:30', '--json');
  expect(JSON.parse(set.out).feed).toMatchObject({
    url: 'https://b.com/b',
    format: 'XML',
    frequency: 'WEEKLY',
    repeat: 'FRIDAY',
    start_time: '07:30',
  });
});
