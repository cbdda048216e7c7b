import { setImmediate } from 'node:timers/promises';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { ProductPage } from '#contract/catalog/feeds.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { localHost } from '#tests/support/service/local-host.ts';
import { stage } from '#tests/support/service/conformance.ts';
import { CatalogsAnswer, FeedRowsAnswer } from '#contract/catalog/feed-answers.ts';

const on = stage();
on.user('ann', { merchant_terms: true });
const as = on.signer('ann', { access: 'enterprise', limited: false, early_access: true });

const HEADER = 'id,title,description,availability,condition,price,link,image_link,brand';
/** The first is valid, the others are not. */
const BODY = [
  HEADER,
  ...Array.from(
    { length: 151 },
    (_, i) =>
      `p${i},P,D,in stock,new,${i === 0 ? '20.00 USD' : 'free'},https://shop.example/,https://shop.example/i,S`,
  ),
].join('\n');
let isStalled = false;
const host = await localHost((_, response) => {
  response.on('error', () => {});
  response.writeHead(200, { 'content-length': BODY.length });
  if (isStalled) response.write(BODY.slice(0, 100));
  else response.end(BODY);
});

const { get, post, send } = callerOf(on.service);
/** The only catalog, once its feed comes to a state. */
async function when(state: string | undefined) {
  for (;;) {
    const { body } = await get('/catalogs');
    const [catalog] = v.parse(CatalogsAnswer, body).catalogs;
    if (catalog && catalog.progress?.state === state) return catalog;
    await setImmediate();
  }
}

it('lists catalogs with their feeds, runs and cancels them, and pages their rows', async () => {
  expect((await get('/catalogs')).body).toEqual({ catalogs: [] });
  const { body } = await as.send('POST', '/12/product_catalogs?name=Shop');
  const { id } = body.data;
  expect((await get('/catalogs')).body).toEqual({
    catalogs: [{ id, name: 'Shop', username: 'ann', feed: null, progress: null, runs: [] }],
  });
  expect((await post(`/catalogs/${id}/run`)).status).toBe(404);
  const feed_url = `${host}/feed.csv`;
  const query = new URLSearchParams({
    feed_url,
    feed_format: 'CSV',
    frequency: 'WEEKLY',
    repeat: 'MONDAY',
    start_time: '07:30',
    time_zone: 'Asia/Tokyo',
  });
  await as.send('POST', `/12/product_catalogs/${id}/scheduled_feeds?${query.toString()}`);

  expect((await post(`/catalogs/${id}/run`)).body).toEqual({ running: true });
  const done = await when(undefined);
  expect(done.feed).toEqual({
    id: expect.any(String),
    url: feed_url,
    format: 'CSV',
    frequency: 'WEEKLY',
    repeat: 'MONDAY',
    start_time: '07:30',
    time_zone: 'Asia/Tokyo',
    next_run: '2026-11-22T22:30:00.000Z',
  });
  const [run] = done.runs;
  expect(run).toMatchObject({
    outcome: 'complete',
    bytes: BODY.length,
    created: 1,
    refused: 150,
    rules: [{ kind: 'error', rows: 150 }],
  });

  const rows = async (after: string) =>
    v.parse(FeedRowsAnswer, (await get(`/catalogs/${id}/runs/${run?.id}/rows${after}`)).body);
  const first = await rows('');
  expect([first.rows.length, first.rows[0], first.next]).toMatchObject([
    100,
    { row: 2, line: 3, product: 'p1', errors: [{ parameter: 'price', value: 'free' }] },
    'error-101',
  ]);
  const second = await rows(`?after=${first.next}`);
  expect([second.rows.length, second.rows[0]?.row, second.next]).toEqual([50, 102, null]);
  expect((await get(`/catalogs/${id}/runs/99/rows`)).status).toBe(404);
  const csv = (await get(`/catalogs/${id}/runs/${run?.id}/csv`)).body.csv.split('\n');
  expect([csv.length, csv[0], csv[1]]).toEqual([
    152,
    'row,line,product,kind,parameter,value,message',
    expect.stringMatching(/^2,3,p1,error,price,free,/),
  ]);
  const rule = new URLSearchParams({ kind: 'error', rule: run?.rules[0]?.rule ?? '' });
  expect((await rows(`?${rule.toString()}`)).rows).toHaveLength(100);
  expect((await rows('?kind=error&rule=Other')).rows).toEqual([]);
  const products = async (query: string) =>
    v.parse(ProductPage, (await get(`/catalogs/${id}/products${query}`)).body);
  expect(await products('')).toMatchObject({ total: 1, products: [{ changes: [] }], next: null });
  expect(await products('?search=nothing')).toMatchObject({ total: 1, products: [] });
  expect((await get(`/catalogs/${id}/sets`)).body).toEqual({ sets: [] });
  expect((await get(`/catalogs/${id}/runs/${run?.id}/rows?after=x`)).status).toBe(400);

  isStalled = true;
  await post(`/catalogs/${id}/run`);
  const running = await when('downloading');
  expect([running.progress, running.runs[0]?.outcome]).toEqual([
    { state: 'downloading', bytes: 100, bytes_total: BODY.length, rows: 0, rows_total: null },
    'running',
  ]);
  expect((await post(`/catalogs/${id}/cancel`)).body).toEqual({ cancelled: true });
  expect((await post(`/catalogs/${id}/cancel`)).body).toEqual({ cancelled: false });
  expect((await when(undefined)).runs[0]).toMatchObject({
    outcome: 'failed',
    fault: 'The run was cancelled.',
  });
});

