import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startService } from '#tests/support/service/service.ts';
import { powerApp } from './power-app.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');
const RULES = '/2/powerstream/rules';
const DAY_SECONDS = 86_400;

let now = NOW;
const service = startService({ now: () => now });
afterAll(() => service.close());
let app: ReturnType<typeof powerApp>;
beforeEach(() => {
  now = NOW;
  app = powerApp(service);
});

const valuesOf = async (of = app, prefix = ''): Promise<string[]> =>
  (await of.get(prefix + RULES)).body.data.rules.map(({ value }: { value: string }) => value);

describe('adding rules', () => {
  it('creates them with ids, in order, and answers 201', async () => {
    const { status, body } = await app.rules('POST', [
      { value: '(cat OR dog) lang:en -is:retweet', tag: 'pet-monitor' },
      { value: 'contains:hello' },
    ]);
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        rules: [
          {
            id: expect.stringMatching(/^\d{19}$/),
            value: '(cat OR dog) lang:en -is:retweet',
            tag: 'pet-monitor',
          },
          { id: expect.stringMatching(/^\d{19}$/), value: 'contains:hello' },
        ],
      },
    });
    expect((await app.get(RULES)).body).toEqual(body);
  });

  it('creates the valid ones of a batch, and names every fault of each other one', async () => {
    const [first] = await app.add('cow');
    const { status, body } = await app.rules('POST', [
      { value: 'cat' },
      { value: 'h:m AND #dog' },
      { value: 'cat', tag: 'again' },
      { value: 'cow' },
      { value: 'AND' },
    ]);
    expect(status).toBe(201);
    expect(body.data.rules).toMatchObject([{ value: 'cat' }]);
    const type = (name: string) => `https://api.x.com/2/problems/${name}`;
    expect(body.errors).toEqual([
      {
        value: 'h:m AND #dog',
        details: [
          "Reference to invalid operator 'h' (at position 1).",
          "Reference to invalid field 'h' (at position 1).",
          expect.stringMatching(/^Reference to invalid operator '#'\..* \(at position 9\)\.$/),
        ],
        title: 'UnprocessableEntity',
        type: type('invalid-rules'),
      },
      {
        value: 'cat',
        id: body.data.rules[0].id,
        title: 'DuplicateRule',
        type: type('duplicate-rules'),
      },
      { value: 'cow', id: first, title: 'DuplicateRule', type: type('duplicate-rules') },
      {
        value: 'AND',
        details: ["no viable alternative at input 'AND' (at position 1)."],
        title: 'UnprocessableEntity',
        type: type('invalid-rules'),
      },
    ]);
    expect(await valuesOf()).toEqual(['cow', 'cat']);
  });

  it('accepts up to 2,048 characters', async () => {
    const text = (length: number): string => `"${'😀'.repeat(length - 2)}"`;
    const { body } = await app.rules('POST', [{ value: text(2048) }, { value: text(2049) }]);
    expect(body.data.rules).toHaveLength(1);
    expect(body.errors[0].details).toEqual([
      'Rules must have at most 2048 characters, got 2049 (at position 2049).',
    ]);
  });

  it('accepts up to 1,000 rules', async () => {
    for (let i = 0; i < 10; i++) {
      await app.add(...Array.from({ length: 100 }, (_, n) => `word${i * 100 + n}`));
    }
    const { status, body } = await app.rules('POST', [{ value: 'one more' }]);
    expect([status, body.data.rules]).toEqual([201, []]);
    expect(body.errors).toMatchObject([{ value: 'one more', title: 'RulesCapExceeded' }]);
    expect(await valuesOf()).toHaveLength(1000);
  });

  it.each([
    [{}, '$.rules: is required'],
    [{ rules: [] }, '$.rules: must not be empty'],
    [{ rules: 'cat' }, '$.rules: must be an array, got "cat"'],
    [{ rules: ['cat'] }, '$.rules[0]: must be an object, got "cat"'],
    [{ rules: [{}] }, '$.rules[0].value: is required'],
    [{ rules: [{ value: 5 }] }, '$.rules[0].value: must be a string, got 5'],
    [
      { rules: Array.from({ length: 101 }, () => ({ value: 'cat' })) },
      '$.rules: must have at most 100 elements, got 101',
    ],
    [
      { rules: [{ value: 'cat', odd: 1 }] },
      '$.rules[0].odd: is not defined in the schema and the schema does not allow additional properties',
    ],
  ])('refuses the body %j', async (sent, message) => {
    const { status, body } = await app.post(RULES, sent);
    expect([status, body.errors[0].message]).toEqual([400, message]);
    expect(await valuesOf()).toEqual([]);
  });
});

