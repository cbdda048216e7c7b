import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewConnection } from '#server/stream/connections.ts';
import { startService } from '#tests/support/service.ts';
import type { TestService } from '#tests/support/service.ts';

const START = Date.parse('2026-11-21T10:30:20Z');

let now: number;
let service: TestService;
beforeEach(() => {
  now = START;
  service = startService({ now: () => now });
});
afterEach(() => service.close());

function added(name: string, settings = {}) {
  const { apps, secrets } = service.auth.apps({ action: 'add', name, settings });
  return { id: apps[0]?.id ?? '', bearer: String(secrets?.bearer_token) };
}

type Added = ReturnType<typeof added>;

async function call(path: string, init: RequestInit = {}) {
  const answer = await service.request(path, init);
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return { status: answer.status, body: (await answer.json()) as any };
}

/** Adds rules with the values `word1`, `word2` and so on. Returns their ids. */
async function addRules({ bearer }: Added, prefix: '' | '/sample', count: number) {
  const add = Array.from({ length: count }, (_, i) => ({
    value: `word${i + 1}`,
    ...(i === 0 && { tag: 'first' }),
  }));
  const answer = await call(`${prefix}/2/tweets/search/stream/rules`, {
    method: 'POST',
    headers: { cookie: '', authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ add }),
  });
  expect(answer.status).toBe(201);
  return answer.body.data.map(({ id }: { id: string }) => id) as string[];
}

async function addPowerRule({ bearer }: Added, prefix: '' | '/sample'): Promise<void> {
  const answer = await call(`${prefix}/2/powerstream/rules`, {
    method: 'POST',
    headers: { cookie: '', authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ rules: [{ value: 'contains:power' }] }),
  });
  expect(answer.status).toBe(201);
}

/** Opens a connection, a second after the one before. */
function open(app: string, over: Partial<NewConnection> = {}) {
  now += 1000;
  const wanted = {
    source: 'posts',
    stream: 'filtered_stream',
    ip: '127.0.0.1',
    most: 1000,
  } as const;
  return service.connections.open({ app, ...wanted, ...over });
}

describe('GET /streams', () => {
  it('lists the apps that have rules with their limit, those with the most first', async () => {
    const [some, most] = [
      added('Some'),
      added('Most', { access: 'enterprise', stream_rules: 30_000 }),
    ];
    added('None');
    await addRules(some, '', 2);
    await addRules(most, '', 3);
    await addRules(most, '/sample', 1);
    await addPowerRule(most, '/sample');
    expect((await call('/streams')).body.apps).toEqual({
      count: 2,
      most: [
        {
          id: most.id,
          name: 'Most',
          access: 'enterprise',
          filtered_stream: { limit: 30_000, rules: { posts: 3, sample: 1 } },
          powerstream: { limit: 1000, rules: { posts: 0, sample: 1 } },
        },
        {
          id: some.id,
          name: 'Some',
          access: 'pay-per-use',
          filtered_stream: { limit: 1000, rules: { posts: 2, sample: 0 } },
          powerstream: { limit: 1000, rules: { posts: 0, sample: 0 } },
        },
      ],
    });
  });

  it('lists open and past connections of all apps, the newest first', async () => {
    const [ann, bob] = [added('Ann'), added('Bob')];
    const slow = open(ann.id);
    now += 500;
    slow.end('slow_reader');
    const [first, second] = [open(ann.id), open(bob.id, { source: 'sample', ip: null })];
    const { body } = await call('/streams');
    expect(body.open).toEqual({
      count: 2,
      newest: [
        {
          id: second.id,
          app: 'Bob',
          source: 'sample',
          stream: 'filtered_stream',
          client_ip: null,
          connected_at: '2026-11-21T10:30:23.500Z',
          disconnected_at: null,
          reason: null,
        },
        expect.objectContaining({ id: first.id, app: 'Ann', client_ip: '127.0.0.1' }),
      ],
    });
    expect(body.past).toEqual({
      count: 1,
      newest: [
        expect.objectContaining({
          id: slow.id,
          disconnected_at: '2026-11-21T10:30:21.500Z',
          reason: 'slow_reader',
        }),
      ],
    });
  });

  it('lists the newest 100 and says how many there are', async () => {
    const { id } = added('Ann');
    const all = Array.from({ length: 101 }, () => open(id));
    const { count, newest } = (await call('/streams')).body.open;
    expect([count, newest.length, newest[0].id]).toEqual([101, 100, all.at(-1)?.id]);
  });
});

