import { cpSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { END_LAG_MS } from '#contract/counts/counts.ts';
import { STORE_REVISION_HEADER } from '#contract/counts/source.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#core/time/span.ts';
import { Client, expectStatus } from './client.ts';
import { benchFields, communityFor } from './fields.ts';
import { benchLog } from './log.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';
import { SPAN, word } from './posts.ts';
import { countsPath, serve, tokenFor } from './service.ts';

/** A word that no generated Post contains. */
const MARK = 'benchmark';

/**
 * Times Posts created over HTTP one after the other; each is durable before the response arrives. The next
 * counts request must report a later revision of the store, and at the end all Posts must be counted. Then times Posts
 * with every field.
 *
 * @param data - Data folder; only a copy of it is written to.
 * @param copy - Folder for the copy, removed at the end.
 */
export async function benchCreate(data: string, copy: string, rounds: number): Promise<void> {
  cpSync(data, copy, { recursive: true });
  const user = await tokenFor(copy, 'user');
  const community = await communityFor(copy);
  const served = await serve(copy, await tokenFor(copy, 'app'));
  const author = new Client(served.url, user);
  try {
    const week = { start: SPAN.start, end: SPAN.start + 7 * DAY_MS };
    const small = countsPath(word(0), week, 'day');
    const revision = async (): Promise<number> => {
      const answer = expectStatus(await served.client.get(small), 200, small);
      return Number(answer.headers[STORE_REVISION_HEADER]);
    };
    const creates: number[] = [];
    const counts: number[] = [];
    const from = Date.now();
    let known = await revision();
    for (let i = 0; i < rounds; i++) {
      const text = `${MARK} of Posts, number ${i}`;
      creates.push(
        await milliseconds(async () => {
          expectStatus(await author.post('/2/tweets', { text }), 201, text);
        }),
      );
      let now = known;
      counts.push(await milliseconds(async () => (now = await revision())));
      if (now <= known) throw new Error(`expected a revision after ${known}, got ${now}`);
      known = now;
    }
    const created = timing(creates);
    const counted = timing(counts);
    table(`${rounds} Posts created over HTTP, each durable and then followed by a count`, [
      ['create ms', 'p95', 'p99', 'count of a week after it ms', 'p95'],
      [
        shown(created),
        digits(created.p95),
        digits(created.p99),
        shown(counted),
        digits(counted.p95),
      ],
    ]);
    goal('create, median', created.median, '≤', 5, ' ms');
    await expectCounted(served.client, from, rounds);
    await benchFields(author, community, rounds);
    await benchLog(copy, rounds);
  } finally {
    author.close();
    await served.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Counts the created Posts. A counts window must end some seconds before now, so this waits. */
async function expectCounted(client: Client, from: number, posts: number): Promise<void> {
  const end = Math.ceil(Date.now() / SECOND_MS) * SECOND_MS;
  await setTimeout(end + END_LAG_MS + SECOND_MS - Date.now());
  const start = Math.floor(from / SECOND_MS) * SECOND_MS - HOUR_MS;
  const path = countsPath(MARK, { start, end }, 'day');
  const answer = expectStatus(await client.get(path, 'identity'), 200, path);
  const { meta } = JSON.parse(answer.body.toString('utf8')) as {
    meta: { total_tweet_count: number };
  };
  if (meta.total_tweet_count !== posts) {
    throw new Error(`expected ${posts} created Posts to be counted, got ${meta.total_tweet_count}`);
  }
  fact(`all ${posts} are counted`);
}
