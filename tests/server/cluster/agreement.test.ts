import { randomBytes as random } from 'node:crypto';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { ALL_TIME, DAY_MS, HOUR_MS, SECOND_MS } from '#core/time/span.ts';
import { clusterEditor } from '#server/cluster/editor.ts';
import { clusterImport } from '#server/cluster/import.ts';
import { clusterPosts } from '#server/cluster/posts.ts';
import type { ClusterReader } from '#server/cluster/reader.ts';
import { openCluster, type ClusterStore } from '#server/cluster/store.ts';
import { NEVER } from '#server/index/steps.ts';
import { editorOver, type PostEditor } from '#server/posts/editor/editor.ts';
import { factsOf } from '#server/posts/json/facts.ts';
import { openPosts, type NewPost } from '#server/posts/store/post-table.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { createWriter } from '#server/posts/editor/writer.ts';
import {
  hasClickHouse,
  startClickHouse,
  type ClickHouse,
} from '#tests/support/clickhouse/servers.ts';
import { long } from '#tests/support/run/long.ts';
import { query, variedPosts } from '#tests/support/data/varied-posts.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';

const NOTHING_LOCAL = { members: () => [], owners: () => undefined };

const START = Date.UTC(2020, 1, 29);
const POSTS = long() ? 6000 : 2000;
const RUNS = long() ? 1500 : 10;
/** Posts that are created, edited and deleted. */
const CHANGES = long() ? 20 : 2;
/** Posts are seconds apart. */
const STEP = 7 * SECOND_MS;

/** Long queries: name, number of parts, each part, and the text between them. The short form takes the first alone. */
const MANY = (
  [
    ['alternative phrases', 45, (i) => `"fox w${i}"`, ' OR '],
    ['words', 120, (i) => `w${i}`, ' '],
    ['words to leave out', 120, (i) => (i === 0 ? 'fox' : `-w${i}`), ' '],
    ['alternatives', 120, (i) => `w${i}`, ' OR '],
    ['phrases', 45, (i) => `"fox w${i}"`, ' '],
    ['words in a phrase', 110, (i) => (i === 0 ? '"fox' : i < 109 ? `w${i}` : 'dog"'), ' '],
  ] satisfies readonly [string, number, (i: number) => string, string][]
).slice(0, long() ? Infinity : 1);
/** Groups within each other, of which ClickHouse takes seconds to read many. */
const NESTED = long() ? 20 : 6;

function rowOf(post: IndexablePost, i: number): NewPost {
  const lang = post.lang ?? null;
  const columns = {
    authorId: post.authorId ?? null,
    username: post.username ?? null,
    text: post.text,
    lang,
    rest: null,
  };
  const createdAt = START + i * STEP;
  const facts = factsOf(post, columns);
  return { id: BigInt(i + 1), createdAt, ...columns, facts, terms: termsOf(post) };
}

/** Any bounds: seconds around the Posts, and ids. */
const bounds = fc.record({
  start: fc.integer({ min: -100, max: (POSTS * STEP) / SECOND_MS }),
  length: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 60_000 })),
  isWhole: fc.boolean(),
  granularity: fc.constantFrom<Granularity>('minute', 'hour', 'day'),
  since: fc.option(fc.integer({ min: 0, max: POSTS }), { nil: undefined, freq: 4 }),
  until: fc.option(fc.integer({ min: 0, max: POSTS }), { nil: undefined, freq: 4 }),
});

function parsed(text: string, source: Source) {
  // Lists are in the data folder only.
  const read = parse(text.replaceAll(/-?list:\d /g, ''), { product: 'recent', own: true });
  if (!read.ok) throw new Error(`${text}: ${read.diagnostics[0]?.message}`);
  return condition(read.ast, { members: () => [], collection: source.index.collection });
}

/** The short form takes the harder of the two: each shard counts as one server does. */
const SHAPES = [
  { name: 'two shards', shape: [1, 1] },
  ...(long() ? [{ name: 'one server', shape: undefined }] : []),
];

