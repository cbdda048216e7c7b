import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { openCluster } from '#server/cluster/store.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import { command, serve } from '#tests/support/service/command.ts';
import { CORPORA, truthIndex, type Corpus } from '#tests/support/data/corpus-part.ts';
import { countAll } from '#tests/support/data/counts.ts';
import { long } from '#tests/support/run/long.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { temporaryFolder, type RunningService } from '#tests/support/service/process.ts';
import { searchAll } from '#tests/support/service/search.ts';
import { giveTinySample } from '#tests/support/service/service.ts';

const runs = hasClickHouse();
const real = realData();
/** The large corpus takes minutes. */
const TRUTHS: readonly Corpus[] = long() ? CORPORA : ['mayweather'];

interface Truth {
  readonly query: string;
  readonly total: number;
  readonly day: Record<string, number>;
  readonly hour: Record<string, number>;
  readonly minute: Record<string, number>;
  readonly minute_scope: string;
}

const LIST = 7n;

/** Makes a list with one member, its owner. */
async function listOf(file: string, owner: bigint): Promise<void> {
  const db = openPosts(file, { random: (n) => randomBytes(n) });
  const rest = { name: 'friends', description: '', private: false, createdAt: 0 };
  await editorOver(db, () => 0).write(
    { what: 'addList', of: [{ id: LIST, owner, ...rest }] },
    { what: 'addMember', of: [LIST, owner] },
  );
  db.close();
}

/** The environment of a program whose Posts are in a database of some servers. */
function environmentOf(servers: ClickHouse, database: string): Record<string, string> {
  const [first = '', ...others] = servers.servers.map(({ url }) => url);
  return { GROUNDSWELL_CLICKHOUSE_URL: [`${first}${database}`, ...others].join() };
}

let servers: ClickHouse;
beforeAll(async () => {
  if (runs) servers = await startClickHouse([1, 1]);
});
afterAll(() => servers?.stop());

const lines = (buckets: Record<string, number>): string =>
  Object.entries(buckets)
    .map(([at, count]) => `${at} ${count}`)
    .sort()
    .join('\n');

describe.runIf(runs && real !== null).each(TRUTHS)('counts of %s on two shards', (corpus) => {
  const data = temporaryFolder();
  const folder = real ?? '';
  const index = real === null ? null : truthIndex(folder, corpus);
  const database = corpus.replaceAll('-', '');
  const queries = (index?.queries ?? []).filter(({ query }) => query !== '*');
  const truthOf = (file: string): Truth =>
    JSON.parse(readFileSync(join(folder, 'truth', file), 'utf8')) as Truth;
  const start = Math.floor(Date.parse(`${index?.first}Z`) / DAY_MS) * DAY_MS;
  const end = Math.ceil((Date.parse(`${index?.last}Z`) + 1) / DAY_MS) * DAY_MS;
  const store = { close: async () => {} } as Awaited<ReturnType<typeof openCluster>>;
  let service: RunningService;
  let token: string;

  beforeAll(async () => {
    giveTinySample(data);
    const environment = environmentOf(servers, database);
    const cluster = ['--cluster', 'shards', '--data', data];
    const { code, out, err } = await command(['import', ...cluster, ...postFiles(folder, corpus)], {
      environment,
    });
    expect(code, err).toBe(0);
    expect(out).toMatch(/already there 0, refused 0/);
    token = (await command(['token', 'app', '--limits', 'off', '--data', data])).out.trim();
    service = await serve(data, { environment, args: ['--cluster', 'shards'] });
    const random = (n: number): Uint8Array => randomBytes(n);
    Object.assign(store, await openCluster(servers.address(database), random));
  });
  afterAll(async () => {
    await store.close();
    await service?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test.each(queries)('$query', async ({ file }) => {
    const truth = truthOf(file);
    const parsed = parse(truth.query, { product: 'all' });
    if (!parsed.ok) throw new Error(`expected a query, got ${truth.query}`);
    const reader = store.reader(await store.state());
    const whole = truth.minute_scope === 'all';
    const from = whole ? start : Date.parse(truth.minute_scope);
    for (const [granularity, span] of [
      ['day', { start, end }],
      ['hour', { start, end }],
      ['minute', { start: from, end: whole ? end : from + DAY_MS }],
    ] as const) {
      const counts = await reader.histogram(condition(parsed.ast), span, granularity);
      const buckets: Record<string, number> = {};
      counts.forEach((count, i) => {
        const at = new Date(span.start + i * BUCKET_MS[granularity]).toISOString();
        if (count > 0) buckets[at] = count;
      });
      expect(lines(buckets)).toBe(lines(truth[granularity]));
    }
    const peak = Object.keys(truth.day)[0];
    if (peak === undefined) return;
    const day = { start: Date.parse(peak), end: Date.parse(peak) + DAY_MS };
    const counted = await countAll(service.url, token, truth.query, 'hour', day);
    const inDay = Object.entries(truth.hour).filter(([at]) => at.startsWith(peak.slice(0, 10)));
    expect(lines(counted.buckets)).toBe(lines(Object.fromEntries(inDay)));
  });

  test('the commands count and find the same', { tags: 'long' }, async () => {
    const environment = environmentOf(servers, database);
    const run = (...args: string[]) =>
      command([...args, '--cluster', 'shards', '--data', data], { environment });
    const [{ file, query } = { file: '', query: '' }] = queries;
    const counted = await run('counts', query, '--granularity', 'day', '--csv');
    expect(counted.code, counted.err).toBe(0);
    const [head = '', ...rows] = counted.out.trim().split('\n');
    const column = head.split(',').indexOf('tweet_count');
    const sum = rows.reduce((total, row) => total + Number(row.split(',')[column]), 0);
    expect(sum).toBe(truthOf(file).total);
    const found = await run('search', query, '--limit', '120');
    expect(found.code, found.err).toBe(0);
    const ids = found.out
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { data: { id: string } }).data.id);
    expect(ids.slice(0, 20)).toEqual(
      (await searchAll(service.url, token, query, { start, end })).slice(0, 20),
    );
    expect(new Set(ids).size).toBe(120);
    const wrong = await run('counts', 'in:"no such"');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('no such')]);
    const refused = await command(
      ['breakdown', query, '--from', '2017-08-27', '--to', '2017-08-28', '--data', data],
      { environment },
    );
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('ClickHouse')]);
  });

  test('search pages through all Posts that match', async () => {
    const query = corpus === 'mayweather' ? 'mcgregor' : 'münchen';
    const span = { start, end };
    const found = await searchAll(service.url, token, `${query} -is:retweet`, span);
    const all = await countAll(service.url, token, `${query} -is:retweet`, 'hour', span);
    expect(new Set(found).size).toBe(found.length);
    expect(found.length).toBe(all.total);
    expect(found.length).toBeGreaterThan(500);
  });
});

