import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { parseViewFormula } from '#app/board/state/formula.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { readGiven } from '#app/report/given-board.ts';
import type { NewView } from '#contract/links/links.ts';
import {
  LOCKED,
  MIN_ACCOUNTS,
  PASSWORD_NEEDED,
  type OpenedView,
} from '#contract/links/view-link.ts';
import { fixedKey } from '#core/series/imported-series.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { readBackup } from '#server/backup/restore.ts';
import { openBoardLinks, viewSettings } from '#server/links/board-links.ts';
import { storeBoard, viewLink } from '#tests/support/service/data-links.ts';
import { backUp } from '#tests/server/backup/data.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const PEAK = Date.parse('2026-11-10T00:00:00Z');
let now = NOW;
const times = (
  length: number,
  at: (i: number) => number,
  text: string,
  author: (i: number) => number,
) => Array.from({ length }, (_, i) => ({ at: at(i), text, author: author(i) }));
/** Tea every two hours for 40 days; on a day many say a slogan, many use a tag, and one account says a joke often. */
const said: { at: number; text: string; author: number; repost?: Partial<TestPost> }[] = [
  ...times(
    480,
    (i) => NOW - 40 * DAY_MS + i * 2 * HOUR_MS,
    'tea',
    (i) => i % 50,
  ),
  ...times(
    60,
    (i) => PEAK + i * MINUTE_MS,
    'tea green harvest',
    (i) => i % (MIN_ACCOUNTS + 3),
  ),
  ...times(
    60,
    (i) => PEAK + i * MINUTE_MS,
    'tea private joke',
    (i) => i % (MIN_ACCOUNTS - 1),
  ),
  ...times(
    60,
    (i) => PEAK + i * MINUTE_MS,
    'RT @loud: tea now',
    (i) => i % 50,
  ).map((post) => ({ ...post, repost: { isRetweet: true, repostOfUsername: 'loud' } })),
  ...times(
    40,
    (i) => PEAK + i * MINUTE_MS,
    'tea thanks @quiet https://x.com/hermit/status/1',
    (i) => i % 20,
  ),
  ...times(
    20,
    (i) => NOW - i * DAY_MS,
    'coffee',
    () => 1,
  ),
];
const posts: TestPost[] = said.map(({ at, text, author, repost = {} }, i) => ({
  ...repost,
  id: 1_990_000_000_000_000_000n + BigInt(i),
  createdAt: at,
  text,
  authorId: String(800 + author),
  username: `user${author}`,
}));
/** The page as the build writes it, by the names of its files. */
const assets = mkdtempSync(join(tmpdir(), 'groundswell-view-'));
mkdirSync(join(assets, 'assets'));
for (const file of ['icon.svg', 'old-browser.js'])
  copyFileSync(`public/${file}`, join(assets, file));
writeFileSync(join(assets, 'assets/page-1.js'), '');
writeFileSync(
  join(assets, 'index.html'),
  readFileSync('index.html', 'utf8').replace('/src/app/main.ts', '/assets/page-1.js'),
);
const service = startService({ now: () => now, posts, posted: true, copied: true, assets });
afterAll(async () => {
  await service.close();
  rmSync(assets, { recursive: true });
});
const send = (path: string, init?: RequestInit): Promise<Response> => service.request(path, init);
/** A request of the page of a link, which has no origin and no cookie. */
const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  service.request(path, {
    ...init,
    headers: { cookie: '', origin: 'null', 'sec-fetch-site': 'cross-site', ...init.headers },
  });