describe.runIf(hasClickHouse()).each(SHAPES)('$name', ({ shape }) => {
  let servers: ClickHouse;
  let store: ClusterStore;
  let source: Source;
  let editors: readonly [PostEditor, PostEditor];
  let reader: ClusterReader;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const file = temporaryFolder()('posts');
    servers = await startClickHouse(shape);
    ends.push(() => servers.stop());
    store = await openCluster(servers.address('law'), random);
    ends.push(() => store.close());
    const rows = variedPosts(POSTS).map(rowOf);
    const into = (source: string) => ({ source, now: () => START });
    const db = openPosts(file, { random });
    const writer = await store.writer();
    // Half of the Posts in one collection, all but the first tenth in another.
    for (const [name, part] of [
      ['half', rows.slice(0, POSTS / 2)],
      ['most', rows.slice(POSTS / 10)],
    ] as const) {
      const own = createWriter(openPosts(file, { random }), into(name));
      own.add(part);
      own.finish({ read: part.length, kinds: new Set(['csv']), isWhole: true });
      own.close();
      const other = clusterImport(writer, into(name));
      await other.add(part, name);
      await other.finish({ read: part.length, kinds: new Set(['csv']), isWhole: true });
      await other.close();
    }
    source = openSource(file, { random });
    ends.push(() => source.close());
    const local = editorOver(db, () => START);
    ends.push(() => db.close());
    editors = [local, clusterEditor(store, async () => writer, local)];
    reader = store.reader(await store.state());
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
  });

  const refresh = async (): Promise<void> => {
    source.refresh();
    reader = store.reader(await store.state());
  };

  async function agree(runs: number): Promise<void> {
    await fc.assert(
      fc.asyncProperty(query, bounds, async (text, { start, length, isWhole, ...of }) => {
        const wanted = parsed(text, source);
        const from = START + start * SECOND_MS;
        const to = from + length * SECOND_MS;
        const span = isWhole
          ? {
              start: Math.floor(from / HOUR_MS) * HOUR_MS,
              end: Math.ceil(to / HOUR_MS) * HOUR_MS,
            }
          : { start: from, end: to };
        const ids = {
          ...(of.since !== undefined && { since: BigInt(of.since) }),
          ...(of.until !== undefined && { until: BigInt(of.until) }),
        };
        const right = source.index.histogram(wanted, span, of.granularity, ids);
        const counts = await reader.histogram(wanted, span, of.granularity, ids);
        expect(counts, `${text} ${JSON.stringify([span, of])}`).toEqual(right);
      }),
      { numRuns: runs },
    );
  }

  /** Counts a query over the first day by hour. */
  async function sameCounts(text: string): Promise<void> {
    const wanted = parsed(text, source);
    const span = { start: START, end: START + DAY_MS };
    const counts = await reader.histogram(wanted, span, 'hour');
    expect(counts).toEqual(source.index.histogram(wanted, span, 'hour'));
  }

  test('any query with any bounds counts as the index does', async () => {
    await agree(RUNS);
  });

  test.each([
    'fox',
    '"fox cat"',
    '"cat cat"',
    '"fox cat dog"',
    'min_likes:0',
    'min_likes:0 lang:en',
    'min_likes:0 is:retweet',
    'fox in:half',
    '-in:half fox',
    'fox -in:most',
    'fox OR cat OR "cola fox"',
    'from:12',
  ])('%s counts as the index does', async (text) => {
    const wanted = parsed(text, source);
    const span = { start: START, end: START + DAY_MS };
    for (const granularity of ['minute', 'hour', 'day'] as const) {
      const counts = await reader.histogram(wanted, span, granularity);
      expect(counts).toEqual(source.index.histogram(wanted, span, granularity));
    }
  });

  test.each([
    [['12'], 'fox'],
    [['12', '14'], 'min_likes:0'],
    [['13'], '"fox cat" -in:half'],
    [['12', '13', '14', '99'], 'fox OR cat'],
    [['12'], 'from:12 OR from:13'],
  ])('without the Posts of %o, %s counts and finds as the index does', async (users, text) => {
    const wanted = parsed(text, source);
    const span = { start: START, end: START + DAY_MS };
    const seen = store.reader(await store.state(), users);
    const step = source.over(function* (whole) {
      const state = yield* whole.without(users, NEVER);
      return {
        counts: yield* state.histogram(wanted, span, 'hour', {}, NEVER),
        newest: yield* state.newest(wanted, span, 50, {}, NEVER),
      };
    })(NEVER);
    if (!step.done) throw new Error('expected work without pauses');
    expect(await seen.histogram(wanted, span, 'hour')).toEqual(step.value.counts);
    expect(await seen.newest(wanted, span, 50)).toEqual(step.value.newest);
  });

  test('and so it does after Posts were created, edited, deleted and created again', async () => {
    const made = variedPosts(POSTS + 60).slice(POSTS);
    const both = async (work: (editor: PostEditor) => Promise<unknown>): Promise<void> => {
      const [own, other] = [await work(editors[0]), await work(editors[1])];
      expect(other).toEqual(own);
    };
    // Only SQLite deletes in parts.
    const removed = async (editor: PostEditor, id: bigint): Promise<unknown> => {
      const posts = [];
      for (let isWhole = false; !isWhole;) {
        const [part] = await editor.write({ what: 'remove', of: [id] });
        posts.push(...part.posts);
        isWhole = part.isWhole;
      }
      return posts.sort((a, b) => (a.id < b.id ? -1 : 1));
    };
    for (let i = 0; i < CHANGES; i++) {
      const created = rowOf(made[i]!, POSTS + i);
      await both(({ write }) => write({ what: 'create', of: [created] }));
      const edited = rowOf(made[20 + i]!, POSTS + 100 + i);
      const previous = BigInt(1 + i * 13);
      await both(({ write }) => write({ what: 'edit', of: [previous, edited] }));
      await both((editor) => removed(editor, BigInt(5 + i * 17)));
      if (i % 4 !== 0) continue;
      // A deleted Post comes again with another content, and an edited one goes with its versions.
      const again = { ...rowOf(made[40 + i]!, 4 + i * 17), id: BigInt(5 + i * 17) };
      await both(({ write }) => write({ what: 'create', of: [again] }));
      await both((editor) => removed(editor, edited.id));
    }
    await expect(
      editors[1].write({ what: 'create', of: [rowOf(made[0]!, POSTS)] }),
    ).rejects.toThrow('exists already');
    await refresh();
    expect((await store.state()).posts).toBe(source.index.posts);
    const { first, last } = await store.state();
    expect([first, last]).toEqual([source.index.first, source.index.last]);
    await agree(RUNS);
  });

  test.each(
    MANY.map(([name, n, part, between]) => ({
      name,
      text: Array.from({ length: n }, (_, i) => part(i)).join(between),
    })),
  )('a query of many $name counts as the index does', async ({ text }) => {
    await sameCounts(text);
  });

  test('a query of nested groups counts as the index does', async () => {
    let text = 'fox';
    for (let i = 0; i < NESTED; i++) text = `cat (w${i} OR "red dog" OR (-w${i} ${text}))`;
    await sameCounts(text);
  });

  test('what changed since a revision is where the Posts are', async () => {
    const before = await store.state();
    const created = rowOf({ text: 'new' }, POSTS + 500);
    await editors[1].write({ what: 'create', of: [created] });
    const after = await store.state();
    const second = Math.floor(created.createdAt / SECOND_MS) * SECOND_MS;
    expect(await store.changes(before.revision, before.mark, after)).toEqual([
      { start: second, end: second + SECOND_MS },
    ]);
    expect(await store.changes(after.revision, after.mark, after)).toEqual([]);
    expect(await store.changes(before.revision, after.mark, after)).toBeNull();
    expect(await store.changes(after.revision + 1, after.mark, after)).toBeNull();
  });

  test('who is protected is read as it is now, and counted again once', async () => {
    const writer = await store.writer();
    const posts = clusterPosts(store, NOTHING_LOCAL);
    const protect = async (id: string, isProtected: boolean): Promise<void> =>
      await writer.write({
        objects: [{ kind: 'users', key: id, json: JSON.stringify({ id, protected: isProtected }) }],
      });
    const users = async () => (await posts.protection()).protectedUsers();
    await protect('13', true);
    await protect('12', true);
    await writer.write({ objects: [{ kind: 'tweets', key: '1', json: '{"protected":true}' }] });
    expect(await users()).toEqual(['12', '13']);
    await protect('13', false);
    expect(await users()).toEqual(['12']);
    expect((await clusterPosts(store, NOTHING_LOCAL).protection()).protectedUsers()).toEqual([
      '12',
    ]);
    const editor = clusterEditor(store, async () => writer, editors[0]);
    const { revision, mark } = await store.state();
    for (let i = 0; i < 2; i++) await editor.write({ what: 'noteProtected', of: [7] });
    const state = await store.state();
    expect([state.protected, state.revision]).toEqual([7, revision + 1]);
    expect(await store.changes(revision, mark, state)).toEqual([ALL_TIME]);
    await protect('12', false);
    expect(await users()).toEqual([]);
  });
});
