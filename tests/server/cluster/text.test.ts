import { randomBytes as random } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { match } from '#core/query/match.ts';
import type { PostTerms } from '#core/text/post.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { openCluster, type ClusterStore } from '#server/cluster/store.ts';
import type { NewPost } from '#server/posts/store/post-table.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import { long } from '#tests/support/run/long.ts';

const START = Date.UTC(2020, 1, 29);
const SPAN = { start: START, end: START + DAY_MS };
const RUNS = long() ? 1500 : 60;

/** Text that would change a statement if it were not escaped, or that a statement could not hold. */
const HOSTILE = [
  "'",
  "''",
  '\\',
  "\\'",
  "\\\\'",
  '"',
  '`',
  '\0',
  '\n',
  '\r\n',
  '\t',
  '\b',
  '\\x27',
  '\\N',
  '%',
  '_',
  ';',
  '--',
  '/*',
  '*/',
  '#',
  '{x:String}',
  '{',
  '?',
  '$1',
  "' OR 1=1 --",
  "') OR 1 OR term IN ('",
  "'; DROP TABLE hostile.posting; --",
  "' UNION ALL SELECT 1, 2 FORMAT Null --",
  'FORMAT RowBinary',
  '😀',
  '👩‍👩‍👧‍👦',
  'שלום',
  '\u202E',
  '\u200B',
  '\uFEFF',
  '\uFFFF',
  'naïve',
  'nai\u0308ve',
  '東京',
  'x'.repeat(300),
];

const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme', maxLength: 4 })), {
    minLength: 1,
    maxLength: 3,
  })
  .map((parts) => parts.join(''))
  .filter((joined) => joined !== '' && !/\p{Surrogate}/u.test(joined));

/** Posts whose words and flags are any text, not only what the tokenizer makes. */
const posts = fc.sample(
  fc.record({ words: fc.array(text, { maxLength: 5 }), flags: fc.uniqueArray(text) }),
  { numRuns: 300, seed: 1 },
);
const terms = posts.map(({ words, flags }): PostTerms => ({ words, urlWords: [], flags }));
const known = [...new Set(posts.flatMap(({ words, flags }) => [...words, ...flags]))];

const term = fc.oneof(fc.constantFrom(...known), text);
const phrase = fc.oneof(
  fc
    .constantFrom(...posts.map(({ words }) => words).filter(({ length }) => length > 1))
    .map((words) => words.slice(0, 2)),
  fc.array(term, { minLength: 2, maxLength: 3 }),
);
const condition: fc.Arbitrary<Condition> = fc.letrec<{ any: Condition }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    term.map((term): Condition => ({ kind: 'term', term })),
    phrase.map((tokens): Condition => ({ kind: 'phrase', field: 'word', tokens })),
    tie('any').map((of): Condition => ({ kind: 'not', of })),
    fc
      .tuple(fc.constantFrom('all', 'any'), fc.array(tie('any'), { minLength: 1, maxLength: 3 }))
      .map(([kind, of]): Condition => ({ kind, of })),
  ),
})).any;

describe.runIf(hasClickHouse())('text of any kind', () => {
  let servers: ClickHouse;
  let store: ClusterStore;
  const rows = terms.map((terms, i): NewPost => ({
    id: BigInt(i + 1),
    createdAt: START + i * SECOND_MS,
    authorId: null,
    username: posts[i]!.flags[0] ?? null,
    text: posts[i]!.words.join(' '),
    lang: posts[i]!.words[0] ?? null,
    rest: null,
    facts: null,
    terms,
  }));
  const objects = known.map((key, i) => ({ kind: 'any', key, json: JSON.stringify({ key, i }) }));

  beforeAll(async () => {
    servers = await startClickHouse();
    store = await openCluster(servers.address('hostile'), random);
    const writer = await store.writer();
    const added = rows.map((post) => ({ post, collections: [], generation: 0 }));
    await writer.write({ added, objects });
  });
  afterAll(async () => {
    await store?.close();
    await servers?.stop();
  });

  test('is counted as what it is, in any condition', async () => {
    const reader = store.reader(await store.state());
    await fc.assert(
      fc.asyncProperty(condition, async (wanted) => {
        const counts = await reader.histogram(wanted, SPAN, 'day');
        expect(counts[0]).toBe(terms.filter((each) => match(wanted, each)).length);
      }),
      {
        numRuns: RUNS,
        examples: HOSTILE.map((term): [Condition] => [{ kind: 'term', term }]),
      },
    );
  });

  test('is read as it was written', async () => {
    const reader = store.reader(await store.state());
    const versions = await reader.versions(rows.map(({ id }) => id));
    const stored = new Map(versions.map(({ row }) => [row.id, row]));
    for (const { terms: _, ...row } of rows) expect(stored.get(row.id)).toMatchObject(row);
    const found = await reader.objects(objects);
    const byKey = ({ key }: { key: string }) => key;
    expect(new Map(found.map((each) => [byKey(each), each.json]))).toEqual(
      new Map(objects.map((each) => [byKey(each), each.json])),
    );
  });
});