const post = (
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Response> =>
  ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

let made = 0;
async function linked(
  view: Partial<NewView> = {},
  over: View = {},
  content: Partial<SavedBoard> = {},
) {
  const board = `board ${(made += 1)}`;
  await storeBoard(
    send,
    board,
    {
      source: 'posts',
      zone: 'UTC',
      weekStart: 1,
      range: { preset: '30d' },
      resolution: 'day',
      series: [{ query: 'tea', label: 'Tea', hidden: false }],
      ...over,
    },
    content,
  );
  return { board, ...(await viewLink(send, board, view)) };
}
const opened = async (path: string): Promise<OpenedView> =>
  (await (await post(`${path}open`, {})).json()) as OpenedView;
const question = { query: 'tea', start: PEAK, buckets: 3, granularity: 'hour' } as const;
const causesOf = (query = 'tea', start = PEAK): string =>
  `causes?${new URLSearchParams({
    query,
    start_time: new Date(start).toISOString(),
    end_time: new Date(start + DAY_MS).toISOString(),
    compare_start_time: new Date(start - 9 * DAY_MS).toISOString(),
    compare_end_time: new Date(start).toISOString(),
  })}`;

describe('the page of a view link', () => {
  it('runs without an origin, is stored by nobody, and is framed by the sites of its link alone', async () => {
    const sites = ['https://wiki.example.org', 'http://localhost:8080'];
    const [open, framed] = [await linked(), await linked({ sites })];
    for (const [{ path }, ancestors] of [
      [open, "'none'"],
      [framed, sites.join(' ')],
    ] as const) {
      const page = await ask(path);
      const { headers } = page;
      const policy = headers.get('content-security-policy') ?? '';
      expect(page.status).toBe(200);
      expect(policy.split('; ')).toEqual(
        expect.arrayContaining(['sandbox allow-scripts', `frame-ancestors ${ancestors}`]),
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'private, no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex',
      });
      expect([headers.has('set-cookie'), headers.get('x-frame-options')]).toEqual([
        false,
        ancestors === "'none'" ? 'DENY' : null,
      ]);
      // All that it names is below its own path.
      const names = [...(await page.text()).matchAll(/(?:src|href)="([^"]*)"/g)].map(
        ([, to]) => to,
      );
      expect(names.length).toBeGreaterThan(0);
      for (const name of names) expect(name).toMatch(/^\.\//);
      for (const name of names) expect((await ask(path + name!.slice(2))).status).toBe(200);
    }
    const moved = await ask(open.path.slice(0, -1));
    expect([moved.status, moved.headers.get('location')]).toEqual([308, `./${open.secret}/`]);
  });

  it('answers requests of no origin and their preflights, with no credentials', async () => {
    const { path } = await linked();
    const preflight = await ask(`${path}counts`, {
      method: 'OPTIONS',
      headers: { 'access-control-request-method': 'POST' },
    });
    const answer = await post(`${path}counts`, { questions: [question] });
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    expect([preflight.status, answer.status]).toEqual([204, 200]);
    expect(answer.headers.get('cache-control')).toContain('no-store');
  });

  it('answers 404 to a wrong secret, 410 once the link has ended, and counts visits', async () => {
    const { path, id } = await linked();
    await opened(path);
    await opened(path);
    const { links } = await (await send('/links')).json();
    expect(links.find((link: { id: string }) => link.id === id)).toMatchObject({
      kind: 'view',
      visits: 2,
      view: { posts: false, presets: true, sites: [], password: false },
    });
    await send(`/links/${id}`, { method: 'DELETE' });
    const gone = [
      await ask(path),
      await post(`${path}open`, {}),
      await post(`${path}counts`, { questions: [question] }),
    ];
    expect(gone.map(({ status }) => status)).toEqual([410, 410, 410]);
    const wrong = `/view/${'A'.repeat(27)}/`;
    expect([(await ask(wrong)).status, (await post(`${wrong}open`, {})).status]).toEqual([
      404, 404,
    ]);
    expect((await ask(path.replace('view', 'data') + 'wide.csv')).status).toBe(404);
  });
});