describe('GET /streams/rules', () => {
  it('lists the rules of an app for a source by pages', async () => {
    const ann = added('Ann');
    const { id } = ann;
    const ids = await addRules(ann, '/sample', 101);
    const first = (await call(`/streams/rules?app=${id}&source=sample`)).body;
    expect(first.rules).toHaveLength(100);
    expect(first.rules.slice(0, 2)).toEqual([
      { id: ids[0], value: 'word1', tag: 'first' },
      { id: ids[1], value: 'word2', tag: null },
    ]);
    expect(first.next).toBe(ids[99]);
    expect((await call(`/streams/rules?app=${id}&source=sample&after=${ids[99]}`)).body).toEqual({
      rules: [{ id: ids[100], value: 'word101', tag: null }],
      next: null,
    });
    expect((await call(`/streams/rules?app=${id}&source=posts`)).body).toEqual({
      rules: [],
      next: null,
    });
  });

  it.each([
    ['?app=x&source=posts', 'The `app` query parameter value [x] is not a number'],
    ['?app=1&source=all', 'The `source` query parameter value [all] is not one of [posts,sample]'],
    ['?app=1&source=posts&after=-2', 'The `after` query parameter value [-2] is not a number'],
    ['?app=1', 'The query parameters `app` and `source` are required'],
    [
      '?app=1&source=posts&odd=1',
      'The query parameter [odd] is not one of [app,source,stream,after]',
    ],
  ])('refuses %s', async (parameters, message) => {
    const { status, body } = await call(`/streams/rules${parameters}`);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });

  it('lists those of powerstream apart', async () => {
    const ann = added('Ann', { access: 'enterprise' });
    await addRules(ann, '', 1);
    await addPowerRule(ann, '');
    const path = `/streams/rules?app=${ann.id}&source=posts`;
    const valuesOf = async (of: string) =>
      (await call(of)).body.rules.map(({ value }: { value: string }) => value);
    expect(await valuesOf(path)).toEqual(['word1']);
    expect(await valuesOf(`${path}&stream=powerstream`)).toEqual(['contains:power']);
  });

  it('has no rules after the highest number', async () => {
    const { status, body } = await call(
      '/streams/rules?app=1&source=posts&after=9999999999999999999',
    );
    expect([status, body]).toEqual([200, { rules: [], next: null }]);
  });
});

describe('DELETE /streams/connections/:id', () => {
  it('ends an open connection, once', async () => {
    const { id } = open(added('Ann').id);
    const end = () => call(`/streams/connections/${id}`, { method: 'DELETE' });
    expect(await end()).toEqual({ status: 200, body: { ended: true } });
    const { open: left, past } = (await call('/streams')).body;
    expect([left.count, past.newest[0].reason]).toEqual([0, 'operator_disconnect']);
    expect(await end()).toEqual({
      status: 404,
      body: expect.objectContaining({
        detail: `There is no open connection with the id [${id}].`,
      }),
    });
  });

  it('refuses what is no id of a connection', async () => {
    const { status, body } = await call('/streams/connections/1', { method: 'DELETE' });
    expect([status, body.errors[0].message]).toEqual([
      400,
      'The `id` query parameter value [1] does not match ^[0-9a-f-]{36}$',
    ]);
  });
});

it('is for the dashboard only', async () => {
  const headers = { cookie: '', authorization: `Bearer ${added('Ann').bearer}` };
  for (const [method, path] of [
    ['GET', '/streams'],
    ['GET', '/streams/rules?app=1&source=posts'],
    ['DELETE', '/streams/connections/00000000-0000-4000-8000-000000000000'],
  ] as const) {
    const { status } = await call(path, { method, headers });
    expect([path, status]).toEqual([path, 403]);
  }
});
