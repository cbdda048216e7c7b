import { expect, test } from 'vitest';
import { startClickHouse } from '#tests/support/clickhouse/servers.ts';
import { openCluster } from '#server/cluster/store.ts';
import { variedPosts, query } from '#tests/support/varied-posts.ts';
import * as fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { termsOf } from '#core/text/terms.ts';
import { factsOf } from '#server/posts/facts.ts';
import { parse } from '#core/query/parse.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';

test('x', { timeout: 300000 }, async () => {
  for (const shape of [undefined, [1, 1]]) {
    const ch = await startClickHouse(shape);
    try {
      const store = await openCluster(ch.address('gs'), (n) => randomBytes(n));
      const writer = await store.writer();
      const posts = variedPosts(9500);
      const START = Date.UTC(2020, 1, 29);
      const TERMS = posts.map(termsOf);
      const t = Date.now();
      await writer.write({
        added: posts.map((post, i) => {
          const columns = { authorId: null, username: null, text: post.text, lang: null, rest: null };
          return { post: { id: BigInt(i + 1), createdAt: START + i * 1000, ...columns, facts: factsOf(post, columns), terms: TERMS[i]! }, collections: [3], generation: 0 };
        }),
      });
      console.log('write', Date.now() - t);
      const state = await store.state();
      console.log(state);
      const reader = store.reader(state);
      let n = 0; const t1 = Date.now();
      await fc.assert(fc.asyncProperty(query, async (text) => {
        const parsed = parse(text, { product: 'recent' });
        if (!parsed.ok) throw new Error(text);
        const wanted = condition(parsed.ast, { members: (l) => ({ '1': ['12', '14'], '2': ['99'] } as any)[l] ?? [], collection: () => null });
        const counts = await reader.histogram(wanted, { start: START, end: START + 86400000 }, 'hour');
        n++;
        expect(counts.reduce((a, b) => a + b, 0), text).toBe(TERMS.filter((x) => match(wanted, x)).length);
      }), { numRuns: 200 });
      console.log('per query', (Date.now() - t1) / n);
      await store.close();
    } finally { await ch.stop(); }
  }
});
