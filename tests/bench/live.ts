import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { chromium as playwright, type Page } from 'playwright';
import { LIVE } from '#contract/counts/live.ts';
import { floorTo } from '#core/time/bucket.ts';
import { HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { coverageTable, NO_COLLECTION } from '#server/posts/store/coverage.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { chromium } from '#tests/support/run/chromium.ts';
import { serveProcess, type ServiceProcess } from '#tests/support/service/process.ts';
import { giveTinySample, writePosts } from '#tests/support/service/service.ts';
import { Client, expectStatus } from './client.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';
import { countsPath, memoryOf, tokenFor } from './service.ts';

const TOPICS = ['oats', 'barley', 'millet', 'spelt', 'sorghum'] as const;
/** Values of a change: its time, and the total of each topic. */
const WIDTH = TOPICS.length + 1;
const POSTS_PER_SECOND = 50;
/** Posts before the first created one, a minute apart. */
const EARLIER = 20_000;
/** Seconds at the beginning that are not timed, in which code is compiled. */
const WARM_UP = 3;

/** The second half: dashboards, each with ten topics, all of them other words. */
const BOARDS = 100;
const TOPICS_EACH = 10;
const CROWD_POSTS_PER_SECOND = 200;
/** Pause between two counts, ms. */
const PAUSE_MS = 50;

/** Fills Your posts up to the present, which they cover from then on. */
function fill(data: string): void {
  mkdirSync(data, { recursive: true });
  giveTinySample(data);
  const first = Date.now() - EARLIER * MINUTE_MS;
  const posts = Array.from({ length: EARLIER }, (_, i) => ({
    id: BigInt(i + 1),
    createdAt: first + i * MINUTE_MS,
    text: `${TOPICS[i % TOPICS.length]} w${i % (BOARDS * TOPICS_EACH)}`,
  }));
  const file = join(data, 'posts.sqlite');
  writePosts(file, posts);
  const db = openPosts(file, { random: (n) => randomBytes(n) });
  db.write('posted', () =>
    coverageTable(db).created([NO_COLLECTION], { id: 0n, createdAt: first }),
  );
  db.close();
}

/** Number of the last created Post: no two may have the same text. */
let created = 0;

/** Creates Posts at a steady pace. @returns The epoch ms at which each was sent, once all are created. */
async function create(
  author: Client,
  rate: number,
  seconds: number,
  text: (i: number) => string,
): Promise<number[]> {
  const sent: number[] = [];
  const creating: Promise<unknown>[] = [];
  const began = performance.now();
  for (let i = 0; i < rate * seconds; i += 1) {
    await setTimeout(Math.max(0, began + (i * 1000) / rate - performance.now()));
    const body = { text: `${text(i)} ${(created += 1)}` };
    sent.push(performance.timeOrigin + performance.now());
    creating.push(author.post('/2/tweets', body).then((a) => expectStatus(a, 201, body.text)));
  }
  await Promise.all(creating);
  return sent;
}

/** Changes of the totals for which there is room: sixty a second, for ten minutes. */
const MOST_CHANGES = 36_000;

/** The totals that a page drew, and its long tasks. */
interface Seen {
  /** Of each change an epoch ms and the totals of the topics, outside the memory that is measured. */
  readonly totals: Float64Array;
  changes: number;
  readonly tasks: number[];
}

/** Notes each change of the totals in the summary when it is drawn, and tasks of more than 50 ms. */
function watch([topics, most]: readonly [topics: readonly string[], most: number]): void {
  const width = topics.length + 1;
  const seen: Seen = { totals: new Float64Array(most * width), changes: 0, tasks: [] };
  Object.assign(window, { seen });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration);
  }).observe({ type: 'longtask' });
  const total = (topic: string): number => {
    const rows = [...document.querySelectorAll('tbody tr')];
    const row = rows.find((each) => each.querySelector('th')?.textContent?.includes(topic));
    return Number(row?.querySelector('td')?.textContent?.replaceAll(/\D/g, '') ?? NaN);
  };
  let waits = false;
  new MutationObserver(() => {
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => {
      waits = false;
      const of = topics.map(total);
      const { totals, changes } = seen;
      const last = totals.subarray((changes - 1) * width + 1, changes * width);
      if (changes > 0 && of.every((value, i) => value === last[i])) return;
      totals.set([performance.timeOrigin + performance.now(), ...of], changes * width);
      seen.changes += 1;
    });
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}

/** The changes of the totals that a page has noted since {@link watch}. */
async function changesOf(page: Page): Promise<{ at: number; of: readonly number[] }[]> {
  const flat = await page.evaluate((width) => {
    const { totals, changes } = (window as unknown as { seen: Seen }).seen;
    return [...totals.subarray(0, changes * width)];
  }, WIDTH);
  return Array.from({ length: flat.length / WIDTH }, (_, i) => {
    const [at = NaN, ...of] = flat.slice(i * WIDTH, (i + 1) * WIDTH);
    return { at, of };
  });
}

