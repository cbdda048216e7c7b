import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { parse } from 'papaparse';
import { afterAll, describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { KNOWN_HEADER } from '#contract/links/links.ts';
import { uniqueLabels } from '#core/export/csv.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { buy, openPaid } from '#tests/support/data/bought.ts';
import { HOSTILE_LABELS } from '#tests/support/data/hostile-labels.ts';
import { isInstalled, programPath } from '#tests/support/run/installed.ts';
import { dataLink, storeBoard } from '#tests/support/service/data-links.ts';
import { startService, type TestPost } from '#tests/support/service/service.ts';
import { plainText } from '#core/export/csv-text.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
let now = NOW;
const posts: TestPost[] = Array.from({ length: 400 }, (_, i) => ({
  id: 1_990_000_000_000_000_000n + BigInt(i),
  createdAt: NOW - 40 * DAY_MS + i * 2 * HOUR_MS,
  text: i % 2 === 0 ? 'tea' : 'hush',
  authorId: i % 2 === 0 ? '800' : '700',
  username: i % 2 === 0 ? 'loud' : 'quiet',
}));
const service = startService({ now: () => now, posts, posted: true, copied: true });
afterAll(() => service.close());
const send = (path: string, init?: RequestInit): Promise<Response> => service.request(path, init);
/** Reads a link as a program does, without a session. */
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.request(path, { method, headers: { cookie: '', ...headers } });

const view = (over: View = {}): View => ({
  source: 'posts',
  zone: 'UTC',
  weekStart: 1,
  range: { preset: '30d' },
  resolution: 'day',
  series: [{ query: 'tea', label: 'Tea', hidden: false }],
  ...over,
});

let made = 0;
async function linked(over: View = {}) {
  const board = `board ${(made += 1)}`;
  const revision = await storeBoard(send, board, view(over));
  return { board, revision, ...(await dataLink(send, board)) };
}
const etagOf = async (path: string): Promise<string> => (await get(path)).headers.get('etag') ?? '';

/** The blocks of code in the page about data links, by language. */
const SNIPPETS = new Map(
  Array.from(
    readFileSync('docs/data-links.md', 'utf8').matchAll(/^```(\w+)\n([^]*?)^```/gm),
    ([, language = '', text = '']) => [language, text] as const,
  ),
);
const LABEL = 'Tee, „grün“';
/** The columns that a snippet names, by language. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  powerquery: ['date', 'tweet_count'],
  python: ['start_utc', 'end_utc', 'fetched_at', 'label', 'tweet_count'],
  r: ['date', 'tweet_count', 'label'],
  sql: ['label', 'tweet_count', 'status'],
};

describe('the snippets of the documentation', () => {
  const addressIn = (text: string): string => /\/data\/SECRET\/[^"'\s]+/.exec(text)?.[0] ?? '';

  it.each(['powerquery', 'text', 'python', 'r', 'sql', 'yaml', 'html'])(
    'read what a link gives: %s',
    async (language) => {
      const { path } = await linked();
      const text = SNIPPETS.get(language) ?? '';
      const answer = await get(addressIn(text).replace('/data/SECRET', path));
      expect(answer.status).toBe(200);
      const given = await answer.text();
      const columns = (given.split('\r\n')[0] ?? '').split(',');
      for (const column of COLUMNS[language] ?? []) {
        expect(text).toContain(column);
        expect(columns).toContain(column);
      }
      if (language !== 'yaml') return;
      const { buckets } = JSON.parse(given) as { buckets: { start: string; counts: number[] }[] };
      expect(text).toContain('root_selector: buckets');
      expect(buckets.at(-1)).toMatchObject({
        start: expect.any(String),
        counts: [expect.any(Number)],
      });
    },
  );

  /** A file of a link whose label is no plain ASCII, and the sum of its counts. */
  async function saved(): Promise<{ file: string; sum: string }> {
    const series = [{ query: 'tea', label: LABEL, hidden: false }];
    const { path } = await linked({ range: { preset: 'last-week' }, series });
    const file = join(service.folder, 'long.csv');
    writeFileSync(file, await (await get(`${path}/long.csv`)).text());
    const { buckets } = (await (await get(`${path}/series.json`)).json()) as {
      buckets: { counts: number[] }[];
    };
    return {
      file,
      sum: String(buckets.reduce((total, { counts }) => total + (counts[0] ?? 0), 0)),
    };
  }

  it('sum in DuckDB to what the link counts', async () => {
    const { file, sum } = await saved();
    const sql = (SNIPPETS.get('sql') ?? '').replace(/'http[^']*'/, `'${file}'`);
    const connection = await (await DuckDBInstance.create()).connect();
    const rows = await (await connection.runAndReadAll(sql)).getRowsJson();
    connection.closeSync();
    expect(rows).toEqual([[LABEL, sum]]);
  });

  const rscript = programPath('Rscript', '/usr/bin/Rscript');
  const python = ['python3', '/usr/bin/python3'].find(
    (path) => spawnSync(path, ['-c', 'import pandas']).status === 0,
  );
  const notebooks = [
    {
      name: 'R',
      language: 'r',
      program: rscript,
      option: '-e',
      check: 'stopifnot(!anyNA(counts$date))\nwrite.csv(totals, row.names = FALSE)',
    },
    {
      name: 'pandas',
      language: 'python',
      program: python ?? null,
      option: '-c',
      check:
        'assert counts["start_utc"].dt.tz is not None\nprint(table.sum().astype(int).to_csv())',
    },
  ];
  for (const { name, language, program, option, check } of notebooks) {
    const missing = `${name} is not installed: its snippet for data links does not run.`;
    it.runIf(isInstalled(program, missing, 'GROUNDSWELL_TEST_NOTEBOOKS'))(
      `sum in ${name} to what the link counts`,
      async () => {
        const { file, sum } = await saved();
        const code = (SNIPPETS.get(language) ?? '').replace(/"http[^"]*"/, JSON.stringify(file));
        const { stdout, stderr } = spawnSync(program ?? '', [option, `${code}\n${check}`], {
          encoding: 'utf8',
          env: { ...process.env, LC_ALL: 'C.UTF-8' },
        });
        expect(stderr).toBe('');
        expect(parse<string[]>(stdout, { skipEmptyLines: true }).data[1]).toEqual([LABEL, sum]);
      },
    );
  }
});