describe('a view', () => {
  it('opens the board, and says nothing of the size of its source', async () => {
    const { path, board } = await linked();
    const view = await opened(path);
    expect(view).toMatchObject({ token: null, name: board, posts: false, presets: true });
    expect(view.source).toMatchObject({ id: 'posts', posts: null });
  });

  it('counts its own topics as the service does, and nothing else', async () => {
    const { path } = await linked();
    const questions = [
      question,
      { ...question, start: PEAK - DAY_MS, granularity: 'day', buckets: 2 },
    ];
    const { answers } = await (await post(`${path}counts`, { questions })).json();
    expect(answers).toMatchObject([
      { counts: [221, 0, 1], runs: [{ buckets: 3 }] },
      { counts: [12, 232] },
    ]);
    const other = { questions: [{ ...question, query: 'coffee' }] };
    expect((await post(`${path}counts`, other)).status).toBe(403);
    expect((await ask(path + causesOf('coffee'))).status).toBe(403);
  });

  it('reads another time only where the link allows one', async () => {
    const [free, fixed] = [await linked(), await linked({ presets: false })];
    const before = { questions: [{ ...question, start: NOW - (NOW % DAY_MS) - 900 * DAY_MS }] };
    expect((await post(`${free.path}counts`, before)).status).toBe(200);
    expect((await post(`${fixed.path}counts`, before)).status).toBe(403);
    expect((await post(`${fixed.path}counts`, { questions: [question] })).status).toBe(200);
    const over = await linked(
      { presets: false },
      { range: { from: '2026-11-09T00:00', to: '2026-11-12T00:00' } },
    );
    const after = { questions: [{ ...question, start: NOW - (NOW % HOUR_MS) - DAY_MS }] };
    expect((await post(`${over.path}counts`, after)).status).toBe(403);
    expect((await post(`${over.path}counts`, { questions: [question] })).status).toBe(200);
    // Also in what causes are compared with.
    const causes = (days: number): string =>
      causesOf().replace(
        /compare_start_time=[^&]*/,
        `compare_start_time=${new Date(PEAK - days * DAY_MS).toISOString()}`,
      );
    expect((await ask(over.path + causes(4))).status).toBe(200);
    expect((await ask(over.path + causes(900))).status).toBe(403);
  });

  it('gets no more of the board than it shows', async () => {
    const days = [{ start: PEAK, spend: 77_001, impressions: 77_002, clicks: 77_003 }];
    const campaign = {
      currency: 'EUR',
      budget: 77_004,
      spend: 77_005,
      impressions: 77_006,
      clicks: 77_007,
      days,
      tag: 'secret tag',
      source: 'secret account',
      ad: { account: 'secret1', campaign: 'secret2' },
      control: { topic: 'secret topic', queries: ['secret control'], chosen: 1, changes: 1 },
    };
    const series = [
      { query: 'secret hidden', label: 'secret label', hidden: true },
      { query: 'tea', typed: 'secret draft', label: 'Tea', hidden: false },
      { query: 'coffee', label: '', hidden: true },
      { query: '', label: '', hidden: false, formula: parseViewFormula('B/(B+C)')! },
    ];
    const notes = [
      { id: 'a', start: PEAK, end: PEAK + DAY_MS, text: 'Harvest', campaign },
      { id: 'b', start: PEAK, end: null, text: 'secret note' },
    ];
    const { path } = await linked({}, { series, events: ['-note'] }, { notes });
    const { board } = await opened(path);
    const given = await readGiven({ stored: new Uint8Array(Buffer.from(board, 'base64')) });
    expect(JSON.stringify(given)).not.toMatch(/secret|7700/);
    expect(given.notes).toMatchObject([{ id: 'a', text: 'Harvest' }]);
    expect(given.view.series?.slice(1)).toMatchObject([
      { query: 'tea', label: 'Tea' },
      { query: 'coffee', hidden: true },
      { formula: series[3]!.formula },
    ]);
    const statusOf = async (query: string): Promise<number> =>
      (await post(`${path}counts`, { questions: [{ ...question, query }] })).status;
    expect(await Promise.all(['coffee', 'secret hidden', 'secret control'].map(statusOf))).toEqual([
      200, 403, 403,
    ]);
  });

  it.each<[string, View, number, RegExp]>([
    ['without topics', { series: [] }, 200, /"source":/],
    [
      'of a mistaken query',
      { series: [{ query: 'tea OR', label: '', hidden: false }] },
      422,
      /tea OR/,
    ],
    [
      'of a file that is gone',
      { series: [{ query: '', label: 'Old', hidden: false, file: '0123abcd' }] },
      422,
      /Old/,
    ],
    ['of a source that is not here', { source: 'platform' }, 422, /platform/],
  ])('of a board %s answers with a reason a visitor can read', async (_, over, status, words) => {
    const { path } = await linked({}, over);
    const answer = await post(`${path}open`, {});
    expect([answer.status, await answer.text()]).toEqual([status, expect.stringMatching(words)]);
  });

  it('of a board that is in files asks for no counts', async () => {
    const bounds = Float64Array.from([PEAK, PEAK + DAY_MS, PEAK + 2 * DAY_MS]);
    const fixed = {
      label: 'Visits',
      query: '',
      source: '',
      bounds,
      counts: Float64Array.of(3, 4),
      fetchedAt: Float64Array.of(NOW, NOW),
      states: new Uint8Array(2).fill(STATE.settled),
    };
    const { path } = await linked(
      {},
      {
        range: { from: '2026-11-10T00:00', to: '2026-11-12T00:00' },
        series: [{ query: '', label: 'Visits', hidden: false, file: fixedKey(fixed) }],
      },
      { fixed: [fixed] },
    );
    const { source, board } = await opened(path);
    const given = await readGiven({ stored: new Uint8Array(Buffer.from(board, 'base64')) });
    expect([source, given.fixed.map(({ label }) => label)]).toEqual([null, ['Visits']]);
    expect((await post(`${path}counts`, { questions: [question] })).status).toBe(404);
  });

  it.each([
    ['GET', 'assets/../index.html', 404],
    ['GET', 'assets/..%2findex.html', 404],
    ['GET', 'assets/%2e%2e/%2e%2e/links', 404],
    ['GET', 'index.html', 404],
    ['GET', 'sw.js', 404],
    ['GET', 'links', 404],
    ['GET', '2/sources', 404],
    ['GET', 'counts', 405],
    ['PUT', 'open', 405],
    ['HEAD', '', 200],
  ])('answers %s %s with no other page or file of the service', async (method, name, status) => {
    const { path } = await linked();
    // Also to someone who is signed in.
    for (const cookie of ['', service.cookie]) {
      const answer = await ask(path + name, { method, headers: { cookie } });
      expect([answer.status, answer.headers.has('set-cookie')]).toEqual([status, false]);
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
      if (status === 200) {
        expect(answer.headers.get('content-security-policy')).toContain('sandbox allow-scripts');
      }
    }
  });

  it('names no account, and no phrase of fewer than five accounts, unless it shows Posts', async () => {
    const [without, posts] = [await linked(), await linked({ posts: true })];
    const [few, all] = await Promise.all(
      [without, posts].map(async ({ path }) => (await (await ask(path + causesOf())).json()).data),
    );
    const names = (of: { groups: { name: string }[] }): string =>
      of.groups.map(({ name }) => name).join(' ');
    expect(names(all)).toMatch(/loud/);
    expect(names(all)).toMatch(/joke/);
    expect(names(few)).toMatch(/harvest/);
    expect(JSON.stringify(few)).not.toMatch(/loud|joke|private|quiet|hermit/);
    const sum = ({
      groups,
      rest,
    }: {
      groups: { posts: number }[];
      rest: { posts: number };
    }): number => groups.reduce((total, { posts }) => total + posts, rest.posts);
    expect([sum(few), few.posts]).toEqual([sum(all), all.posts]);
    const ranked = causesOf()
      .replace('causes', 'ranked')
      .replace(/&compare_.*/, '&order=engagement');
    expect((await ask(without.path + ranked)).status).toBe(403);
    const { data } = await (await ask(posts.path + ranked)).json();
    expect(data).toHaveLength(100);
    // As programs read Posts: not from which import they are.
    expect(data[0]).not.toHaveProperty('origin');
  });
});

