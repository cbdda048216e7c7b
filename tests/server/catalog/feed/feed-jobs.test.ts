import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from 'vitest';
import { FeedBusy, openFeedJobs } from '#server/catalog/feed/feed-jobs.ts';
import { workOver, type RunProgress } from '#server/catalog/feed/feed-work.ts';
import { openCatalogs } from '#server/catalog/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { openHost } from '#tests/support/service/host.ts';
import { FakeClock } from '#tests/support/timers.ts';

const file = temporaryFolder();
const START = Date.parse('2026-11-23T10:30:00Z');

const HEADER = 'id,title,description,availability,condition,price,link,image_link,brand';
const ROWS = 5000;
const BODY = [
  HEADER,
  ...Array.from(
    { length: ROWS },
    (_, i) => `p${i},P,D,in stock,new,20.00 USD,https://shop.example/${i},https://shop.example/i,S`,
  ),
].join('\n');
const whole = (response: ServerResponse): void =>
  void response.writeHead(200, { etag: '"1"', 'content-length': BODY.length }).end(BODY);
/** Sends a part and then nothing. */
const stalled = (response: ServerResponse): void => {
  response.writeHead(200, { etag: '"1"', 'content-length': BODY.length });
  response.write(BODY.slice(0, 1000));
};
let answer = whole;
let [open, most] = [0, 0];
const host = await openHost((_, response) => {
  most = Math.max(most, (open += 1));
  response.on('close', () => (open -= 1));
  answer(response);
});
const feed_url = `${host.origin}/feed.csv`;
afterAll(host.close);

let files = 0;
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  [answer, most] = [whole, 0];
  for (const close of opened.splice(0)) await close();
});

/** Jobs on a file of catalogs, with a catalog and an hourly feed for each user. */
function stage(users: readonly string[] = ['1'], name = `catalog-${(files += 1)}`) {
  const clock = new FakeClock(START);
  const store = openCatalogs(file(name));
  const fetcher = testFetcher();
  const { stream } = fetcher;
  const { now, timer } = clock;
  const folder = file(`${name}-feeds`);
  const log: string[] = [];
  const jobs = openFeedJobs({
    store,
    work: workOver({ store, stream, now, timer, limit: 2 ** 30, flushed: 500 }),
    folder,
    now,
    timer,
    random: (n) => randomBytes(n),
    log: (line) => void log.push(line),
  });
  const catalogs = users.map((user) => {
    const known = store.of(user);
    if (known) return known.id;
    const { id } = store.add(user, 'Shop', START);
    store.feeds.add(
      id,
      {
        feed_url,
        feed_format: 'CSV',
        frequency: 'HOURLY',
        repeat: '1',
        start_time: '00:00',
        time_zone: 'UTC',
      },
      START,
    );
    return id;
  });
  const close = async (): Promise<void> => {
    await jobs.close();
    await fetcher.close();
    store.close();
  };
  opened.push(close);
  const [catalog = 0] = catalogs;
  return { clock, store, jobs, folder, catalogs, catalog, log, close, name };
}

async function until(isMet: () => boolean): Promise<void> {
  while (!isMet()) await setImmediate();
}

/** Runs a feed until it has come somewhere. */
async function runTo(
  { jobs, catalog }: ReturnType<typeof stage>,
  isThere: (progress: RunProgress) => boolean,
) {
  let isMet = false;
  const done = jobs.run(catalog, (progress) => (isMet ||= isThere(progress)));
  await until(() => isMet);
  return done;
}
const hasBytes = (progress: RunProgress): boolean => progress.state === 'downloading';

it('runs come by the schedule; of many that were missed, one is made up', async () => {
  const { clock, store, jobs, catalog } = stage();
  jobs.start();
  const settle = (): Promise<void> => until(() => jobs.progress(catalog) === null);
  await clock.move(29 * 60_000, settle);
  expect(store.runs.of(catalog)).toEqual([]);
  await clock.move(31 * 60_000, settle);
  await clock.move(60 * 60_000, settle);
  const times = () =>
    store.runs.of(catalog).map(({ startedAt }) => new Date(startedAt).toISOString());
  expect(times()).toEqual(['2026-11-23T12:00:00.000Z', '2026-11-23T11:00:00.000Z']);
  // The machine sleeps: its timers do not run meanwhile.
  clock.at += 9.5 * 3_600_000;
  await clock.move(3 * 60_000, settle);
  expect(times().length).toBe(3);
  expect(times()[0]).toMatch(/^2026-11-23T22:0/);
});

it('a run is cancelled while it downloads, and while it reads', async () => {
  const one = stage();
  answer = stalled;
  const downloading = runTo(one, hasBytes);
  await until(() => one.store.downloads.of(one.catalog)?.bytes === 1000);
  expect(await one.jobs.cancel(one.catalog, 'Enough.')).toBe(true);
  expect(await downloading).toMatchObject({ fault: 'Enough.', created: 0 });
  expect(await one.jobs.cancel(one.catalog, 'Enough.')).toBe(false);

  answer = whole;
  const reading = one.jobs.run(one.catalog, (progress) => {
    if (progress.state === 'writing') void one.jobs.cancel(one.catalog, 'Enough.');
  });
  const run = await reading;
  expect(run).toMatchObject({ fault: 'Enough.', refused: 0 });
  expect(run?.created).toBeGreaterThan(0);
  expect(run?.created).toBeLessThan(ROWS);
  expect(readdirSync(one.folder)).toEqual([]);
  expect(await one.jobs.run(one.catalog)).toMatchObject({
    fault: null,
    created: ROWS - (run?.created ?? 0),
    unchanged: run?.created,
  });
});

