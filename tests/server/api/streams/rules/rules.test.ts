import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Access } from '#contract/accounts/access.ts';
import { program } from '#tests/support/service/callers.ts';
import { differenceOf } from '#tests/support/service/shapes.ts';
import { startService } from '#tests/support/service/service.ts';
import { addApp } from '#tests/support/service/signing-in.ts';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const RULES = '/2/tweets/search/stream/rules';
const SENT = '2026-11-23T10:00:00.000Z';

const service = startService({ now: () => NOW });
afterAll(() => service.close());
let app: App;
type App = ReturnType<typeof program>;
const reader = (access: Access, stream_rules: number | null = null): App =>
  program(service, { access, stream_rules });
beforeEach(() => {
  app = reader('pay-per-use');
});

const get = (query = '', of = app) => of.get(RULES + query);

/** Sends a change, whose answer must have the platform's shape, also with status 201. */
async function post(change: object, query = '', of = app, path = RULES) {
  const { status, headers, body } = await of.post(path + query, change);
  if (status < 300) {
    const request = new Request(`http://localhost${path}`, { method: 'POST' });
    expect(await differenceOf(request, Response.json(body, { headers }))).toBeNull();
  }
  return { status, body };
}

const add = (...values: string[]) => post({ add: values.map((value) => ({ value })) });
const valuesOf = async (query = '', of = app): Promise<string[]> =>
  ((await get(query, of)).body.data ?? []).map(({ value }: { value: string }) => value);

describe('adding rules', () => {
  it('creates them with ids, in order, and answers 201', async () => {
    const { status, body } = await post({
      add: [{ value: 'cat has:media', tag: 'cats' }, { value: 'dog' }],
    });
    expect(status).toBe(201);
    expect(body.data).toEqual([
      { value: 'cat has:media', tag: 'cats', id: expect.stringMatching(/^\d{19}$/) },
      { value: 'dog', id: expect.stringMatching(/^\d{19}$/) },
    ]);
    expect(body.meta).toEqual({
      sent: SENT,
      summary: { created: 2, not_created: 0, valid: 2, invalid: 0 },
    });
    expect(body.errors).toBeUndefined();
    expect((await get()).body).toEqual({ data: body.data, meta: { sent: SENT, result_count: 2 } });
  });

  it('creates the valid ones of a batch, and names every fault of each other one', async () => {
    const { status, body } = await add('cat', 'h:m', 'cat', 'dog (', 'source:x bird', 'dog');
    expect(status).toBe(201);
    const [cat, dog] = body.data;
    expect([cat.value, dog.value]).toEqual(['cat', 'dog']);
    expect(body.meta.summary).toEqual({ created: 2, not_created: 4, valid: 3, invalid: 3 });
    const type = 'https://api.x.com/2/problems/invalid-rules';
    const title = 'UnprocessableEntity';
    expect(body.errors).toEqual([
      {
        value: 'h:m',
        details: [
          "Reference to invalid operator 'h' (at position 1).",
          "Reference to invalid field 'h' (at position 1).",
        ],
        title,
        type,
      },
      {
        value: 'cat',
        id: cat.id,
        title: 'DuplicateRule',
        type: 'https://api.x.com/2/problems/duplicate-rules',
      },
      {
        value: 'dog (',
        details: [expect.stringMatching(/\(at position \d+\)\.$/)],
        title,
        type,
      },
      {
        value: 'source:x bird',
        details: [expect.stringContaining("Reference to invalid operator 'source'.")],
        title,
        type,
      },
    ]);
  });

  it('names the rule that a later duplicate repeats', async () => {
    const first = await add('cat');
    const { body } = await post({ add: [{ value: 'cat', tag: 'other' }] });
    expect(body.data).toBeUndefined();
    expect(body.meta.summary).toEqual({ created: 0, not_created: 1, valid: 1, invalid: 0 });
    expect(body.errors).toMatchObject([{ id: first.body.data[0].id, title: 'DuplicateRule' }]);
  });

  it.each([
    ['self-service', 1024],
    ['pay-per-use', 1024],
    ['enterprise', 2048],
  ] as const)('accepts rules of %s up to %i characters', async (access, most) => {
    const of = reader(access);
    const text = (length: number): string => `"${'😀'.repeat(length - 2)}"`;
    const body = { add: [{ value: text(most) }, { value: text(most + 1) }] };
    const answer = await post(body, '', of);
    expect(answer.body.meta.summary).toMatchObject({ created: 1, invalid: 1 });
    const message = `Rules must have at most ${most} characters, got ${most + 1} (at position ${most + 1}).`;
    expect(answer.body.errors[0].details).toEqual([message]);
  });

  it('stops at 1,000 rules, or 25,000 of enterprise, or more if its app may', async () => {
    const values = Array.from({ length: 999 }, (_, i) => `cat${i}`);
    expect((await add(...values)).body.meta.summary.created).toBe(999);
    const { body } = await add('one', 'two');
    expect(body.data).toMatchObject([{ value: 'one' }]);
    expect(body.errors).toMatchObject([
      { value: 'two', type: 'https://api.x.com/2/problems/rule-cap' },
    ]);
    const { data } = (await get('/counts')).body;
    expect(data).toMatchObject({ cap_per_client_app: 1000, project_rules_count: 1000 });
    const large = (await get('/counts', reader('enterprise'))).body.data;
    expect(large).toMatchObject({ cap_per_client_app: 25_000, project_rules_count: 0 });
    for (const [access, rules] of [
      ['enterprise', 40_000],
      ['pay-per-use', 1000],
    ] as const) {
      const raised = (await get('/counts', reader(access, 40_000))).body.data;
      expect(raised.cap_per_client_app).toBe(rules);
    }
  });

  it('changes nothing in a dry run, and answers as if it had', async () => {
    await add('cat');
    const { status, body } = await post(
      { add: [{ value: 'dog', tag: 'x' }, { value: 'cat' }, { value: '(' }] },
      '?dry_run=true',
    );
    expect(status).toBe(200);
    expect(body.data).toEqual([{ value: 'dog', tag: 'x' }]);
    expect(body.meta.summary).toEqual({ created: 1, not_created: 2, valid: 2, invalid: 1 });
    expect(body.errors).toHaveLength(2);
    expect(await valuesOf()).toEqual(['cat']);
    await post({ delete: { values: ['cat'] } }, '?dry_run=true');
    expect(await valuesOf()).toEqual(['cat']);
  });
});