/** The page's JavaScript memory after a collection, MB. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  await session.detach();
  return usedSize / 2 ** 20;
}

/** Growth in MB a minute, by least squares over values that were read at even intervals. */
function slope(values: readonly number[], intervalMs: number): number {
  const n = values.length;
  const [x, y] = [(n - 1) / 2, values.reduce((sum, value) => sum + value, 0) / n];
  const top = values.reduce((sum, value, i) => sum + (i - x) * (value - y), 0);
  const bottom = values.reduce((sum, _, i) => sum + (i - x) ** 2, 0);
  return (top / bottom) * (MINUTE_MS / intervalMs);
}

/** A board of five topics in a browser, while Posts are created. */
async function benchPage(served: ServiceProcess, user: string, seconds: number): Promise<void> {
  const browser = await playwright.launch(await chromium());
  const author = new Client(served.url, user);
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const [name = '', value = ''] = served.cookie.split('=');
    await context.addCookies([
      { name, value, url: served.url, httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    page.on('pageerror', (error) => fact(String(error)));
    page.on('console', (message) => message.type() === 'error' && fact(message.text()));
    const topics = TOPICS.map((topic) => `q=${topic}`).join('&');
    await page.goto(`${served.url}/#source=posts&range=7d&zone=UTC&by=hour&live=1&${topics}`);
    await page
      .getByRole('cell')
      .filter({ hasText: /^\s*[\d,]+\s*$/ })
      .nth(4)
      .waitFor();
    await page.getByTitle('Counts move as Posts arrive.').waitFor();
    // The compiler of this file calls it for each named function.
    await page.evaluate('globalThis.__name = (named) => named');
    await page.evaluate(watch, [TOPICS, MOST_CHANGES] as const);
    await create(author, POSTS_PER_SECOND, WARM_UP, (i) => TOPICS[i % TOPICS.length] ?? '');
    await setTimeout(2000);
    await page.evaluate(() => void (window as unknown as { seen: Seen }).seen.tasks.splice(0));
    const before = (await changesOf(page)).at(-1);
    const heaps = [await heapOf(page)];
    const service = [memoryOf(served.process.pid ?? NaN)?.own ?? NaN];
    const every = Math.max(5000, (seconds * 1000) / 20);
    const ended = new AbortController();
    const reading = (async () => {
      while (!ended.signal.aborted) {
        await setTimeout(every, undefined, { signal: ended.signal }).catch(() => undefined);
        heaps.push(await heapOf(page));
        service.push(memoryOf(served.process.pid ?? NaN)?.own ?? NaN);
      }
    })();
    const sent = await create(
      author,
      POSTS_PER_SECOND,
      seconds,
      (i) => TOPICS[i % TOPICS.length] ?? '',
    );
    await setTimeout(2000);
    ended.abort();
    await reading;
    const changes = await changesOf(page);
    const tasks = await page.evaluate(() => (window as unknown as { seen: Seen }).seen.tasks);
    const times: number[] = [];
    let lost = 0;
    for (const [i, at] of sent.entries()) {
      const topic = i % TOPICS.length;
      const wanted = (before?.of[topic] ?? NaN) + Math.floor(i / TOPICS.length) + 1;
      const moved = changes.find((each) => (each.of[topic] ?? NaN) >= wanted);
      if (moved) times.push(moved.at - at);
      else lost += 1;
    }
    const { median, p95, p99, max } = timing(times);
    table(
      `${POSTS_PER_SECOND} Posts/s for ${seconds} s, a board of ${TOPICS.length} topics: ms from the request to the drawn total`,
      [
        ['Posts', 'median', 'p95', 'p99', 'max', 'updates/s'],
        [
          `${times.length} of ${sent.length}`,
          ...[median, p95, p99, max].map(digits),
          digits(changes.length / seconds),
        ],
      ],
    );
    const long = tasks.filter((task) => task > 50);
    fact(`tasks over 50 ms: ${long.length}, the longest ${digits(Math.max(0, ...long))} ms`);
    goal('from creation to the curve, p50', median, '≤', 100, ' ms');
    goal('from creation to the curve, p99', p99, '≤', 250, ' ms');
    goal('Posts not shown', lost, '≤', 0);
    goal('tasks over 50 ms', long.length, '≤', 0);
    fact(`memory of the page: ${heaps.map(digits).join(', ')} MB`);
    goal('growth of the page', slope(heaps.slice(1), every), '≤', 0.5, ' MB a minute');
    fact(`growth of the service: ${digits(slope(service.slice(1), every))} MB a minute`);
  } finally {
    author.close();
    await browser.close();
  }
}

/** Requests counts one after another until a signal. @returns The time of each, ms. */
async function countUntil(client: Client, ended: AbortSignal): Promise<number[]> {
  const now = Date.now();
  const path = countsPath(TOPICS[0], { start: now - 100 * HOUR_MS, end: now - MINUTE_MS }, 'hour');
  const times: number[] = [];
  while (!ended.aborted) {
    times.push(await milliseconds(async () => expectStatus(await client.get(path), 200, path)));
    await setTimeout(PAUSE_MS);
  }
  return times;
}

/** Renews a session for every four boards, as many as one may have. @returns Their cookies. */
async function sessions({ url, cookie }: ServiceProcess): Promise<string[]> {
  const renew = async (): Promise<string> => {
    const answer = await fetch(`${url}/session`, {
      method: 'POST',
      headers: { cookie, origin: url, 'content-type': 'application/json' },
      body: '{}',
    });
    return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  };
  return await Promise.all(Array.from({ length: BOARDS / 4 }, renew));
}

/** A dashboard without a browser: it requests the counts of its topics at each line, as a page does. */
async function board(url: string, cookie: string, first: number, ended: AbortSignal) {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const answer = await fetch(`${url}${LIVE.changes.path}`, { headers, signal: ended });
  if (!answer.body) throw new Error(`expected a stream, got ${answer.status}`);
  let changed = 0;
  let wake = (): void => undefined;
  const reading = (async () => {
    for await (const _ of answer.body ?? []) {
      changed += 1;
      wake();
    }
  })().catch(() => undefined);
  let counted = 0;
  for (let seen = 0; !ended.aborted;) {
    if (changed === seen) {
      await Promise.race([new Promise<void>((resolve) => (wake = resolve)), reading]);
      continue;
    }
    seen = changed;
    const order = {
      source: 'posts',
      queries: Array.from({ length: TOPICS_EACH }, (_, i) => `w${first + i}`),
      granularity: 'hour',
      start: new Date(floorTo(Date.now(), 'hour')).toISOString(),
    };
    const page = await fetch(`${url}${LIVE.counts.path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
    if (page.status !== 200) throw new Error(`expected 200, got ${page.status}`);
    await page.arrayBuffer();
    counted += TOPICS_EACH;
  }
  return counted;
}

/** A thousand topics on a hundred boards, while Posts are created. */
async function benchCrowd(
  served: ServiceProcess,
  { user, app }: { readonly user: string; readonly app: string },
  cookies: readonly string[],
  seconds: number,
): Promise<void> {
  const [author, client] = [new Client(served.url, user), new Client(served.url, app)];
  const ended = new AbortController();
  try {
    await countUntil(client, AbortSignal.timeout(2000));
    const alone = await countUntil(client, AbortSignal.timeout(5000));
    const text = (i: number): string => `w${i % (BOARDS * TOPICS_EACH)}`;
    const writing = create(author, CROWD_POSTS_PER_SECOND, seconds, text);
    const written = await countUntil(client, AbortSignal.timeout(seconds * 1000));
    await writing;
    const boards = Array.from({ length: BOARDS }, (_, i) =>
      board(served.url, cookies[i % cookies.length] ?? '', i * TOPICS_EACH, ended.signal),
    );
    await setTimeout(3000);
    const during = create(author, CROWD_POSTS_PER_SECOND, seconds, text);
    const meanwhile = await countUntil(client, AbortSignal.timeout(seconds * 1000));
    await during;
    ended.abort();
    const counted = (await Promise.all(boards)).reduce((sum, each) => sum + each, 0);
    const every = (BOARDS * TOPICS_EACH * (seconds + 3)) / counted;
    const times = [alone, written, meanwhile].map(timing);
    const [first, second, third] = times.map(({ median }) => median);
    fact(
      `${BOARDS * TOPICS_EACH} topics live at ${CROWD_POSTS_PER_SECOND} Posts/s, each counted every ${digits(every)} s`,
    );
    fact(`a count alone, with the Posts, with the boards too: ${times.map(shown).join(', ')} ms`);
    const withBoards = third ?? NaN;
    goal('with the boards, of its time alone', withBoards / (first ?? NaN), '≤', 1.3);
    goal('with the boards, of its time with the Posts', withBoards / (second ?? NaN), '≤', 1.3);
  } finally {
    ended.abort();
    author.close();
    client.close();
  }
}

/**
 * Times how soon a board in a browser shows a Post that a program creates, and what many live boards cost others. Client,
 * browser and service share the machine.
 *
 * @param folder - Removed at the end.
 */
export async function benchLive(folder: string, seconds: number): Promise<void> {
  const data = join(folder, 'data');
  fill(data);
  const [user, app] = [await tokenFor(data, 'user'), await tokenFor(data, 'app')];
  try {
    const served = await serveProcess(data, {});
    try {
      await benchPage(served, user, seconds);
      await benchCrowd(served, { user, app }, await sessions(served), Math.min(30, seconds));
    } finally {
      await served.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