it('creates a catalog and its feed for the session, and refuses what does not fit', async () => {
  on.user('shop', { merchant_terms: true });
  on.user('reader');
  for (const [name, username, status] of [
    ['', 'shop', 400],
    ['Tea', 'nobody', 404],
    ['Tea', 'reader', 403],
    ['Tea', 'ann', 403],
  ] as const) {
    expect([username, (await post('/catalogs', { name, username })).status]).toEqual([
      username,
      status,
    ]);
  }
  const { id } = (await post('/catalogs', { name: 'Tea', username: 'shop' })).body;
  const feed = {
    feed_url: 'https://shop.example/feed.xml',
    feed_format: 'XML',
    start_time: '06:00',
    time_zone: 'Europe/Berlin',
  };
  const path = `/catalogs/${id}/feed`;
  for (const wrong of [
    { ...feed, frequency: 'WEEKLY' },
    { ...feed, frequency: 'DAILY', repeat: 'MONDAY' },
    { ...feed, frequency: 'DAILY', feed_url: 'ftp://shop.example/feed.xml' },
    { ...feed, frequency: 'DAILY', time_zone: 'Berlin' },
  ]) {
    expect((await send('PUT', path, wrong)).status).toBe(400);
  }
  const put = (more: object) => send('PUT', path, { ...feed, ...more });
  const added = await put({ frequency: 'WEEKLY', repeat: 'FRIDAY' });
  expect((await put({ frequency: 'DAILY' })).body).toEqual(added.body);
  const { body } = await get('/catalogs');
  expect(v.parse(CatalogsAnswer, body).catalogs.find((catalog) => catalog.id === id)).toMatchObject(
    { name: 'Tea', username: 'shop', feed: { frequency: 'DAILY', repeat: null } },
  );
  expect((await send('PUT', '/catalogs/999/feed', { ...feed, frequency: 'DAILY' })).status).toBe(
    404,
  );
});

it('reads a file that the page sends, once and without a feed, and shows the products of sets', async () => {
  on.user('tea', { merchant_terms: true });
  const shop = on.signer('tea', { access: 'enterprise', limited: false, early_access: true });
  const { id } = (await shop.send('POST', '/12/product_catalogs?name=Leaves')).body.data;
  const upload = async (file: string, query = 'format=CSV') => {
    const headers = { 'content-length': String(file.length) };
    const path = `/catalogs/${id}/file?${query}`;
    return await on.service.request(path, { method: 'POST', body: file, headers });
  };
  const catalog = async () => {
    const { catalogs } = v.parse(CatalogsAnswer, (await get('/catalogs')).body);
    return catalogs.find((each) => each.id === id);
  };
  const ended = async () => {
    for (;;) {
      const found = await catalog();
      if (found?.progress === null) return found;
      await setImmediate();
    }
  };
  const answer = await upload(BODY);
  expect([answer.status, await answer.json()]).toEqual([200, { running: true }]);
  const { feed, runs } = await ended();
  expect([feed, runs]).toMatchObject([
    null,
    [{ outcome: 'complete', created: 1, refused: 150, bytes: BODY.length, unchanged_since: null }],
  ]);
  expect((await upload('<rss/>')).status).toBe(200);
  expect((await ended()).runs[0]?.fault).toContain('is declared as CSV, but the file is XML.');
  expect((await upload(BODY, 'format=PDF')).status).toBe(400);

  const more = BODY.split('\n')
    .slice(0, 3)
    .join('\n')
    .replace(',free,', ',5.00 USD,')
    .replace('20.00', '18.00');
  await upload(more);
  await ended();
  const filters = (value: string) => [{ attribute: 'price', operator: 'GREATER_THAN', value }];
  const add = async (name: string, value: string): Promise<string> => {
    const body = { name, type: 'FILTERED', filters: filters(value) };
    const path = `/12/product_catalogs/${id}/product_sets`;
    return (await shop.send('POST', path, body)).body.data.id;
  };
  const [some, none] = [await add('Dear', '10.00 USD'), await add('Dearest', '99.00 USD')];
  const products = async (set: string) => (await get(`/catalogs/${id}/sets/${set}/products`)).body;
  expect(await products(some)).toMatchObject({
    total: 1,
    products: [{ id: 'p0', title: 'P', price: '18.00 USD', availability: 'in stock' }],
    next: null,
  });
  expect(await products(none)).toEqual({ total: 0, products: [], next: null });
  expect((await get(`/catalogs/${id}/sets/999/products`)).status).toBe(404);
});
