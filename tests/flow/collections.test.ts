import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CollectionsAnswer } from '#contract/posts/collections.ts';
import { STORE_MARK_HEADER, STORE_REVISION_HEADER } from '#contract/counts/source.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const HEADER = 'id,created_at,author,text\n';
/** Ten Posts a day from an id on. */
const rows = (from: number, to: number): string =>
  Array.from(
    { length: to - from },
    (_, i) =>
      `${from + i + 1},2020-01-0${1 + Math.floor((from + i) / 10)}T0${i % 9}:00:00Z,ann,tea\n`,
  ).join('');
const SPAN = 'start_time=2020-01-01T00:00:00Z&end_time=2020-01-08T00:00:00Z';

const opened: TestService[] = [];
const close = async (): Promise<void> => {
  for (const service of opened.splice(0)) await service.close();
};

/** A request of another program, with a token. */
async function asProgram(service: TestService, path: string): Promise<Response> {
  const token = service.auth.issueToken({ access: 'enterprise', limited: false });
  return await service.app.request(path, { headers: { authorization: `Bearer ${token}` } });
}

/** A service with two imports that share five Posts. */
async function withImports() {
  const service = startService({ imports: {} });
  opened.push(service);
  const ask = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await service.request(path, {
      ...init,
      headers: { ...init.headers, cookie: service.cookie },
    });
  const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
    await ask(path, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
  const put = async (name: string, text: string, collection?: string): Promise<void> => {
    const named = collection === undefined ? '' : `&collection=${encodeURIComponent(collection)}`;
    const body = Buffer.from(HEADER + text);
    const answer = await ask(`/import?name=${name}${named}`, {
      method: 'POST',
      body,
      headers: { 'content-length': String(body.length) },
    });
    expect(await answer.text()).toContain('"imported"');
  };
  const count = async (query: string, granularity = 'day'): Promise<number[]> => {
    const at = `/2/tweets/counts/all?query=${encodeURIComponent(query)}&granularity=${granularity}&${SPAN}`;
    const { data } = (await (await ask(at)).json()) as { data: { tweet_count: number }[] };
    return data.map(({ tweet_count: n }) => n);
  };
  const listed = async () =>
    ((await (await ask('/collections')).json()) as CollectionsAnswer).collections;
  await put('first.csv', rows(0, 30));
  await put('second.csv', rows(25, 50), 'The rest');
  return { service, ask, send, put, count, listed };
}

describe('imports from the dashboard', () => {
  // These only read.
  let shared: Awaited<ReturnType<typeof withImports>>;
  beforeAll(async () => {
    shared = await withImports();
  });
  afterAll(close);

  it('are collections, each with its name, source, rows and span', async () => {
    const { listed } = shared;
    expect(await listed()).toMatchObject([
      {
        name: 'first.csv',
        source: 'first.csv',
        kind: 'csv',
        read: 30,
        added: 30,
        posts: 30,
        first: '2020-01-01T00:00:00.000Z',
        included: true,
        removable: true,
      },
      { name: 'The rest', source: 'second.csv', read: 25, added: 20, posts: 25 },
    ]);
  });

  it('are found by name in a query, with any other clause', async () => {
    const { count } = shared;
    expect(await count('in:"the rest"')).toEqual([0, 0, 5, 10, 10, 0, 0]);
    expect(await count('tea -in:"first.csv"')).toEqual([0, 0, 0, 10, 10, 0, 0]);
    expect(await count('in:"the rest" in:"first.csv"')).toEqual([0, 0, 5, 0, 0, 0, 0]);
    const hours = await count('in:"first.csv" OR in:"the rest"', 'hour');
    expect(hours.reduce((sum, n) => sum + n, 0)).toBe(50);
  });

  it('say how many Posts they add to a time, and to a query', async () => {
    const { ask, listed } = shared;
    const [first, rest] = await listed();
    const added = async (id: string | undefined, query?: string): Promise<unknown> => {
      const of = query === undefined ? '' : `&query=${encodeURIComponent(query)}`;
      return (await ask(`/collections/${id ?? ''}/added?${SPAN}${of}`)).json();
    };
    expect(await added(first?.id)).toEqual({ posts: 25 });
    expect(await added(rest?.id)).toEqual({ posts: 20 });
    expect(await added(rest?.id, 'from:bob')).toEqual({ posts: 0 });
    expect(await added(rest?.id, 'tea in:"the rest"')).toEqual({ posts: 20 });
    expect(await added(rest?.id, 'tea in:none')).toMatchObject({ title: 'Invalid Request' });
  });

  it('are refused with a reason in queries of other programs, of the sample, and by an unknown name', async () => {
    const { service, ask } = shared;
    const path = `/2/tweets/counts/all?query=${encodeURIComponent('tea in:"first.csv"')}&${SPAN}`;
    const refused = [await asProgram(service, path), await ask(`/sample${path}`)];
    for (const answer of refused) {
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain("Operator 'in' works only for Your posts");
    }
    const unknown = await ask(path.replace('first', 'none'));
    expect([unknown.status, await unknown.text()]).toEqual([
      400,
      expect.stringContaining("There is no collection named 'none.csv' (at position 5)"),
    ]);
  });
});

describe('collections', () => {
  afterEach(close);

  it('switched out are nowhere, and the changes say where', async () => {
    const { ask, send, count, listed } = await withImports();
    const [, rest] = await listed();
    const before = await ask('/sources');
    const { headers } = await ask(`/2/tweets/counts/all?query=tea&granularity=day&${SPAN}`);
    const [revision, mark] = [headers.get(STORE_REVISION_HEADER), headers.get(STORE_MARK_HEADER)];
    await send('PUT', `/collections/${rest!.id}`, { included: false });
    expect(await count('tea')).toEqual([10, 10, 10, 0, 0, 0, 0]);
    expect(await count('in:"the rest"')).toEqual([0, 0, 5, 0, 0, 0, 0]);
    const found = await (
      await ask(`/2/tweets/search/all?query=tea&max_results=100&${SPAN}`)
    ).json();
    expect(found.meta.result_count).toBe(30);
    const lookup = await (await ask('/2/tweets?ids=30,31')).json();
    expect(lookup.data.map(({ id }: { id: string }) => id)).toEqual(['30']);
    expect(lookup.errors).toHaveLength(1);
    const changes = await (await ask(`/changes?since=${revision}&mark=${mark}`)).json();
    expect(changes.spans).toEqual([
      { start: '2020-01-03T00:00:00.000Z', end: expect.stringMatching(/^2020-01-05T/) },
    ]);
    expect(changes.coverage.at(-1).end).toMatch(/^2020-01-03/);
    await send('PUT', `/collections/${rest!.id}`, { included: true });
    expect(await count('tea')).toEqual([10, 10, 10, 10, 10, 0, 0]);
    const [is, was] = [await (await ask('/sources')).json(), await before.json()];
    const figures = ({ data }: { data: { id: string; posts: number; coverage: unknown }[] }) =>
      data.filter(({ id }) => id === 'posts').map(({ posts, coverage }) => ({ posts, coverage }));
    expect(figures(is)).toEqual(figures(was));
  });

  it('are renamed, and removed with undo', async () => {
    const { ask, send, count, listed } = await withImports();
    const [first, rest] = await listed();
    expect((await send('PUT', `/collections/${rest!.id}`, { name: 'Later' })).status).toBe(200);
    expect(await count('in:later')).toEqual([0, 0, 5, 10, 10, 0, 0]);
    const taken = await send('PUT', `/collections/${rest!.id}`, { name: 'FIRST.CSV' });
    expect([taken.status, (await taken.json()).detail]).toEqual([
      409,
      'Another collection is named “FIRST.CSV”.',
    ]);
    const removed = await send('DELETE', `/collections/${first!.id}`);
    expect(await removed.json()).toMatchObject({ deleted: true });
    expect(await count('tea')).toEqual([0, 0, 5, 10, 10, 0, 0]);
    expect((await listed()).map(({ name }) => name)).toEqual(['Later']);
    const all = (await (await ask('/collections')).json()) as CollectionsAnswer;
    expect(all.removed).toMatchObject([{ id: first!.id }]);
    expect((await send('POST', `/collections/${first!.id}/restore`)).status).toBe(200);
    expect(await count('tea')).toEqual([10, 10, 10, 10, 10, 0, 0]);
    expect((await send('POST', `/collections/${first!.id}/restore`)).status).toBe(409);
    expect((await send('DELETE', '/collections/99')).status).toBe(409);
  });

  it('imported again continue their collection', async () => {
    const { put, listed } = await withImports();
    await put('second.csv', rows(45, 60));
    expect(await listed()).toMatchObject([
      { name: 'first.csv' },
      { name: 'The rest', read: 15, added: 30, posts: 35 },
    ]);
  });
});
