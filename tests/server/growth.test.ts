import { randomBytes as random } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { changesOver } from '#server/posts/editor/changes.ts';
import { addChunk, chunkTable } from '#server/posts/index/chunks.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openMatcher } from '#server/streams/rules/matcher-thread.ts';
import { growth, MAX_GROWTH, MAX_RUNS } from '#tests/support/growth.ts';
import { long } from '#tests/support/run/long.ts';
import { person } from '#tests/support/service/callers.ts';
import {
  newPost,
  startService,
  writePosts,
  type TestPost,
} from '#tests/support/service/service.ts';
import { here } from '#tests/support/service/threads.ts';

/** Chunks of Posts: what costs as much for each of a few is found as well as with many. */
const CHUNKS = { few: 1, many: long() ? 50 : 10 };

describe(`over ${CHUNKS.many} chunks of Posts`, () => {
  /** A chunk is sealed from 8,192 Posts on. */
  const CHUNK = 8_200;
  const START = Date.UTC(2020, 0, 1);
  /** Posts of the day before all others. */
  const IN_PAGE = 1_000;
  const WINDOW = `start_time=2019-12-31T00:00:00Z&end_time=2020-01-01T00:00:00Z`;
  /** Common words in sequence: of all queries, the ones that take longest in each chunk. */
  const QUERY = encodeURIComponent('"a storm" OR "storm of the" OR "of the sea"');
  const COUNT = `/2/tweets/counts/all?query=${QUERY}&granularity=hour&${WINDOW}`;

  const posts = (length: number, from: number, step: number): TestPost[] =>
    Array.from({ length }, (_, i) => ({
      id: BigInt(from + i),
      createdAt: from + i * step,
      text: i % 2 === 0 ? `a storm of the sea ${i % 97}` : `the rain of ${i}`,
    }));
  const inPage = posts(IN_PAGE, START - DAY_MS, 80 * SECOND_MS);

  const stored = (chunks: number) => {
    const service = startService({ posts: inPage, posted: true });
    for (let i = 0; i < chunks; i += 1) {
      service.add('posts', posts(CHUNK, START + i * 60 * DAY_MS, 10 * 60 * SECOND_MS));
    }
    const author = person(service, 'author');
    let made = 0;
    return {
      close: () => service.close(),
      page: async () => {
        const answer = await service.request(COUNT);
        const { meta } = (await answer.json()) as { meta: { total_tweet_count: number } };
        expect(meta.total_tweet_count).toBe(IN_PAGE / 2);
      },
      create: async () => {
        const { status } = await author.post('/2/tweets', { text: `storm number ${(made += 1)}` });
        expect(status).toBe(201);
      },
    };
  };

  let few: ReturnType<typeof stored>;
  let many: ReturnType<typeof stored>;
  beforeAll(() => {
    few = stored(CHUNKS.few);
    many = stored(CHUNKS.many);
  });
  afterAll(async () => {
    await few.close();
    await many.close();
  });

  it(`a page of counts costs at most ${MAX_GROWTH} times as much as over one`, async () => {
    expect(await growth(few.page, many.page)).toBeLessThanOrEqual(MAX_GROWTH);
  });

  it(`a created Post costs at most ${MAX_GROWTH} times as much as over one`, async () => {
    expect(await growth(few.create, many.create)).toBeLessThanOrEqual(MAX_GROWTH);
  });
});

it(`a deletion over 600 chunks costs at most ${MAX_GROWTH} times as much as over three`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundswell-growth-'));
  /** Several of them are slow by chance less often than a single one, and not once they are compiled. */
  const [PER_RUN, WARMING] = [4, 10];
  const deletions = (chunks: number) => {
    const db = openPosts(join(folder, `${chunks}.sqlite`), { random });
    const changes = changesOver(db, Date.now);
    const table = chunkTable(db);
    let last = BigInt(PER_RUN * (MAX_RUNS + WARMING));
    const post = (id: bigint) => newPost({ id, createdAt: 0, text: 'a storm' });
    db.write('fill', () => {
      for (let id = 1n; id <= last; id++) changes.create(post(id));
      for (let c = 1; c <= chunks; c++) {
        const builder = new ChunkBuilder();
        builder.add(last + BigInt(c), c * DAY_MS, post(last).terms);
        addChunk(table, builder.build());
      }
    });
    const run = (): void => {
      for (const end = last - BigInt(PER_RUN); last > end; last--) {
        expect(changes.remove(last).posts).toHaveLength(1);
      }
    };
    for (let i = 0; i < WARMING; i++) run();
    return { run, close: () => db.close() };
  };
  const [few, many] = [deletions(3), deletions(600)];
  expect(await growth(few.run, many.run)).toBeLessThanOrEqual(MAX_GROWTH);
  few.close();
  many.close();
  rmSync(folder, { recursive: true });
});

const RULES = { few: 200, many: long() ? 20_000 : 4000 };

describe(`with ${RULES.many} rules of streams that cannot match`, () => {
  const ids = Array.from({ length: 10 }, (_, i) => String(i + 1));
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundswell-growth-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Finds the rules of ten Posts, as the streams and the webhooks linked to them do for each new one. */
  const matching = (name: string, rules: number) => {
    const file = (of: string): string => join(folder, `${name}-${of}.sqlite`);
    writePosts(
      file('posts'),
      ids.map((id, i) => ({ id: BigInt(id), createdAt: i, text: 'a cat sat' })),
    );
    openPosts(file('sample'), { random }).close();
    const service = openService(file('service'), { random });
    const add = Array.from({ length: rules }, (_, i) => ({ value: `cat dog${i}`, tag: null }));
    const of = { stream: 'posts', app: '1' } as const;
    service.rules.change(of, { add }, { firstId: 1n, now: 0 });
    const at = { firstId: BigInt(rules + 1), now: 0 };
    const [cat] = service.rules.change(of, { add: [{ value: 'cat', tag: null }] }, at).added;
    const files = { posts: file('posts'), sample: file('sample') };
    const matcher = openMatcher({ host: here, files, rules: [service.rules] });
    return {
      match: async () => {
        expect(await matcher.match('posts', ids)).toEqual(ids.map(() => [cat?.id]));
      },
      close: async () => {
        await matcher.close();
        service.close();
      },
    };
  };

  it(`a new Post costs at most ${MAX_GROWTH} times as much as with 200`, async () => {
    const [few, many] = [matching('few', RULES.few), matching('many', RULES.many)];
    expect(await growth(few.match, many.match)).toBeLessThanOrEqual(MAX_GROWTH);
    await few.close();
    await many.close();
  });
});
