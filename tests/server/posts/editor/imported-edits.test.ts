import { writeFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { Includes } from '#core/import/includes.ts';
import { readV2Post } from '#core/import/v2.ts';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS } from '#core/time/span.ts';
import { finishDraft } from '#server/import/draft.ts';
import { IdMaker } from '#server/import/id-maker.ts';
import { importFiles } from '#server/import/import.ts';
import { OPEN_POSTS } from '#server/index/chunk.ts';
import { finish } from '#server/index/steps.ts';
import { checkPosts } from '#server/maintenance/check.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

const path = temporaryFolder();
const random = countingBytes();
const NOW = Date.UTC(2026, 10, 21);
const SPAN = { start: Date.UTC(2022, 8, 29), end: Date.UTC(2022, 8, 29) + 2 * DAY_MS };

const IDS = ['1575590109816209409', '1575590109816209500', '1575590109816209600'];

/** A version of one Post, as an answer has it: it names the versions that existed by then. */
function version(n: number): object {
  return {
    id: IDS[n - 1],
    text: `axolotl v${n}`,
    created_at: `2022-09-29T21:0${n}:00.000Z`,
    edit_history_tweet_ids: IDS.slice(0, n),
  };
}

const opened: Source[] = [];
afterEach(() => {
  for (const source of opened.splice(0)) source.close();
});

let stores = 0;
function newStore() {
  stores += 1;
  const store = path(`${stores}.sqlite`);
  let source: Source | null = null;
  return {
    /** Imports Posts, into a collection if it is named. */
    add: async (posts: readonly object[], collection?: string): Promise<void> => {
      const file = path(`${stores}.json`);
      writeFileSync(file, JSON.stringify(posts));
      const { signal } = new AbortController();
      const job = {
        files: [file],
        store,
        ...(collection && { collection: { name: collection, source: `import:${collection}` } }),
      };
      expect((await importFiles(job, { signal, now: () => NOW, random })).refused).toBe(0);
    },
    replay: (post: object): void => {
      const draft = readV2Post({ ...post }, new Includes(), []);
      const read = typeof draft === 'string' ? draft : finishDraft(draft, new IdMaker(), NOW);
      if (typeof read === 'string') throw new Error(read);
      const db = openPosts(store, { random });
      postChanges(db).addImported(read, SPAN.start);
      db.close();
    },
    /** The count of a query, by a source that stays open, and by one that reads all. */
    count: (query: string): number => {
      const parsed = parse(query, { own: true });
      if (!parsed.ok) throw new Error(query);
      if (!source) opened.push((source = openSource(store, { random })));
      source.refresh();
      const fresh = openSource(store, { random });
      opened.push(fresh);
      const [shown, all] = [source, fresh].map(({ index }) =>
        index.histogram(condition(parsed.ast, index), SPAN, 'hour').reduce((sum, n) => sum + n, 0),
      );
      expect(shown).toBe(all);
      return shown ?? Number.NaN;
    },
    versions: (id: string) => source?.posts.versions(BigInt(id)).map(String),
    expectSound: () => expect(finish(checkPosts(store, { random })).shown).toEqual([]),
  };
}

describe('of an edited Post that is imported, only the latest version counts', () => {
  it.each([
    ['in one file', [[1, 2, 3]]],
    ['in one file, newest first', [[3, 2, 1]]],
    ['one import after another', [[1], [2], [3]]],
    ['the latest first', [[3], [1], [2]]],
    ['the first one last', [[2], [3, 1]]],
    ['twice', [[1, 2, 3], [2, 1], [3]]],
  ])('%s', async (_how, imports) => {
    const store = newStore();
    for (const [i, versions] of imports.entries()) {
      await store.add(versions.map(version));
      const latest = Math.max(...imports.slice(0, i + 1).flat());
      expect(store.count('axolotl')).toBe(1);
      expect(store.count(`v${latest}`)).toBe(1);
    }
    for (const id of IDS) expect(store.versions(id)).toEqual(IDS);
    store.expectSound();
  });

  it('in the collections of all its versions', async () => {
    for (const order of [
      [1, 2],
      [2, 1],
    ]) {
      const store = newStore();
      for (const n of order) await store.add([version(n)], `file ${n}`);
      for (const n of order) expect(store.count(`axolotl in:"file ${n}"`)).toBe(1);
      await store.add([version(1)], 'again');
      expect(store.count('v2 in:again')).toBe(1);
      expect(store.count('axolotl')).toBe(1);
      store.expectSound();
    }
  });

  it('among more Posts than the open set has', async () => {
    const others = Array.from({ length: OPEN_POSTS + 10 }, (_, i) => ({
      id: String(1_575_590_000_000_000_000n + BigInt(i)),
      text: 'newt',
      created_at: '2022-09-29T21:00:00.000Z',
      edit_history_tweet_ids: [String(1_575_590_000_000_000_000n + BigInt(i))],
    }));
    const store = newStore();
    await store.add([version(1), ...others, version(2)]);
    expect(store.count('axolotl')).toBe(1);
    await store.add([version(3)]);
    expect([store.count('axolotl'), store.count('v3')]).toEqual([1, 1]);
    expect(store.count('newt')).toBe(others.length);
    store.expectSound();
  });

  it('one Post after another, as they happen', () => {
    const store = newStore();
    for (const n of [2, 1, 3]) {
      store.replay(version(n));
      expect([n, store.count('axolotl')]).toEqual([n, 1]);
    }
    expect(store.count('v3')).toBe(1);
    store.expectSound();
  });

  it('also where the file lacks it: the latest version that is there', async () => {
    const store = newStore();
    await store.add([{ ...version(2), edit_history_tweet_ids: IDS }, version(1)]);
    expect([store.count('axolotl'), store.count('v2')]).toEqual([1, 1]);
    store.expectSound();
  });
});

it('a history that does not name its own Post is no history', async () => {
  const store = newStore();
  await store.add([version(1), { ...version(2), edit_history_tweet_ids: [IDS[0], IDS[2]] }]);
  expect(store.count('axolotl')).toBe(2);
});
