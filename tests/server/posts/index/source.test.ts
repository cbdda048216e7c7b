import { expect, test } from 'vitest';
import type { Condition } from '#core/query/ast.ts';
import { DAY_MS } from '#core/time/span.ts';
import { composePost } from '#server/posts/editor/compose.ts';
import { openWriter } from '#server/posts/editor/writer.ts';
import { openDb } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { openSource } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { postChanges } from '#server/posts/editor/post-changes.ts';

const file = temporaryFolder();
const random = countingBytes();
const DAY = Date.UTC(2020, 1, 29);
const SPAN = { start: DAY, end: DAY + 400 * DAY_MS };
const X: Condition = { kind: 'term', term: 'x' };

function add(name: string, ...posts: [id: bigint, createdAt: number][]): void {
  const writer = openWriter(name, { random });
  writer.add(
    posts.map(([id, createdAt]) => ({
      id,
      createdAt,
      authorId: '7',
      username: 'Ann',
      text: 'x',
      lang: null,
      rest: null,
      facts: null,
      terms: { words: ['x'], urlWords: [], flags: ['from:ann', 'from:7'] },
    })),
  );
  writer.finish();
  writer.close();
}

const total = (counts: Uint32Array): number => counts.reduce((a, b) => a + b, 0);

test('an empty file has a unique id, which stays', () => {
  const [one, other] = [openSource(file('one'), { random }), openSource(file('other'), { random })];
  expect(one.index).toMatchObject({ revision: 0, posts: 0, first: null, last: null });
  expect(one.index.store).toMatch(/^[0-9a-f]{32}$/);
  expect(one.index.store).not.toBe(other.index.store);
  expect(total(one.index.histogram({ kind: 'not', of: X }, SPAN, 'day'))).toBe(0);
  expect(one.index.changesSince(0, one.index.mark)).toEqual([]);
  const { store } = one.index;
  one.close();
  other.close();
  const again = openSource(file('one'), { random });
  expect(again.index.store).toBe(store);
  again.close();
});

test('a commit of another connection is visible after a refresh, and not before', () => {
  const name = file('refresh');
  const source = openSource(name, { random });
  add(name, [1n, DAY], [2n, DAY + 5]);
  expect(source.index.posts).toBe(0);
  source.refresh();
  expect(source.index).toMatchObject({ revision: 1, posts: 2, first: DAY, last: DAY + 5 });
  add(name, [3n, DAY - 1]);
  source.refresh();
  expect(source.index).toMatchObject({ revision: 2, posts: 3, first: DAY - 1, last: DAY + 5 });
  expect(total(source.index.histogram(X, SPAN, 'minute'))).toBe(2);
  source.close();
});

test('while another connection writes, reading continues from committed data', () => {
  const name = file('writing');
  add(name, [1n, DAY]);
  const source = openSource(name, { random });
  const other = openDb(name);
  other.write('test', () => {
    other.exec('DELETE FROM open_post');
    other.exec(`UPDATE meta SET value = '99' WHERE key = 'revision'`);
    source.refresh();
    expect(source.index.revision).toBe(1);
    expect(total(source.index.histogram(X, SPAN, 'day'))).toBe(1);
    const late = openSource(name, { random });
    expect(late.index.posts).toBe(1);
    late.close();
  });
  other.close();
  source.close();
});

test('authors are found by folded name and by id', () => {
  const name = file('users');
  add(name, [1n, DAY]);
  const { over, close } = openSource(name, { random });
  const known = (user: string) =>
    over(function* (state, due) {
      if (due()) yield;
      return state.hasUser(user);
    })(() => false).value;
  for (const [user, expected] of [
    ['ann', true],
    ['7', true],
    ['Ann', false],
    ['8', false],
  ] as const) {
    expect(known(user)).toBe(expected);
  }
  close();
});

test('reports the spans that changed since a revision, and null for an unknown one', () => {
  const name = file('changes');
  const { index, refresh, close } = openSource(name, { random });
  const marks = [index.mark];
  add(name, [1n, DAY + 500], [2n, DAY + 1500]);
  refresh();
  marks.push(index.mark);
  add(name, [3n, DAY + 30 * DAY_MS], [4n, DAY + 100 * DAY_MS + 1]);
  refresh();
  marks.push(index.mark);
  // Each addition covers the time between its Posts too.
  const [first, second] = [
    { start: DAY, end: DAY + 60_000 },
    { start: DAY + 30 * DAY_MS, end: DAY + 100 * DAY_MS + 60_000 },
  ];
  expect(index.changesSince(0, marks[0]!)).toEqual([first, second]);
  expect(index.changesSince(1, marks[1]!)).toEqual([second]);
  expect(index.changesSince(2, marks[2]!)).toEqual([]);
  for (const unknown of [3, -1, 0.5, Number.NaN]) {
    expect(index.changesSince(unknown, marks[2]!)).toBeNull();
  }
  expect(new Set(marks).size).toBe(3);
  for (const wrong of [marks[0]!, '', null]) expect(index.changesSince(1, wrong)).toBeNull();
  close();
});

test('a store covers the minutes from its first to its last Post, and the present once Posts are created in it', () => {
  const name = file('coverage');
  const source = openSource(name, { random });
  expect(source.index.covered).toEqual([]);
  add(name, [1n, DAY + 61_000], [2n, DAY + 5 * DAY_MS]);
  source.refresh();
  const start = DAY + 60_000;
  expect(source.index.covered).toEqual([{ start, end: DAY + 5 * DAY_MS + 60_000 }]);
  const db = openPosts(name, { random });
  postChanges(db).create(
    composePost({ id: '7', username: 'Ann' }, { text: 'x', lang: 'und' }, 3n, DAY + 90_000),
  );
  db.close();
  source.refresh();
  expect(source.index.covered).toEqual([{ start, end: Infinity }]);
  source.close();
  const reopened = openSource(name, { random });
  expect(reopened.index.covered).toEqual([{ start, end: Infinity }]);
  reopened.close();
});