describe('deleting rules', () => {
  it('finds them by ids and by values, each once', async () => {
    const { body } = await add('a1', 'b1', 'c1', 'd1');
    const [a, b] = body.data;
    const answer = await post({ delete: { ids: [a.id, b.id, '7'], values: ['b1', 'c1', 'none'] } });
    expect(answer.status).toBe(200);
    expect(answer.body.meta).toEqual({ sent: SENT, summary: { deleted: 3, not_deleted: 2 } });
    expect(answer.body.errors).toMatchObject([
      { errors: [{ parameters: { ids: ['7'] }, message: 'Rule does not exist' }] },
      { errors: [{ parameters: { values: ['none'] }, message: 'Rule does not exist' }] },
    ]);
    expect(await valuesOf()).toEqual(['d1']);
  });

  it('deletes all, with or without a body', async () => {
    await add('cat', 'dog');
    const all = await post({}, '?delete_all=true');
    expect(all.body.meta.summary).toEqual({ deleted: 2, not_deleted: 0 });
    expect((await get()).body).toEqual({ meta: { sent: SENT, result_count: 0 } });
    await add('cat');
    const { body } = await app.post(`${RULES}?delete_all=true`);
    expect(body.meta.summary).toEqual({ deleted: 1, not_deleted: 0 });
  });
});