describe('a password', () => {
  it('opens the view, with a token that no other link takes and that ends', async () => {
    const [one, two] = [
      await linked({ password: 'correct horse' }),
      await linked({ password: 'correct horse' }),
    ];
    const closed = await post(`${one.path}open`, {});
    expect([closed.status, (await closed.json()).type]).toEqual([401, PASSWORD_NEEDED]);
    expect((await post(`${one.path}counts`, { questions: [question] })).status).toBe(401);
    expect(await (await ask(one.path)).text()).toContain(LOCKED);
    const { token } = await (await post(`${one.path}open`, { password: 'correct horse' })).json();
    const statusOf = async (path: string): Promise<number> =>
      (await post(`${path}counts`, { questions: [question] }, { authorization: `Bearer ${token}` }))
        .status;
    expect([await statusOf(one.path), await statusOf(two.path)]).toEqual([200, 401]);
    const forged = [
      token.replace(/^\d/, '9'),
      token.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
      token.split('.')[1],
    ];
    for (const each of forged) {
      const headers = { authorization: `Bearer ${each}` };
      expect((await post(`${one.path}counts`, { questions: [question] }, headers)).status).toBe(
        401,
      );
    }
    now += 13 * HOUR_MS;
    expect(await statusOf(one.path)).toBe(401);
    now = NOW;
    // A token is no use once its link has ended.
    await send(`/links/${one.id}`, { method: 'DELETE' });
    expect(await statusOf(one.path)).toBe(410);
  });

  it('is guessed ten times from an address, which locks no other address', async () => {
    const { path } = await linked({ password: 'correct horse' });
    const tried = await Promise.all(
      Array.from({ length: 12 }, () => post(`${path}open`, { password: 'wrong wrong' })),
    );
    expect(tried.map(({ status }) => status).sort()).toEqual([...Array(10).fill(401), 429, 429]);
    expect((await post(`${path}open`, { password: 'correct horse' })).status).toBe(429);
    now += 16 * MINUTE_MS;
    expect((await post(`${path}open`, { password: 'correct horse' })).status).toBe(200);
    now = NOW;
  });
});

it('is in a backup, with its password', async () => {
  const link = await linked({ password: 'correct horse', posts: true });
  await opened(link.path);
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-restored-'));
  const file = join(folder, 'backup.tar');
  await backUp(service.folder, file);
  await readBackup(file, {
    signal: new AbortController().signal,
    onProgress: () => {},
    begin: () => folder,
  });
  const restored = openService(join(folder, 'service.sqlite'), { random: randomBytes });
  const links = openBoardLinks({ service: restored, now: () => now, random: randomBytes });
  const { board, link: found } = links.open('view', link.secret, null);
  expect([board.name, found.name]).toEqual([link.board, `View of ${link.board}`]);
  expect(viewSettings(found)).toMatchObject({ posts: true, password: expect.any(String) });
  restored.close();
  rmSync(folder, { recursive: true });
});
