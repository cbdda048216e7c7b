import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { changesOver } from '#server/posts/editor/changes.ts';
import { composePost } from '#server/posts/editor/compose.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { digits, goal, milliseconds, shown, table, timing } from './measure.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

const AUTHOR = { id: '7', username: 'bench' };

/** Times Posts that are created with an entry of the log, in turns with Posts without one; each is durable. */
export async function benchLog(folder: string, rounds: number): Promise<void> {
  const random = (n: number): Uint8Array => randomBytes(n);
  const files = ['logged', 'plain'].map((name) =>
    openPosts(join(folder, `${name}.sqlite`), { random }),
  );
  const [logged, plain] = files as [(typeof files)[0], (typeof files)[0]];
  const ways = [changesOver(logged, Date.now).create, postChanges(plain).create] as const;
  const times: [number[], number[]] = [[], []];
  for (let i = 0; i < rounds; i++) {
    const text = `A Post of the benchmark for @someone with the number ${i}`;
    const post = composePost(AUTHOR, { text, lang: 'en' }, BigInt(i + 1), Date.now());
    // In both orders, as the second of a pair may profit from the first.
    for (const way of i % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      times[way].push(await milliseconds(async () => ways[way](post)));
    }
  }
  for (const db of files) db.close();
  const [withLog, without] = times.map(timing) as [
    ReturnType<typeof timing>,
    ReturnType<typeof timing>,
  ];
  table(`${rounds} Posts created with the log and ${rounds} without, in turns`, [
    ['with the log ms', 'p95', 'without ms', 'p95'],
    [shown(withLog), digits(withLog.p95), shown(without), digits(without.p95)],
  ]);
  const sum = (list: readonly number[]): number => list.reduce((total, ms) => total + ms, 0);
  goal('rate with the log, of the rate without', sum(times[1]) / sum(times[0]), '≥', 0.9);
}