describe.runIf(runs)('a service with Your posts in a cluster', () => {
  const data = temporaryFolder();
  let service: RunningService;
  let app: string;
  let user: string;
  const call = async (
    method: string,
    path: string,
    { body, token = app }: { body?: unknown; token?: string } = {},
  ): Promise<{ status: number; json: Record<string, unknown> }> => {
    const answer = await fetch(new URL(path, service.url), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };
  /** A Post is counted some seconds after it was created. */
  let skew = 0;
  const postedId = (json: Record<string, unknown>): string => (json.data as { id: string }).id;
  const total = async (query: string): Promise<unknown> => {
    skew += MINUTE_MS;
    const { json } = await call(
      'GET',
      `/2/tweets/counts/recent?query=${encodeURIComponent(query)}`,
    );
    return (json.meta as Record<string, unknown>).total_tweet_count;
  };

  beforeAll(async () => {
    giveTinySample(data);
    const environment = environmentOf(servers, 'posting');
    const created = await command([
      'user',
      'add',
      'ann',
      '--subscription',
      'Premium',
      '--data',
      data,
    ]);
    expect(created.code, created.err).toBe(0);
    app = (await command(['token', 'app', '--limits', 'off', '--data', data])).out.trim();
    const own = ['token', 'user', '--name', 'ann', '--limits', 'off', '--data', data];
    user = (await command(own)).out.trim();
    const me = await command(['user', 'list', '--json', '--data', data]);
    const [ann] = (JSON.parse(me.out) as { users: { id: string }[] }).users;
    await listOf(join(data, 'posts.sqlite'), BigInt(ann?.id ?? 0));
    service = await serve(data, {
      environment,
      args: ['--cluster', 'shards'],
      now: () => Date.now() + skew,
    });
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(data, { recursive: true, force: true });
  });

  test('creates, counts, finds, edits and deletes Posts', async () => {
    const first = await call('POST', '/2/tweets', { token: user, body: { text: 'a red fox' } });
    expect(first.status, JSON.stringify(first.json)).toBe(201);
    const id = postedId(first.json);
    const reply = { text: 'which fox?', reply: { in_reply_to_tweet_id: id } };
    const answered = await call('POST', '/2/tweets', { token: user, body: reply });
    expect(answered.status, JSON.stringify(answered.json)).toBe(201);
    expect(await total('fox')).toBe(2);
    expect(await total('"red fox" from:ann')).toBe(1);
    const same = await call('POST', '/2/tweets', { token: user, body: { text: 'a red fox' } });
    expect(same.status).toBe(403);

    const looked = await call(
      'GET',
      `/2/tweets/${id}?tweet.fields=public_metrics&expansions=author_id`,
    );
    expect(looked.json).toMatchObject({
      data: { id, text: 'a red fox', public_metrics: { reply_count: 1 } },
      includes: { users: [{ username: 'ann' }] },
    });
    const edit = { text: 'a blue fox', edit_options: { previous_post_id: id } };
    const edited = await call('POST', '/2/tweets', { token: user, body: edit });
    expect(edited.status, JSON.stringify(edited.json)).toBe(201);
    expect(edited.json.data).toMatchObject({ edit_history_tweet_ids: [id, postedId(edited.json)] });
    expect(await total('red')).toBe(0);
    expect(await total('blue fox')).toBe(1);
    const found = await call('GET', '/2/tweets/search/recent?query=fox');
    const ids = (found.json.data as { id: string }[]).map((post) => post.id);
    expect(ids).toEqual([postedId(edited.json), postedId(answered.json)]);

    const removed = await call('DELETE', `/2/tweets/${id}`, { token: user });
    expect(removed.json).toEqual({ data: { deleted: true } });
    expect(await total('fox')).toBe(1);
    expect((await call('DELETE', `/2/tweets/${id}`, { token: user })).status).toBe(404);
  });

  test('counts the members of a list of the data folder', async () => {
    const post = { text: 'one for the list' };
    const created = await call('POST', '/2/tweets', { token: user, body: post });
    expect(created.status, JSON.stringify(created.json)).toBe(201);
    expect(await total(`list:${LIST} list`)).toBe(1);
    expect(await total(`list:${LIST + 1n} list`)).toBe(0);
    expect(await total(`-list:${LIST} list`)).toBe(0);
    const id = postedId(created.json);
    expect((await call('DELETE', `/2/tweets/${id}`, { token: user })).status).toBe(200);
  });

  test('says what changed and how much there is', async () => {
    const { json } = await call('GET', '/sources');
    const [posts] = (json.data as Record<string, unknown>[]).filter(({ id }) => id === 'posts');
    expect(posts).toMatchObject({ posts: 1, coverage: [{ end: null }] });
    const created = await call('POST', '/2/tweets', { token: user, body: { text: 'one more' } });
    expect(created.status).toBe(201);
    const since = `since=${String(posts?.revision)}&mark=${String(posts?.mark)}`;
    const changes = await call('GET', `/changes?${since}`);
    expect(changes.status, JSON.stringify(changes.json)).toBe(200);
    const [span] = changes.json.spans as { start: string; end: string }[];
    expect(Date.now() - Date.parse(span?.start ?? '')).toBeLessThan(HOUR_MS);
  });

  test.each([
    ['/2/users/by/username/ann', 'app', 'looks up Posts'],
    ['/2/users/me', 'user', 'looks up Posts'],
    ['/2/news/search?query=fox', 'app', 'looks up Posts'],
  ])('refuses %s, which a cluster does not answer', async (path, who, word) => {
    const answer = await call('GET', path, { token: who === 'app' ? app : user });
    expect(answer.status, JSON.stringify(answer.json)).toBe(501);
    expect(answer.json.detail).toContain(word);
  });

  test('refuses what would be stored outside the cluster', async () => {
    const poll = { text: 'which?', poll: { options: ['a', 'b'], duration_minutes: 60 } };
    const answer = await call('POST', '/2/tweets', { token: user, body: poll });
    expect(answer).toMatchObject({
      status: 501,
      json: { detail: expect.stringContaining('polls') },
    });
    const listed = await command(['collections', 'list', '--data', data], {
      environment: environmentOf(servers, 'posting'),
    });
    expect(listed.code).toBe(2);
    expect(listed.err).toContain('ClickHouse');
  });

  test('answers 503 with the name of a shard that is down, and again when it is up', async () => {
    const before = await total('more');
    const [, second] = servers.servers;
    await second!.kill();
    const counts = await call('GET', '/2/tweets/counts/recent?query=more');
    expect(counts.status, JSON.stringify(counts.json)).toBe(503);
    expect(counts.json.detail).toBe(`The ClickHouse shard ${second!.name} does not answer.`);
    const search = await call('GET', '/2/tweets/search/recent?query=more');
    expect(search.status).toBe(503);
    await second!.restart();
    expect(await total('more')).toBe(before);
  });
});
