import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { giveTinySample, writePosts, type TestPost } from '#tests/support/service/service.ts';
import { program } from '#tests/support/service/process.ts';
import { listTable } from '#server/posts/store/lists.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { relationTable } from '#server/posts/store/relations.ts';
import { expectStatus } from './client.ts';
import { digits, goal, milliseconds, table, timing } from './measure.ts';
import { serve, tokenFor } from './service.ts';
import type { RelationKind } from '#server/posts/store/relation-kinds.ts';

/** The twelve reads of an account's own relations (specification), each with a size of its page. */
const READS = [
  ['bookmarks', 100],
  ['blocking', 100],
  ['muting', 100],
  ['pinned_lists', null],
  ['tweets', 100],
  ['mentions', 100],
  ['liked_tweets', 100],
  ['followers', 100],
  ['following', 100],
  ['owned_lists', 100],
  ['followed_lists', 100],
  ['list_memberships', 100],
] as const;

const POSTS = 50_000;
const LISTS = 5000;
/** Relations per transaction. */
const BATCH = 20_000;

/** Parts of the relations in which the account is an end, by kind. The rest are follows among others. */
const SHARES: readonly (readonly [kind: RelationKind, side: 'source' | 'target', part: number])[] =
  [
    ['follow', 'target', 0.25],
    ['follow', 'source', 0.1],
    ['like', 'source', 0.05],
    ['bookmark', 'source', 0.05],
    ['mute', 'source', 0.05],
    ['block', 'source', 0.05],
    ['member', 'target', 0.005],
    ['subscription', 'source', 0.005],
  ];

function posts(me: string): TestPost[] {
  const start = Date.UTC(2024, 0, 1);
  return Array.from({ length: POSTS }, (_, i) => ({
    id: BigInt(1 + i),
    createdAt: start + i * 60_000,
    text: i % 3 === 0 ? `@bench tea number ${i}` : `tea number ${i}`,
    authorId: i % 4 === 0 ? me : String(100 + (i % 500)),
    username: i % 4 === 0 ? 'bench' : `user${i % 500}`,
  }));
}

function fill(file: string, me: bigint, total: number): void {
  const db = openPosts(file, { random: (n) => randomBytes(n) });
  const relations = relationTable(db);
  const lists = listTable(db);
  db.write('lists', () => {
    for (let i = 1; i <= LISTS; i++) {
      const owner = i <= 1000 ? me : BigInt(i);
      const list = { description: '', private: false, createdAt: null, name: `List ${i}` };
      lists.add({ ...list, id: BigInt(i), owner });
    }
    for (let i = 1; i <= 5; i++) relations.put('pin', me, BigInt(i));
  });
  const rows: [RelationKind, bigint, bigint][] = [];
  const flush = (): void => {
    const some = rows.splice(0);
    db.write('relations', () => {
      for (const row of some) relations.put(...row);
    });
  };
  const add = (...row: [RelationKind, bigint, bigint]): void => {
    if (rows.push(row) >= BATCH) flush();
  };
  let left = total;
  for (const [kind, side, part] of SHARES) {
    const n = Math.floor(total * part);
    for (let i = 1; i <= n; i++) {
      const other =
        BigInt(i) + (kind === 'follow' || kind === 'mute' || kind === 'block' ? 10_000n : 0n);
      if (side === 'source') add(kind, me, other);
      else add(kind, other, me);
    }
    left -= n;
  }
  for (let i = 0; i < left; i++) {
    add('follow', BigInt(20_000 + i), BigInt(30_000 + Math.floor(i / 7)));
  }
  flush();
  db.close();
}

/** Requests a page after another. @returns The times, ms. */
async function timed(
  get: (path: string) => Promise<{ next: string | undefined }>,
  path: string,
  pages: number,
): Promise<number[]> {
  const times: number[] = [];
  let token: string | undefined;
  for (let i = 0; i < pages; i++) {
    const at = token === undefined ? path : `${path}&pagination_token=${token}`;
    times.push(
      await milliseconds(async () => {
        token = (await get(at)).next;
      }),
    );
  }
  return times;
}

/**
 * Times the reads of an account's relations, page after page over HTTP.
 *
 * @param data - An empty data folder.
 * @param total - Number of relations.
 * @param pages - Pages per read.
 */
export async function benchRelations(data: string, total: number, pages: number): Promise<void> {
  mkdirSync(data, { recursive: true });
  const token = await tokenFor(data, 'user');
  const listed = await program(['user', 'list', '--json', '--data', data]);
  const { users } = JSON.parse(listed.out) as { users: { id: string }[] };
  const me = users[0]?.id ?? '';
  const file = join(data, 'posts.sqlite');
  writePosts(file, posts(me));
  fill(file, BigInt(me), total);
  giveTinySample(data);
  const served = await serve(data, token);
  try {
    const get = async (path: string) => {
      const answer = expectStatus(await served.client.get(path, 'identity'), 200, path);
      const { meta } = JSON.parse(answer.body.toString('utf8')) as {
        meta: { next_token?: string };
      };
      return { next: meta.next_token };
    };
    const all: number[] = [];
    const rows: string[][] = [];
    for (const [name, size] of READS) {
      const path = `/2/users/${me}/${name}?${size === null ? '' : `max_results=${size}`}`;
      await get(path);
      const times = await timed(get, path, pages);
      all.push(...times);
      const { median, p95, max } = timing(times);
      rows.push([name, digits(median), digits(p95), digits(max)]);
    }
    table(`reads over ${total} relations, pages of 100 over HTTP`, [
      ['read', 'median ms', 'p95', 'max'],
      ...rows,
    ]);
    goal('reads of relations, p95', timing(all).p95, '≤', 10, ' ms');
  } finally {
    await served.stop();
  }
}