describe('deleting rules', () => {
  it('finds them by id, by value, and as they were listed, each once', async () => {
    await app.add('cat', 'dog', 'cow', 'owl');
    const [cat, , cow] = (await app.get(RULES)).body.data.rules;
    const { status, body } = await app.rules('DELETE', [
      { id: cat.id },
      { value: 'dog', tag: 'any' },
      { value: 'cat' },
      cow,
    ]);
    expect([status, body]).toEqual([200, { data: { deleted: 3, not_deleted: 0 } }]);
    expect(await valuesOf()).toEqual(['owl']);
  });

  it('counts and names those that do not exist, and deletes the others', async () => {
    const [cat, dog] = await app.add('cat', 'dog');
    const { status, body } = await app.rules('DELETE', [
      { id: '7' },
      { value: 'cow' },
      { id: dog, value: 'cat' },
      { id: cat },
    ]);
    expect([status, body.data]).toEqual([200, { deleted: 1, not_deleted: 3 }]);
    expect(body.errors.map((error: { errors: object[] }) => error.errors)).toEqual([
      [{ parameters: { id: ['7'] }, message: 'Rule does not exist' }],
      [{ parameters: { value: ['cow'] }, message: 'Rule does not exist' }],
      [{ parameters: { id: [dog] }, message: 'Rule does not exist' }],
    ]);
    expect(await valuesOf()).toEqual(['dog']);
  });

  it.each([
    [{ rules: [{ tag: 'a' }] }, '$.rules: every element must have an id or a value'],
    [{ rules: [{ id: 'a' }] }, '$.rules[0].id: [a] does not match ^[0-9]{1,19}$'],
    [{ rules: [] }, '$.rules: must not be empty'],
  ])('refuses the body %j', async (sent, message) => {
    const { status, body } = await app.send('DELETE', RULES, sent);
    expect([status, body.errors[0].message]).toEqual([400, message]);
  });
});

it('keeps the rules of other apps, of the sample and of the filtered stream apart', async () => {
  const other = powerApp(service);
  await app.add('cat');
  await other.add('dog');
  await app.rules('POST', [{ value: 'owl' }], '/sample');
  const filtered = '/2/tweets/search/stream/rules';
  await app.post(filtered, { add: [{ value: 'cat' }, { value: 'sample:5 cow' }] });
  expect(await valuesOf()).toEqual(['cat']);
  expect(await valuesOf(other)).toEqual(['dog']);
  expect(await valuesOf(app, '/sample')).toEqual(['owl']);
  await app.rules('DELETE', [{ value: 'cat' }]);
  expect((await app.get(filtered)).body.meta.result_count).toBe(2);
  const { body } = await app.get(`${filtered}/counts`);
  expect(body.data.project_rules_count).toBe(2);
});

it('keeps rules over a restart, and removes them with their app', async () => {
  await app.add('cat');
  await service.restart();
  expect(await valuesOf()).toEqual(['cat']);
  service.auth.apps({ action: 'remove', name: app.name });
  await service.restart();
  const next = powerApp(service);
  expect(await valuesOf(next)).toEqual([]);
});

it('may be changed by 50 requests in 24 hours, also over a restart, and read at any time', async () => {
  app = powerApp(service, { limited: true });
  for (let i = 0; i < 25; i++) {
    const { headers } = await app.rules('POST', [{ value: `word${i}` }], i === 0 ? '/sample' : '');
    expect(headers.get('x-rate-limit-limit')).toBe('50');
    expect(headers.get('x-rate-limit-remaining')).toBe(String(49 - 2 * i));
    await app.rules('DELETE', [{ value: `word${i}` }]);
  }
  await service.restart();
  for (const method of ['POST', 'DELETE']) {
    const { status, headers, body } = await app.rules(method, [{ value: 'cat' }]);
    expect([status, body.title]).toEqual([429, 'Too Many Requests']);
    expect(headers.get('x-rate-limit-remaining')).toBe('0');
    expect(headers.get('x-rate-limit-reset')).toBe(String(NOW / 1000 + DAY_SECONDS));
  }
  expect(await valuesOf()).toEqual([]);
  now += DAY_SECONDS * 1000;
  await app.add('cat');
});

it.each(['self-service', 'pay-per-use'] as const)('is refused to %s', async (access) => {
  const small = powerApp(service, { access });
  for (const answer of [
    await small.get(RULES),
    await small.rules('POST', [{ value: 'cat' }]),
    await small.rules('DELETE', [{ value: 'cat' }]),
    await small.refused(),
    await small.refused('', '/sample'),
  ]) {
    expect([answer.status, answer.body.title]).toEqual([403, 'Client Forbidden']);
    expect(answer.body.detail).toContain('Powerstream needs');
  }
});
