import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { readArchiveEntry } from '#core/import/archive.ts';
import { readColumns } from '#core/import/columns.ts';
import { planTable } from '#core/import/table.ts';
import { finishDraft } from '#server/import/draft.ts';
import type { Draft } from '#core/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import { Includes } from '#core/import/includes.ts';
import type { Json } from '#core/import/json.ts';
import { readV2Post } from '#core/import/v2.ts';
import { readFiles } from '#server/import/import.ts';
import { factsOf, flagsOf } from '#server/posts/json/facts.ts';
import { samplePosts } from '#server/sample/posts.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';
import type { StoredObject } from '#server/posts/store/object-table.ts';
import {
  openPosts,
  postTable,
  type NewPost,
  type PostRow,
} from '#server/posts/store/post-table.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { postFiles, realData } from '#tests/support/data/posts.ts';
import { archiveEntry, included, indexable, text, v2Post } from '#tests/server/import/made-rows.ts';

const NOW = Date.UTC(2026, 10, 21);
const RUNS = { numRuns: long() ? 20_000 : 100 };
const TIMEOUT = { timeout: long() ? 1_800_000 : 60_000 };
const ids = new IdMaker();
const db = openPosts(temporaryFolder()('posts'), { random: countingBytes() });
db.exec('PRAGMA synchronous = OFF');
afterAll(() => db.close());
const table = postTable(db);
const none = (): null => null;

/** The rows of Posts as read from the file. */
function stored(posts: readonly NewPost[]): PostRow[] {
  db.exec('DELETE FROM post');
  db.write('test', () =>
    table.insert(
      posts.map(({ terms, ...post }) => ({ ...post, flags: flagsOf(terms), collections: null })),
    ),
  );
  return posts.map(({ id }) => {
    const row = table.get(id);
    if (!row) throw new Error(`Post ${id} is not there`);
    return row;
  });
}

function finish(draft: Draft | string): NewPost {
  const post = typeof draft === 'string' ? draft : finishDraft(draft, ids, NOW);
  if (typeof post === 'string') throw new Error(post);
  return post;
}

