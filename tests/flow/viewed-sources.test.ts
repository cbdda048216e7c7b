import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { View } from '#app/board/state/view.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { openPosts, postTable } from '#server/posts/store/post-table.ts';
import { storeBoard, viewLink } from '#tests/support/service/data-links.ts';
import { buy, openPaid } from '#tests/support/data/bought.ts';
import { startService, type TestService } from '#tests/support/service/service.ts';

const NOW = Date.parse('2026-11-21T10:00:00Z');
const START = NOW - 10 * HOUR_MS;

/** Reads views of a service without an account. */
function reader(service: Pick<TestService, 'request'>) {
  const send = (path: string, init?: RequestInit): Promise<Response> => service.request(path, init);
  const get = (path: string): Promise<Response> => send(path, { headers: { cookie: '' } });
  const counts = async (path: string, query: string, start: number, days: number) => {
    const answer = await send(`${path}counts`, {
      method: 'POST',
      headers: { cookie: '', 'content-type': 'application/json' },
      body: JSON.stringify({ questions: [{ query, start, buckets: days, granularity: 'day' }] }),
    });
    const { answers } = (await answer.json()) as { answers: { counts: (number | null)[] }[] };
    return answers[0]!.counts;
  };
  const linked = async (queries: readonly string[], over: View = {}): Promise<string> => {
    const series = queries.map((query) => ({ query, label: '', hidden: false }));
    const view = { source: 'posts', zone: 'UTC', weekStart: 1, resolution: 'day' } as const;
    await storeBoard(send, queries.join(' '), { ...view, ...over, series });
    return (await viewLink(send, queries.join(' '), { posts: true })).path;
  };
  return { get, counts, linked };
}

describe('Posts of a protected account', () => {
  const posts = Array.from({ length: 60 }, (_, i) => ({
    id: 1_990_000_000_000_000_000n + BigInt(i),
    createdAt: START + i * 60_000,
    text: i < 40 ? 'hush secret plan' : 'hush now',
    authorId: i < 40 ? '700' : `80${i}`,
    username: i < 40 ? 'quiet' : `user${i}`,
  }));
  const service = startService({ now: () => NOW, posts, posted: true });
  afterAll(() => service.close());

  it('are in no count, cause or list of a view, also while its page is open', async () => {
    const { get, counts, linked } = reader(service);
    const path = await linked(['hush', 'from:quiet'], { range: { preset: '7d' } });
    const span = {
      start_time: new Date(START).toISOString(),
      end_time: new Date(NOW - HOUR_MS).toISOString(),
    };
    const read = async () => {
      const day = NOW - (NOW % DAY_MS);
      const about = new URLSearchParams({ query: 'hush', ...span });
      const causes = await (await get(`${path}causes?${about}`)).json();
      about.set('order', 'engagement');
      about.set('expansions', 'author_id');
      const ranked = await (await get(`${path}ranked?${about}`)).json();
      return {
        counts: [await counts(path, 'hush', day, 1), await counts(path, 'from:quiet', day, 1)],
        about: causes.data.posts as number,
        listed: ranked.data.length as number,
        names: /quiet|secret|plan/.test(JSON.stringify([causes, ranked])),
      };
    };
    expect(await read()).toEqual({ counts: [[60], [40]], about: 60, listed: 60, names: true });
    const db = openPosts(join(service.folder, 'posts.sqlite'), { random: (n) => randomBytes(n) });
    const user = { id: '700', username: 'quiet', name: 'Quiet', protected: true };
    db.write('test', () =>
      postTable(db).putObjects([{ kind: 'users', key: '700', json: JSON.stringify(user) }]),
    );
    db.close();
    expect(await read()).toEqual({ counts: [[20], [0]], about: 20, listed: 20, names: false });
  });
});

it('shows what was bought of the platform, and buys nothing', async () => {
  const on = await openPaid();
  try {
    await buy(on.tab, { query: 'storm', from: '2026-10-01', to: '2026-10-11' });
    const sent = on.platform.sent.length;
    const { get, counts, linked } = reader(on.service);
    const range = { from: '2026-10-02', to: '2026-10-21' };
    const path = await linked(['storm', 'never bought'], { source: 'platform', range });
    const from = Date.parse('2026-10-02T00:00:00Z');
    const known = (await counts(path, 'storm', from, 20)).filter((count) => count !== null);
    expect(known.length).toBeGreaterThanOrEqual(8);
    expect(await counts(path, 'never bought', from, 20)).toEqual(Array(20).fill(null));
    const about = 'query=storm&start_time=2026-10-02T00:00:00Z&end_time=2026-10-03T00:00:00Z';
    expect((await get(`${path}causes?${about}`)).status).toBe(404);
    expect((await get(`${path}ranked?${about}&order=engagement`)).status).toBe(404);
    expect(on.platform.sent).toHaveLength(sent);
  } finally {
    await on.service.close();
    await on.platform.close();
  }
});
