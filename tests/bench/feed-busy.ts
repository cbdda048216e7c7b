import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DAY_MS, type Span } from '#core/time/span.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { program } from '#tests/support/service/process.ts';
import { product } from '#tests/support/data/products.ts';
import { signed, type Signer } from '#tests/support/service/signing-in.ts';
import { expectStatus } from './client.ts';
import { writeFeed } from './feed-files.ts';
import { digits, fact, goal, milliseconds, table, timing, type Timing } from './measure.ts';
import { countsPath, serve, tokenFor, type Served } from './service.ts';

/** A host of a file, in a thread of its own: it would delay the requests that are timed. */
const HOST = `
const { createServer } = require('node:http');
const { createReadStream, statSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
createServer((request, response) => {
  response.writeHead(200, { 'content-length': statSync(workerData).size });
  createReadStream(workerData, { highWaterMark: 1 << 20 }).pipe(response);
}).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });
`;

async function startHost(file: string): Promise<{ url: string; stop(): Promise<unknown> }> {
  const worker = new Worker(HOST, { eval: true, workerData: file });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  return { url: `http://127.0.0.1:${port}/feed.csv`, stop: () => worker.terminate() };
}

async function output(data: string, ...args: string[]): Promise<string> {
  const { code, out, err } = await program([...args, '--data', data]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return out;
}

/** Creates a merchant with a catalog and a feed that no schedule reads meanwhile. */
async function addMerchant(
  data: string,
  url: string,
): Promise<{ catalog: number; signer: Signer }> {
  const json = async (...args: string[]) =>
    JSON.parse(await output(data, ...args, '--json')) as Record<string, string>;
  await output(data, 'user', 'add', 'merchant', '--merchant-terms', 'yes');
  const app = await json('app', 'add', 'Shop', '--early-access', 'yes', '--limits', 'off');
  const token = await json('token', 'user', '--name', 'merchant', '--app', 'Shop', '--oauth1');
  const store = openCatalogs(join(data, 'catalog.sqlite'));
  const catalog = store.add(token['id'] ?? '', 'Shop', Date.now()).id;
  const yesterday = new Date(Date.now() - DAY_MS).toLocaleDateString('en-US', { weekday: 'long' });
  const settings = {
    feed_url: url,
    feed_format: 'CSV',
    frequency: 'WEEKLY',
    repeat: yesterday.toUpperCase(),
    start_time: '00:00',
    time_zone: 'UTC',
  } as const;
  store.feeds.add(catalog, settings, Date.now());
  store.close();
  const signer = {
    api_key: app['api_key'] ?? '',
    api_key_secret: app['api_key_secret'] ?? '',
    token: token['access_token'] ?? '',
    secret: token['access_token_secret'] ?? '',
  };
  return { catalog, signer };
}

type Times = Record<'day' | 'years' | 'put', number[]>;

/** Requests in turn until they are to end. */
async function ask(
  { client, url }: Served,
  { catalog, signer }: { catalog: number; signer: Signer },
  span: Span,
  isOver: () => boolean,
): Promise<Times> {
  const week = { start: span.end - 400 * DAY_MS, end: span.end - 393 * DAY_MS };
  const paths = {
    day: countsPath('trump', week, 'day'),
    years: countsPath('"white house" OR police -video', span, 'day'),
  };
  const products = `${url}/12/product_catalogs/${catalog}/products`;
  const times: Times = { day: [], years: [], put: [] };
  for (let i = 0; !isOver(); i++) {
    for (const [name, path] of Object.entries(paths)) {
      const took = await milliseconds(async () => expectStatus(await client.get(path), 200, name));
      times[name as 'day' | 'years'].push(took);
    }
    if (i % 10 > 0) continue;
    const body = JSON.stringify({ products: [product('own', { price: `${i + 1}.00 USD` })] });
    const headers = {
      authorization: signed(products, signer, { method: 'PUT' }),
      'content-type': 'application/json',
    };
    times.put.push(
      await milliseconds(async () => {
        const answer = await fetch(products, { method: 'PUT', headers, body });
        if (!answer.ok) throw new Error(`PUT products: ${answer.status} ${await answer.text()}`);
      }),
    );
  }
  return times;
}

/** Times counts and changes of products alone and while a feed is downloaded and read. @param bytes - Size of the feed. */
export async function benchFeedBusy(data: string, span: Span, bytes: number): Promise<void> {
  const file = join(data, 'bench-feed.csv');
  writeFeed(file, 'CSV', bytes, 0);
  const host = await startHost(file);
  const merchant = await addMerchant(data, host.url);
  const served = await serve(data, await tokenFor(data, 'app'), ['--allow-private']);
  const rounds = (count: number) => (): boolean => --count < 0;
  await ask(served, merchant, span, rounds(50));
  const alone = await ask(served, merchant, span, rounds(300));
  let isDone = false;
  const run = output(data, 'feed', 'run').finally(() => {
    isDone = true;
  });
  const during = await ask(served, merchant, span, () => isDone);
  fact(`a feed of ${digits(statSync(file).size / 2 ** 20)} MiB: ${(await run).trim()}`);
  await served.stop();
  await host.stop();
  const row = (name: string, of: keyof Times): [string, Timing, Timing] => [
    name,
    timing(alone[of]),
    timing(during[of]),
  ];
  const rows = [
    row('counts of a week', 'day'),
    row('counts of all years', 'years'),
    row('PUT products', 'put'),
  ];
  table('Requests while a feed is read, ms', [
    ['request', 'alone', 'p99', 'meanwhile', 'p99', 'most'],
    ...rows.map(([name, a, b]) => [
      name,
      digits(a.median),
      digits(a.p99),
      digits(b.median),
      digits(b.p99),
      digits(b.max),
    ]),
  ]);
  for (const [name, a, b] of rows.slice(0, 2)) {
    goal(`${name} during a feed run : alone`, b.median / a.median, '≤', 1.5);
  }
}