function expectSameTerms(
  posts: readonly NewPost[],
  find: (list: string, key: string) => string | null = none,
  change: (row: PostRow) => PostRow = (row) => row,
): void {
  const rows = stored(posts).map(change);
  const [found, expected] = [
    rows.map((row) => termsOf(storedPost(row, find))),
    posts.map((p) => p.terms),
  ];
  // Texts are compared much faster; a difference is shown as one of terms.
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

/** Posts of an answer, and the objects stored with them. */
function answer(
  raw: readonly Json[],
  includes: unknown,
): { posts: NewPost[]; retained: StoredObject[] } {
  const known = new Includes();
  const retained = known.addAll(includes);
  return { posts: raw.map((post) => finish(readV2Post(post, known, retained))), retained };
}

/** A text as a text column returns it. */
const ALTERED = /[\0\p{Surrogate}]/u;

describe('a stored Post has the terms that it was added with', TIMEOUT, () => {
  it('for any Post, with columns that agree or not', () => {
    const columns = fc.record({ text, username: fc.option(text), authorId: fc.option(text) });
    fc.assert(
      fc.property(indexable, fc.option(columns), (post: IndexablePost, other) => {
        const { username = null, authorId = null, lang = null } = post;
        const row = { text: post.text, username, authorId, lang, rest: null, ...other };
        const facts = factsOf(post, row);
        expectSameTerms([{ id: 1n, createdAt: NOW, ...row, facts, terms: termsOf(post) }]);
      }),
      RUNS,
    );
  });

  it('from a CSV row, which needs facts only for a text that no column can store, or that names a reposted author', () => {
    const header = ['created_at', 'author', 'text', 'lang', 'is_retweet', 'is_reply', 'region'];
    const planOf = (fields: string[]) =>
      planTable([{ kind: 'columns', line: 1, fields }], {}, {}, NOW);
    const plans = [planOf(header), planOf(header.slice(0, 3))];
    const bool = fc.constantFrom('', 'true', 'false');
    const fields = fc.tuple(
      fc.constant('2017-08-27T04:05:34Z'),
      fc.constantFrom('', '@ann', 'Bob'),
      text,
      fc.constantFrom('', 'en'),
      bool,
      bool,
      fc.constantFrom('', 'x'),
    );
    fc.assert(
      fc.property(fields, fc.constantFrom(...plans), (all, plan) => {
        const post = finish(readColumns(plan, all.slice(0, plan.width)));
        expectSameTerms([post]);
        const isRepost = plan.at.is_retweet === -1 && /^RT @\w+:/.test(post.text);
        expect(post.facts === null).toBe(!ALTERED.test(post.text) && !isRepost);
      }),
      RUNS,
    );
  });

  it('from a v2 answer or a Post that twarc flattened', () => {
    fc.assert(
      fc.property(fc.array(v2Post, { maxLength: 3 }), included, (raw, includes) =>
        expectSameTerms(answer(raw, includes).posts),
      ),
      RUNS,
    );
  });

  it('from an archive', () => {
    fc.assert(
      fc.property(archiveEntry, (entry) =>
        expectSameTerms([finish(readArchiveEntry(entry, { id: '42', username: 'Owner' }))]),
      ),
      RUNS,
    );
  });

  it('from the sample', () => {
    let days = 0;
    for (const { data, includes } of samplePosts(NOW, 1)) {
      const known = new Includes();
      known.addAll(includes);
      expectSameTerms(data.map((raw) => finish(readV2Post(raw, known, []))));
      days += 1;
      if (days === (long() ? 400 : 10)) break;
    }
  });
});

describe('a row without facts, of an older format, gives the same terms', TIMEOUT, () => {
  const withoutFacts = (row: PostRow): PostRow => ({ ...row, facts: null });
  const retained = ({ text, username }: NewPost): boolean => !ALTERED.test(text + username);

  it('from the rest of a v2 Post and the objects it refers to', { tags: 'long' }, () => {
    fc.assert(
      fc.property(v2Post, included, (post, includes) => {
        const { columns: _, ...raw } = post;
        const { posts, retained: objects } = answer([raw], includes);
        const found = new Map(objects.map(({ kind, key, json }) => [`${kind} ${key}`, json]));
        fc.pre(posts.every(retained) && found.size === objects.length);
        expectSameTerms(posts, (kind, key) => found.get(`${kind} ${key}`) ?? null, withoutFacts);
      }),
      RUNS,
    );
  });

  it('from the rest of an archive entry', () => {
    fc.assert(
      fc.property(archiveEntry, (entry) => {
        const post = finish(readArchiveEntry(entry, { id: '42', username: 'Owner' }));
        fc.pre(retained(post));
        expectSameTerms([post], none, withoutFacts);
      }),
      RUNS,
    );
  });

  test.each(['[1]', '3', '{"a":'])('unless its rest is %s', (rest) => {
    const row = { id: 5n, createdAt: NOW, authorId: null, username: null, text: 'x', lang: null };
    expect(() =>
      storedPost({ ...row, flags: 0, rest, facts: null, collections: null }, none),
    ).toThrow(/expected an object in rest of Post 5|JSON/);
  });
});

const data = realData();
describe.runIf(data)('real Posts have the terms that they were added with', TIMEOUT, () => {
  const samples = ['tweets.js', 'v2-edited.jsonl', 'v2-cashtags.jsonl'];
  const files = data
    ? [...samples.map((name) => join(data, 'samples', name)), ...postFiles(data, '')]
    : [];

  test.each(files)('%s', { tags: 'long' }, async (file) => {
    const most = long() ? Infinity : 2000;
    let compared = 0;
    const job = { files: [file], store: '' };
    for await (const { posts } of readFiles(job, NOW, new AbortController().signal)) {
      expectSameTerms(posts);
      compared += posts.length;
      if (compared >= most) break;
    }
    expect(compared).toBeGreaterThan(0);
  });
});
