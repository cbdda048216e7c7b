import { constants, copyFileSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { openWriter } from '#server/posts/editor/writer.ts';
import { reindex } from '#server/maintenance/reindex.ts';
import { compactIndex } from '#server/maintenance/compact.ts';
import { openSource, SourceClosedError, type Slice } from '#server/posts/index/source.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { Expected, makePost } from './changing-posts.ts';
import { numbers } from '#tests/server/index/corpus.ts';
import { long } from '#tests/support/run/long.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

const file = temporaryFolder();
const random = countingBytes();
const always = (): boolean => true;

/** A file with a small chunk and a larger one, made once and copied. */
const made = { name: file('made'), expected: new Expected() };
beforeAll(() => {
  const pick = numbers(7);
  const add = (from: number, n: number): void => {
    const writer = openWriter(made.name, { random });
    const posts = Array.from({ length: n }, (_, i) => makePost(BigInt(from + i), pick));
    writer.add(posts);
    writer.finish();
    writer.close();
    for (const post of posts) made.expected.add(post);
  };
  add(1, 600);
  const db = openPosts(made.name, { random });
  for (const _ of reindex(db));
  db.close();
  add(10_000, 8195);
});

function copied(name: string): Expected {
  copyFileSync(made.name, name, constants.COPYFILE_FICLONE);
  return made.expected.copy();
}

test.each(long() ? [1, 2, 3, 4, 5, 6] : [1])(
  'counting in steps gives the counts of one revision, whatever is written in between (seed %i)',
  (seed) => {
    const name = file(`states-${seed}`);
    const pick = numbers(seed);
    const expected = copied(name);
    const db = openPosts(name, { random });
    db.exec('PRAGMA synchronous = OFF');
    const changes = postChanges(db);
    const source = openSource(name, { random });
    let work: Generator<unknown> | null = null;
    let next = 100_000n;
    /** The expected counts by revision and query. */
    const expectedAt = new Map<number, string[]>();
    const note = (): void => {
      source.refresh();
      expectedAt.set(source.index.revision, expected.counts());
    };
    const anyId = (): bigint => {
      let id = BigInt(pick(20_000));
      while (!expected.posts.has(id)) id = BigInt(pick(20_000));
      return id;
    };
    const write = (): void => {
      switch (pick(5)) {
        case 0: {
          const post = makePost(next++, pick);
          changes.create(post);
          expected.add(post);
          break;
        }
        case 1: {
          const [previous, post] = [anyId(), makePost(next++, pick)];
          changes.edit(previous, post);
          expected.remove(previous);
          expected.add(post);
          break;
        }
        case 2: {
          const id = anyId();
          changes.remove(id);
          expected.remove(id);
          break;
        }
        default:
          work ??= pick(2) === 0 ? reindex(db) : compactIndex(db);
          for (let n = pick(60); n >= 0 && work; n--) if (work.next().done) work = null;
      }
      note();
    };
    note();
    const compare = (
      query: number,
      slice: Slice<{ revision: number; counts: Uint32Array }>,
    ): number => {
      for (let pauses = 0; ; pauses++) {
        const step = slice(always);
        if (step.done) {
          expect(String([...step.value.counts])).toBe(expectedAt.get(step.value.revision)?.[query]);
          return pauses;
        }
        if (pick(2) === 0) write();
      }
    };
    let pauses = 0;
    for (let round = 0; round < (long() ? 200 : 10); round++) {
      const query = pick(Expected.conditions.length);
      pauses += compare(
        query,
        source.over(function* (state, due) {
          const condition = Expected.conditions[query]!;
          const counts = yield* state.histogram(condition, Expected.span, 'day', {}, due);
          return { revision: state.revision, counts };
        }),
      );
    }
    // It did pause: otherwise nothing was written in between.
    expect(pauses).toBeGreaterThan(30);
    source.close();
    db.close();
  },
);

test('a chunk that is replaced and removed between two steps is not read as empty', () => {
  const name = file('cleared');
  const expected = copied(name);
  const db = openPosts(name, { random });
  const source = openSource(name, { random });
  const [cat] = Expected.conditions;
  const slice = source.over((state, due) => state.histogram(cat!, Expected.span, 'day', {}, due));
  expect(slice(always).done).toBe(false);
  for (const _ of reindex(db));
  for (;;) {
    const step = slice(always);
    if (!step.done) continue;
    expect(String([...step.value])).toBe(expected.counts()[0]);
    break;
  }
  source.close();
  db.close();
});

test('work over a source that was closed meanwhile ends with a specific error', () => {
  const source = openSource(file('closed'), { random });
  const slice = source.over(function* () {
    yield;
    return 1;
  });
  expect(slice(always).done).toBe(false);
  source.close();
  expect(() => slice(always)).toThrow(SourceClosedError);
});
