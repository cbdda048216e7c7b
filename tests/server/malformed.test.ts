import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { OPERATIONS } from '#contract/operations.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { long } from '#tests/support/run/long.ts';
import { memoryHeld } from '#tests/support/memory.ts';
import { startService } from '#tests/support/service/service.ts';

// Whatever a program sends, it gets an answer below 500, and the service needs no more memory for it.

const NOW = Date.parse('2026-11-21T10:30:20Z');
const service = startService({
  now: () => NOW,
  posts: [{ id: '1990000000000000001', createdAt: '2026-11-21T09:00:00Z', text: 'tea' }],
});
afterAll(() => service.close());

/** A request without an answer after this time hangs. */
const LONGEST_MS = 30_000;
/** A tenth of a kilobyte for each of 100,000 requests: less than any of them could leave behind. */
const MORE_BYTES = 10 * 2 ** 20;

/** Paths of streams. */
const STREAMS: ReadonlySet<string> = new Set(
  OPERATIONS.filter(({ streams }) => streams).flatMap(({ path, aliases = [] }) => [
    path,
    ...aliases,
  ]),
);

const TOKENS = [
  service.auth.issueUserToken({ name: 'alice', limited: false }).token,
  service.auth.issueToken({ access: 'enterprise', limited: false }),
  service.auth.issueToken({ access: 'self-service', limited: false }),
];

const ODD_TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  '1990000000000000001',
  '99999999999999999999',
  '٣',
  '%00',
  '%ff%fe',
  '../../etc/passwd',
  '"',
  '\u0000',
  '\ud800',
  '𝕏'.repeat(300),
  'a'.repeat(5000),
  '2026-02-30T25:61:00Z',
  '(((((((((('.repeat(60),
  'tweet.fields,,',
  '__proto__',
];
const text = fc.oneof(fc.constantFrom(...ODD_TEXTS), unicodeText({ maxLength: 60 }));

/** Names that an operation knows, and others. */
const nameOf = (known: readonly string[]) =>
  known.length === 0 ? text : fc.oneof(fc.constantFrom(...known), text);

function membersOf(schema: object | undefined): string[] {
  return schema && 'entries' in schema ? Object.keys(schema.entries as object) : [];
}

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const type = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  '',
  ';;;',
);
const authorization = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TOKENS.map((token) => `Bearer ${token}`)) },
  { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Basic !!', 'OAuth', 'OAuth a="b"') },
  {
    weight: 1,
    arbitrary: fc.constant(
      'OAuth oauth_consumer_key="a", oauth_nonce="%", oauth_signature="x", oauth_timestamp="1e999"',
    ),
  },
);

const request = fc.constantFrom(...OPERATIONS).chain((operation) => {
  const paths = fc.constantFrom(operation.path, ...(operation.aliases ?? []));
  const entry = (known: readonly string[], value: fc.Arbitrary<unknown>) =>
    fc.array(fc.tuple(nameOf(known), value), { maxLength: 5 });
  return fc.record({
    method: fc.constantFrom(operation.method, operation.method, 'POST'),
    path: fc.tuple(paths, fc.array(text, { minLength: 3, maxLength: 3 })).map(([path, values]) => {
      let n = 0;
      return path.replaceAll(
        /:\w+/g,
        () => encodeURIComponent(wellFormed(values[n++] ?? '')) || '0',
      );
    }),
    query: entry(membersOf(operation.query), text).map((pairs) =>
      pairs.map(([name, value]) => [name, String(value)] as [string, string]),
    ),
    body: fc.oneof(
      { weight: 4, arbitrary: entry(membersOf(operation.body), json).map(stringified) },
      { weight: 1, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
      { weight: 1, arbitrary: text },
      {
        weight: 1,
        arbitrary: fc.constant('--x\r\ncontent-disposition: form-data; name="media"\r\n'),
      },
    ),
    type: fc.oneof({ weight: 5, arbitrary: fc.constant('application/json') }, type),
    authorization,
  });
});

function stringified(pairs: readonly (readonly [string, unknown])[]): string {
  return JSON.stringify(Object.fromEntries(pairs));
}

/** A text without lone surrogates, which no address can contain. */
function wellFormed(value: string): string {
  return value.replaceAll(/\p{Surrogate}/gu, '?');
}

it('a malformed request gets an answer below 500', async () => {
  const property = fc.asyncProperty(
    request,
    async ({ method, path, query, body, type: contentType, authorization: credentials }) => {
      const search = new URLSearchParams(
        query.map(([name, value]) => [wellFormed(name), wellFormed(value)]),
      );
      const headers = { cookie: '', 'content-type': contentType, authorization: credentials };
      const answer = await service.request(`${path}?${search}`, {
        method,
        headers,
        ...(method !== 'GET' && { body }),
      });
      // A stream goes on until the client leaves; every other answer ends.
      const isStream = answer.status === 200 && method === 'GET' && STREAMS.has(path);
      const shown = isStream ? await answer.body?.cancel() : await answer.text();
      expect(answer.status, String(shown)).toBeLessThan(500);
    },
  );
  const requests = long() ? 100_000 : 250;
  // The first ones compile code and fill caches, which have a limit.
  await fc.assert(property, { numRuns: requests / 10, timeout: LONGEST_MS });
  const before = await memoryHeld();
  await fc.assert(property, { numRuns: requests, timeout: LONGEST_MS });
  expect(await memoryHeld()).toBeLessThan(before + MORE_BYTES);
  expect(service.log).toEqual([]);
});
