import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { changedSpans, revisions } from '#server/posts/store/revision.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';

const file = temporaryFolder();
const instants = fc
  .array(fc.oneof(fc.nat(400 * DAY_MS), fc.nat(1000)), { maxLength: 200 })
  .map((list) => list.sort((a, b) => a - b));

test('changed spans contain every instant, are whole seconds, ascending, and at most 64', () => {
  fc.assert(
    fc.property(instants, (all) => {
      const spans = changedSpans(all);
      expect(spans.length).toBeLessThanOrEqual(64);
      for (const at of all) expect(spans.some((s) => s.start <= at && at < s.end)).toBe(true);
      for (const [i, { start, end }] of spans.entries()) {
        expect([start % 1000, end % 1000]).toEqual([0, 0]);
        expect(start).toBeLessThan(end);
        if (i > 0) expect(start - spans[i - 1]!.end).toBeGreaterThanOrEqual(DAY_MS);
      }
    }),
  );
});

test('changed spans begin and end with an instant', () => {
  fc.assert(
    fc.property(instants, (all) => {
      const seconds = new Set(all.map((at) => Math.floor(at / 1000) * 1000));
      for (const { start, end } of changedSpans(all)) {
        expect(seconds.has(start) && seconds.has(end - 1000)).toBe(true);
      }
    }),
  );
});

test('old changes are removed, and reported as unknown', () => {
  const db = openPosts(file('forgotten'), { random: countingBytes() });
  const known = revisions(db);
  db.write('test', () => {
    for (let i = 0; i < 5000; i++) known.raise([{ start: i * 1000, end: i * 1000 + 1000 }]);
  });
  const since = (revision: number) => known.changes(revision, known.mark(revision), 5000);
  expect(known.current()).toBe(5000);
  expect(since(0)).toBeNull();
  expect(since(4999)).toEqual([{ start: 4_999_000, end: 5_000_000 }]);
  const rows = Number(db.prepare('SELECT count(*) FROM change').get()![0]);
  expect(rows).toBeLessThanOrEqual(4096);
  // From the oldest stored one on, and not one earlier.
  expect(since(5000 - rows)).toEqual([{ start: (5000 - rows) * 1000, end: 5_000_000 }]);
  expect(since(5000 - rows - 1)).toBeNull();
  const marks = Number(db.prepare('SELECT count(*) FROM revision_mark').get()![0]);
  expect(marks).toBe(rows + 1);
  db.close();
});