describe('a data link', () => {
  it('answers each file with its type, for any page and no cache, search engine or referrer', async () => {
    const { path } = await linked();
    const types = {
      'wide.csv': 'text/csv; charset=utf-8',
      'long.csv': 'text/csv; charset=utf-8',
      'series.json': 'application/json',
      'chart.svg': 'image/svg+xml; charset=utf-8',
    };
    for (const [file, type] of Object.entries(types)) {
      const { status, headers } = await get(`${path}/${file}`, { origin: 'https://other.example' });
      expect([status, headers.get('content-type')]).toEqual([200, type]);
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'private, no-cache',
        'x-robots-tag': 'noindex',
        'access-control-allow-origin': '*',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(headers.has('set-cookie')).toBe(false);
      const head = await get(`${path}/${file}`, {}, 'HEAD');
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(head.headers.get('etag')).toBe(headers.get('etag'));
    }
  });

  it('states the share that is known, and leaves unknown cells empty', async () => {
    const { path } = await linked({ range: { preset: '90d' } });
    const answer = await get(`${path}/series.json`);
    const { known, buckets } = (await answer.json()) as {
      known: number;
      buckets: { counts: (number | null)[] }[];
    };
    expect(buckets).toHaveLength(90);
    // The first Post is 40 days old; its day is covered in part.
    const empty = buckets.filter(({ counts }) => counts[0] === null).length;
    expect(empty).toBeGreaterThanOrEqual(49);
    expect(known).toBe((90 - empty) / 90);
    expect(answer.headers.get(KNOWN_HEADER)).toBe(String(known));
    const [, first] = (await (await get(`${path}/wide.csv`)).text()).split('\r\n');
    expect(first).toMatch(/^2026-08-24T[^,]*,[^,]*,[^,]*,2026-08-24,,Tea,Tea$/);
  });

  it('takes the range, the buckets, the zone and the theme from its address', async () => {
    const { path } = await linked();
    const rows = async (search: string): Promise<string[]> =>
      (await (await get(`${path}/wide.csv?${search}`)).text()).trim().split('\r\n').slice(1);
    expect(await rows('last=7d')).toHaveLength(7);
    expect(await rows('last=7d&by=hour')).toHaveLength(6 * 24 + 11);
    expect((await rows('last=7d&zone=Asia/Kathmandu'))[0]).toContain('T00:00:00+05:45');
    const [light, dark] = await Promise.all(
      ['light', 'dark'].map(
        async (theme) => await (await get(`${path}/chart.svg?theme=${theme}`)).text(),
      ),
    );
    expect(light).toMatch(/^<svg |^<\?xml/);
    expect(light).not.toBe(dark);
  });

  it('refuses more than 200,000 rows with their number, before it counts', async () => {
    const { path } = await linked();
    const answer = await get(`${path}/wide.csv?last=1y&by=minute`);
    expect(answer.status).toBe(400);
    expect((await answer.json()).detail).toMatch(
      /^The answer would have (?:about )?5\d\d,\d{3} rows: expected at most 200,000\./,
    );
    expect((await get(`${path}/wide.csv?last=all&by=minute`)).status).toBe(200);
    expect((await get(`${path}/wide.csv?last=3y&by=minute`)).status).toBe(400);
  });

  it('answers 304 until the board, the Posts, the time or a parameter change', async () => {
    const { board, revision, path } = await linked();
    const wide = `${path}/wide.csv`;
    const etag = await etagOf(wide);
    const same = async (tag = etag, at = wide): Promise<boolean> =>
      (await get(at, { 'if-none-match': `"other", ${tag}` })).status === 304;
    expect(await same()).toBe(true);
    for (const search of ['last=7d', 'by=hour', 'zone=Europe/Berlin', 'theme=dark']) {
      expect(await same(etag, `${wide}?${search}`)).toBe(false);
    }
    expect(await same(etag, `${path}/long.csv`)).toBe(false);
    now += HOUR_MS;
    expect(await same()).toBe(true);
    service.add('posts', [{ id: 5n, createdAt: now - HOUR_MS, text: 'tea' }]);
    expect(await same()).toBe(false);
    const added = await etagOf(wide);
    expect(await same(added)).toBe(true);
    now += DAY_MS;
    expect(await same(added)).toBe(false);
    const later = await etagOf(wide);
    await storeBoard(send, board, view({ resolution: 'week' }), {}, revision);
    expect(await same(later)).toBe(false);
  });

  it('never answers 304 for other bytes', async () => {
    // Posts up to the present, and one that has just come, which counts do not have yet.
    const { path } = await linked({ range: { preset: '7d' }, resolution: 'hour' });
    let [tag, before] = ['', ''];
    let repeated = 0;
    const steps = [1, 3, 4, 5, 60, 600, 1800, 3600, 4000, 23 * 3600, 40, 3600, 7200, 86_400];
    for (const [i, seconds] of steps.entries()) {
      if (i % 3 === 0) service.add('posts', [{ id: BigInt(10 + i), createdAt: now, text: 'tea' }]);
      now += seconds * SECOND_MS;
      const answer = await get(`${path}/wide.csv`, { 'if-none-match': tag });
      const etag = answer.headers.get('etag') ?? '';
      const text = await (await get(`${path}/wide.csv`)).text();
      if (answer.status === 304) {
        repeated += 1;
        expect([etag, text]).toEqual([tag, before]);
      }
      [tag, before] = [etag, text];
    }
    expect(repeated).toBeGreaterThan(0);
  });

  it('reads what may be read without an account: no protected Post is counted', async () => {
    const both = {
      series: ['tea', 'hush', 'from:quiet'].map((query) => ({ query, label: '', hidden: false })),
    };
    const { path } = await linked({ ...both, range: { preset: 'all' } });
    const totals = async (): Promise<number[]> => {
      const { buckets } = (await (await get(`${path}/series.json`)).json()) as {
        buckets: { counts: (number | null)[] }[];
      };
      return [0, 1, 2].map((s) => buckets.reduce((sum, { counts }) => sum + (counts[s] ?? 0), 0));
    };
    const etag = await etagOf(`${path}/wide.csv`);
    expect((await totals()).slice(1)).toEqual([200, 200]);
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: (n) => randomBytes(n) });
    const user = { id: '700', username: 'quiet', name: 'Quiet', protected: true };
    db.write('test', () =>
      postTable(db).putObjects([{ kind: 'users', key: '700', json: JSON.stringify(user) }]),
    );
    db.close();
    expect((await totals()).slice(1)).toEqual([0, 0]);
    expect((await get(`${path}/wide.csv`, { 'if-none-match': etag })).status).toBe(200);
  });

  it('shows nothing of another board, whatever its parameters', async () => {
    const [one, two] = [
      await linked(),
      await linked({ series: [{ query: 'hush', label: 'Secret name', hidden: false }] }),
    ];
    for (const search of ['board=board', `id=${two.id}`, `secret=${two.secret}`]) {
      expect((await get(`${one.path}/wide.csv?${search}`)).status).toBe(400);
    }
    expect(await (await get(`${one.path}/series.json`)).text()).not.toContain('Secret name');
  });

  it('has its own tag: what one link gave does not answer for another', async () => {
    const board = 'shared';
    await storeBoard(send, board, view());
    const [one, two] = [await dataLink(send, board), await dataLink(send, board)];
    const etag = await etagOf(`${one.path}/wide.csv`);
    expect((await get(`${two.path}/wide.csv`, { 'if-none-match': etag })).status).toBe(200);
    await send(`/links/${one.id}`, { method: 'DELETE' });
    const gone = await get(`${one.path}/wide.csv`, { 'if-none-match': etag });
    expect([gone.status, gone.headers.get('etag')]).toEqual([410, null]);
    const tag = await etagOf(`${two.path}/wide.csv`);
    const same = await get(`${two.path}/wide.csv`, { 'if-none-match': tag });
    expect([same.status, same.headers.get('etag')]).toEqual([304, tag]);
    // Nor is any of them stored for others, whatever it says.
    for (const { headers } of [gone, same, await get('/data/wrong/wide.csv')]) {
      expect(headers.get('cache-control')).toMatch(/private|no-store/);
      expect(headers.get('cache-control')).not.toMatch(/public|max-age=[1-9]/);
    }
  });

  it('is counted once for all links of a board, and again after a minute where it says when', async () => {
    await storeBoard(send, 'counted once', view({ range: { preset: 'last-week' } }));
    const [one, two] = [await dataLink(send, 'counted once'), await dataLink(send, 'counted once')];
    const read = async ({ path }: { path: string }): Promise<string> =>
      await (await get(`${path}/long.csv`)).text();
    const text = await read(one);
    const etag = await etagOf(`${one.path}/long.csv`);
    now = Math.floor(now / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    const later = await read(two);
    expect(later).not.toBe(text);
    now += MINUTE_MS - 1;
    expect(await Promise.all([read(one), read(two)])).toEqual([later, later]);
    expect(await etagOf(`${one.path}/long.csv`)).toBe(etag);
  });

  it('writes hostile names as texts, in CSV, JSON and SVG, and its picture may run nothing', async () => {
    // The address of a view, in which a board is stored, holds no half of a character.
    const names = Object.values(HOSTILE_LABELS).filter((label) => !/\p{Surrogate}/u.test(label));
    const few = Array.from({ length: Math.ceil(names.length / 5) }, (_, i) =>
      names.slice(5 * i, 5 * i + 5),
    );
    for (const labels of few) {
      const series = labels.map((label) => ({ query: 'tea', label, hidden: false }));
      const { path } = await linked({ series });
      const [csv, json, svg] = [
        await get(`${path}/wide.csv`),
        await get(`${path}/series.json`),
        await get(`${path}/chart.svg`),
      ];
      const [header = []] = parse<string[]>(await csv.text(), { newline: '\r\n' }).data;
      const columns = header.slice(header.indexOf('date') + 1, header.indexOf('incomplete'));
      const given = ((await json.json()) as { series: { label: string }[] }).series;
      const shown = given.map(({ label }) => label);
      // An address, in which a board has its names, may lose spaces around them.
      expect(shown.map((label) => label.trim())).toEqual(labels.map((label) => label.trim()));
      expect(columns.map(plainText)).toEqual(uniqueLabels(shown));
      for (const column of columns) expect(column).not.toMatch(/^[\p{Z}\p{C}]*[=+\-@]/u);
      expect(await svg.text()).not.toMatch(/<(?:script|image|foreignObject|a|svg [^>]*onload)\b/);
      expect(svg.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
    }
  });

  it('says of a board that cannot be counted why, and logs no secret', async () => {
    const { path, secret } = await linked({ source: 'platform' });
    const answer = await get(`${path}/wide.csv`);
    expect(answer.status).toBe(422);
    expect((await answer.json()).detail).toContain('platform');
    expect(service.log.join('\n')).not.toContain(secret);
  });
});

