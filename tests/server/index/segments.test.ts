import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { extent, histogram } from '#server/index/counting.ts';
import { OpenSegments } from '#server/index/segments.ts';
import { runs } from '#tests/support/run/runs.ts';
import { condition, corpus, holds } from './corpus.ts';

const START = Date.UTC(2019, 0, 1);
const SPAN = { start: START, end: START + 90 * 86_400_000 };
const ALL = corpus(3000, 21, START).map((post, i) => ({ ...post, n: i + 1 }));

test('Posts added in any portions count as if added at once', () => {
  const portions = fc.array(fc.oneof(fc.constant(1), fc.nat(40)), { minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(portions, condition, (sizes, c) => {
      const open = new OpenSegments();
      let added = 0;
      for (const size of sizes) {
        open.add(ALL.slice(added, added + size));
        added += size;
      }
      const there = ALL.slice(0, Math.min(added, ALL.length));
      const counts = histogram(open.chunks, c, SPAN, 'day');
      expect(extent(open.chunks).posts).toBe(there.length);
      expect(counts.reduce((a, b) => a + b, 0)).toBe(
        there.filter((post) => holds(c, post.terms)).length,
      );
    }),
    { numRuns: runs(60) },
  );
});

test('added one by one they stay in a few chunks, none of which is rebuilt often or large', () => {
  const open = new OpenSegments();
  let built = 0;
  for (const post of ALL) {
    const before = new Set(open.chunks);
    open.add([post]);
    let once = 0;
    for (const chunk of open.chunks) if (!before.has(chunk)) once += chunk.n;
    expect(once).toBeLessThanOrEqual(512);
    built += once;
    expect(open.chunks.length).toBeLessThanOrEqual(3 * 7 + Math.ceil(ALL.length / 512));
  }
  expect(built).toBeLessThanOrEqual(ALL.length * 4);
});

test('deleted or dropped Posts no longer count, however the rest is merged afterwards', () => {
  const step = fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 300 }) }),
    fc.record({ markDeleted: fc.nat() }),
    fc.record({ drop: fc.nat(400) }),
  );
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), condition, (steps, c) => {
      const open = new OpenSegments();
      let added = 0;
      let dropped = 0;
      const dead = new Set<number>();
      for (const each of steps) {
        if ('add' in each) {
          open.add(ALL.slice(added, added + each.add));
          added = Math.min(added + each.add, ALL.length);
        } else if ('markDeleted' in each) {
          const n = (each.markDeleted % (added + 2)) + 1;
          open.markDeleted([n]);
          if (n <= added) dead.add(n);
        } else {
          dropped = Math.min(dropped + each.drop, added);
          open.drop(dropped);
        }
      }
      const there = ALL.slice(dropped, added).filter((post) => !dead.has(post.n));
      const instants = there.map((post) => post.createdAt);
      expect(extent(open.chunks)).toEqual({
        posts: there.length,
        first: there.length === 0 ? null : Math.min(...instants),
        last: there.length === 0 ? null : Math.max(...instants),
      });
      const counts = histogram(open.chunks, c, SPAN, 'day');
      expect(counts.reduce((a, b) => a + b, 0)).toBe(
        there.filter((post) => holds(c, post.terms)).length,
      );
    }),
    { numRuns: runs(100) },
  );
});