describe('reading rules', () => {
  it('pages through them in order', async () => {
    const values = ['a1', 'b1', 'c1', 'd1', 'e1'];
    await add(...values);
    const read: string[] = [];
    let next: string | undefined;
    do {
      const page = next === undefined ? '' : `&pagination_token=${next}`;
      const { body } = await get(`?max_results=2${page}`);
      read.push(...body.data.map(({ value }: { value: string }) => value));
      next = body.meta.next_token;
      if (next !== undefined) expect(next).toMatch(/^[\w-]{16}$/);
    } while (next !== undefined);
    expect(read).toEqual(values);
  });

  it('refuses the page token of another app, and a malformed one', async () => {
    await add('a1', 'b1');
    const { body } = await get('?max_results=1');
    const next = String(body.meta.next_token);
    for (const [text, of] of [
      [next, reader('pay-per-use')],
      ['abc', app],
      ['AAAAAAAAAAAAAAAA', app],
    ] as const) {
      const answer = await get(`?pagination_token=${text}`, of);
      expect(answer.status).toBe(400);
      expect(answer.body.errors[0].message).toContain(`[${text}] is not a valid token`);
    }
  });

  it('finds those of ids', async () => {
    const [a, , c] = (await add('a1', 'b1', 'c1')).body.data;
    expect(await valuesOf(`?ids=${c.id},${a.id},7`)).toEqual(['c1', 'a1']);
    expect((await get('?ids=x')).status).toBe(400);
  });

  it('counts them, with the fields that are asked for', async () => {
    await add('cat');
    const own = { client_app_id: app.id, rule_count: 1 };
    expect((await get('/counts')).body).toEqual({
      data: {
        cap_per_client_app: 1000,
        cap_per_project: 1000,
        client_app_rules_count: own,
        project_rules_count: 1,
        all_project_client_apps: [own],
      },
    });
    const some = await get('/counts?rules_count.fields=cap_per_project,project_rules_count');
    expect(some.body.data).toEqual({ cap_per_project: 1000, project_rules_count: 1 });
  });
});

describe('whose rules they are', () => {
  it('separates apps, and Your posts from the sample', async () => {
    const other = reader('pay-per-use');
    await add('cat');
    await post({ add: [{ value: 'cat' }, { value: 'dog' }] }, '', other);
    await post({ add: [{ value: 'bird' }] }, '', app, `/sample${RULES}`);
    expect(await valuesOf()).toEqual(['cat']);
    expect(await valuesOf('', other)).toEqual(['cat', 'dog']);
    expect((await app.get(`/sample${RULES}`)).body.data).toMatchObject([{ value: 'bird' }]);
    const id = (await get('', other)).body.data[0].id;
    const { body } = await post({ delete: { ids: [id] } });
    expect(body.meta.summary).toEqual({ deleted: 0, not_deleted: 1 });
  });

  it('keeps them across a restart, and removes them with their app', async () => {
    await add('cat');
    await service.restart();
    expect(await valuesOf()).toEqual(['cat']);
    service.auth.apps({ action: 'remove', name: app.name });
    addApp(service, app.name);
    expect(await valuesOf('', reader('pay-per-use'))).toEqual([]);
  });
});

describe('malformed changes', () => {
  it.each<[change: object, query: string, message: string]>([
    [{}, '', 'A request adds or deletes rules: send `add` or `delete`'],
    [{ add: [], delete: {} }, '', 'A request either adds or deletes rules: send `add` or `delete`'],
    [
      { add: [{ value: 'cat' }] },
      '?delete_all=true',
      'A request either adds or deletes rules: send `add` or `delete`',
    ],
    [{ add: {} }, '', '$.add: must be an array, got Object'],
    [{ add: ['cat'] }, '', '$.add[0]: must be an object, got "cat"'],
    [{ add: [{ tag: 'cat' }] }, '', '$.add[0].value: is required'],
    [{ add: [{ value: 7 }] }, '', '$.add[0].value: must be a string, got 7'],
    [
      { add: [{ value: 'cat', name: 'x' }] },
      '',
      '$.add[0].name: is not defined in the schema and the schema does not allow additional properties',
    ],
    [{ delete: { ids: ['x'] } }, '', '$.delete.ids[0]: [x] does not match ^[0-9]{1,19}$'],
    [
      { add: Array.from({ length: 1001 }, () => ({ value: 'cat' })) },
      '',
      '$.add: must have at most 1000 elements, got 1001',
    ],
    [
      { add: [] },
      '?dry_run=yes',
      'The `dry_run` query parameter value [yes] is not one of [true,false]',
    ],
    [{ add: [] }, '?dry=true', 'The query parameter [dry] is not one of [dry_run,delete_all]'],
  ])('%j %s', async (change, query, message) => {
    const answer = await post(change, query);
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].message).toBe(message);
  });
});
