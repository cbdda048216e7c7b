import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import { termsOf } from '#core/text/terms.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { clusterEditor } from '#server/cluster/editor.ts';
import { creation, tablesOf } from '#server/cluster/schema.ts';
import { clusterStore, type ClusterStore } from '#server/cluster/store.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { currentEngine, currentNode } from '#tests/support/clickhouse/current.ts';
import { long } from '#tests/support/run/long.ts';
import { query, variedPosts } from '#tests/support/data/varied-posts.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const START = Date.UTC(2020, 1, 29);
const SPAN = { start: START, end: START + DAY_MS };
const LISTS: Readonly<Record<string, readonly string[]>> = { '1': ['12', '14'], '2': ['99'] };
const engine = long() || process.env['GROUNDSWELL_TEST_CHDB'] ? currentEngine() : null;

/** The same statements as on the servers of the other tests, which are much older. */
describe.runIf(engine)('a current ClickHouse', () => {
  const random = (n: number): Uint8Array => randomBytes(n);
  const posts = variedPosts(3000).map((post, i): NewPost => {
    const columns = { authorId: null, username: null, text: post.text, lang: null, rest: null };
    const [createdAt, facts] = [START + i * SECOND_MS, factsOf(post, columns)];
    return { id: BigInt(i + 1), createdAt, ...columns, facts, terms: termsOf(post) };
  });
  let living = posts;
  let store: ClusterStore;

  beforeAll(async () => {
    const address = { nodes: [], user: '', password: '', database: 'current', cluster: null };
    const node = currentNode(engine!);
    for (const statement of creation(address)) await node.run(statement);
    store = await clusterStore(node, tablesOf(address), random);
    const writer = await store.writer();
    const added = posts.map((post) => ({ post, collections: [], generation: 0 }));
    await writer.write({ added });
  });
  afterAll(() => store?.close());

  async function agree(runs: number): Promise<void> {
    const reader = store.reader(await store.state());
    await fc.assert(
      fc.asyncProperty(query, async (text) => {
        const read = parse(text, { product: 'recent' });
        if (!read.ok) throw new Error(text);
        const known = { members: (list: string) => LISTS[list] ?? [], collection: () => null };
        const wanted = condition(read.ast, known);
        const right = living.filter(({ terms }) => match(wanted, terms));
        const counts = await reader.histogram(wanted, SPAN, 'minute');
        expect(
          counts.reduce((sum, n) => sum + n, 0),
          text,
        ).toBe(right.length);
        const found = await reader.newest(wanted, SPAN, 5);
        const newest = right.toReversed().slice(0, 5);
        expect(
          found.map(({ id }) => id),
          text,
        ).toEqual(newest.map(({ id }) => id));
      }),
      { numRuns: runs },
    );
  }

  test('counts and finds exactly the Posts that match', async () => {
    await agree(long() ? 500 : 40);
  });

  test('and so it does after changes', async () => {
    const db = openPosts(temporaryFolder()('posts'), { random });
    const writer = await store.writer();
    const { write } = clusterEditor(
      store,
      async () => writer,
      editorOver(db, () => START),
    );
    for (const id of [3n, 700n, 2999n]) await write({ what: 'remove', of: [id] });
    const again = { ...posts[10]!, id: 700n, createdAt: posts[699]!.createdAt };
    await write({ what: 'create', of: [again] });
    living = posts
      .filter(({ id }) => id !== 3n && id !== 2999n)
      .map((post) => (post.id === 700n ? again : post));
    db.close();
    await agree(long() ? 500 : 20);
  });
});