it('gives what was bought of the platform, and buys nothing', async () => {
  const on = await openPaid();
  try {
    await buy(on.tab, { query: 'storm', from: '2026-10-01', to: '2026-10-11' });
    const sent = on.platform.sent.length;
    const ask = (path: string, init?: RequestInit): Promise<Response> =>
      on.service.request(path, init);
    await storeBoard(ask, 'storms', {
      source: 'platform',
      zone: 'UTC',
      weekStart: 1,
      range: { from: '2026-10-02', to: '2026-10-21' },
      resolution: 'day',
      series: ['storm', 'never bought'].map((query) => ({ query, label: '', hidden: false })),
    });
    const { path } = await dataLink(ask, 'storms');
    const answer = await ask(`${path}/series.json`, { headers: { cookie: '' } });
    const { buckets } = (await answer.json()) as { buckets: { counts: (number | null)[] }[] };
    const bought = buckets.filter(({ counts }) => counts[0] !== null);
    expect(buckets).toHaveLength(20);
    expect(bought.length).toBeGreaterThanOrEqual(9);
    expect(buckets.every(({ counts }) => counts[1] === null)).toBe(true);
    expect(Number(answer.headers.get(KNOWN_HEADER))).toBeCloseTo(bought.length / 40);
    const etag = answer.headers.get('etag') ?? '';
    const again = (): Promise<Response> =>
      ask(`${path}/series.json`, { headers: { cookie: '', 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    expect(on.platform.sent).toHaveLength(sent);
    await buy(on.tab, { query: 'storm', from: '2026-10-11', to: '2026-10-21' });
    expect((await again()).status).toBe(bought.length < 20 ? 200 : 304);
  } finally {
    await on.service.close();
    await on.platform.close();
  }
});