it('the end of the service leaves a run to the next one', async () => {
  const first = stage();
  answer = stalled;
  const ended = runTo(first, hasBytes);
  await until(() => first.store.downloads.of(first.catalog)?.bytes === 1000);
  opened.pop();
  await first.close();
  expect(await ended).toBeNull();
  answer = (response) => {
    const range = `bytes 1000-${BODY.length - 1}/${BODY.length}`;
    response.writeHead(206, { etag: '"1"', 'content-range': range }).end(BODY.slice(1000));
  };
  const second = stage(['1'], first.name);
  second.jobs.start();
  await until(() => second.jobs.progress(second.catalog) === null);
  expect(second.store.runs.of(second.catalog)).toMatchObject([{ fault: null, created: ROWS }]);
});

it('a change of what a run reads ends it first, and none begins meanwhile', async () => {
  const one = stage();
  answer = stalled;
  const run = runTo(one, hasBytes);
  await until(() => one.store.downloads.of(one.catalog)?.bytes === 1000);
  let during: unknown = null;
  await one.jobs.change(one.catalog, 'Removed.', () => {
    during = one.jobs.run(one.catalog);
    one.store.remove(one.catalog);
  });
  expect([await run, await during]).toMatchObject([{ fault: 'Removed.' }, null]);
  expect([one.store.has(one.catalog), existsSync(`${one.folder}/1.feed`)]).toEqual([false, false]);
});

it('two feeds are downloaded at once, and others wait', async () => {
  const { jobs, catalogs } = stage(['1', '2', '3']);
  answer = stalled;
  const runs = catalogs.map((catalog) => jobs.run(catalog));
  await until(() => open === 2);
  expect(catalogs.map((catalog) => jobs.progress(catalog)?.state)).toContain('waiting');
  await jobs.cancel(catalogs[0] ?? 0, 'Enough.');
  answer = whole;
  await jobs.cancel(catalogs[1] ?? 0, 'Enough.');
  const [, , third] = await Promise.all(runs);
  expect([third?.fault, most]).toEqual([null, 2]);
});

it('a file that has not changed is read again once products were changed otherwise', async () => {
  const { store, jobs, catalog } = stage();
  answer = (response) => {
    if (response.req.headers['if-none-match'] === '"1"') response.writeHead(304).end();
    else whole(response);
  };
  await jobs.run(catalog);
  const same = await jobs.run(catalog);
  expect(store.downloads.sizes(catalog).get(same?.id ?? 0)).toEqual({
    bytes: null,
    unchangedSince: START,
  });
  const [first] = store.products.page(catalog, { group: null, after: 0, limit: 1 });
  store.products.remove(catalog, first?.key ?? 0);
  store.downloads.forget(catalog);
  expect(await jobs.run(catalog)).toMatchObject({ created: 1, unchanged: ROWS - 1 });
});

/** Puts a file of products where a run reads it. */
const placed = { format: 'CSV', place: (path: string) => writeFile(path, BODY) } as const;

it('a file is read once, into a catalog with a feed or without, and the host is asked again for its own', async () => {
  const { store, jobs, catalog } = stage();
  expect(await jobs.run(catalog)).toMatchObject({ created: ROWS });
  expect(store.downloads.seen(catalog)).not.toBeNull();
  expect(await (await jobs.take(catalog, placed)).ended).toMatchObject({ unchanged: ROWS });
  expect(store.downloads.seen(catalog)).toBeNull();
  store.feeds.remove(store.feeds.of(catalog)?.id ?? 0);
  expect(await (await jobs.take(catalog, placed)).ended).toMatchObject({ unchanged: ROWS });
  expect(await jobs.run(catalog)).toBeNull();
});

it('a file that was being read when the service ended is read on at its next start', async () => {
  const one = stage();
  one.store.feeds.remove(one.store.feeds.of(one.catalog)?.id ?? 0);
  let close: Promise<void> | null = null;
  const { ended } = await one.jobs.take(one.catalog, placed, (progress) => {
    if (progress.state === 'writing') close ??= one.jobs.close();
  });
  expect(await ended).toBeNull();
  await close;
  expect(one.store.runs.of(one.catalog)).toMatchObject([{ endedAt: null }]);
  const again = stage(['1'], one.name);
  again.jobs.start();
  await until(() => again.store.runs.of(again.catalog)[0]?.endedAt !== null);
  expect(again.store.runs.of(again.catalog)).toMatchObject([{ created: ROWS, fault: null }]);
  expect(again.store.runs.of(again.catalog)).toHaveLength(1);
});

it('a file is refused while a run goes on, and leaves nothing if it cannot be placed', async () => {
  const { jobs, catalog, folder } = stage();
  answer = stalled;
  const running = jobs.run(catalog);
  await expect(jobs.take(catalog, placed)).rejects.toThrow(FeedBusy);
  await jobs.cancel(catalog, 'Enough.');
  await running;
  const place = async (path: string): Promise<void> => {
    await writeFile(path, 'a part');
    throw new Error('the disk is full');
  };
  await expect(jobs.take(catalog, { format: 'CSV', place })).rejects.toThrow('the disk is full');
  await until(() => jobs.progress(catalog) === null);
  expect(readdirSync(folder)).toEqual([]);
});
