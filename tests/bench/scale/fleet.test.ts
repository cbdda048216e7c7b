import { describe, expect, it } from 'vitest';
import { cellPosts, delayed, largestOf, newestRate, postsOf, refusedShare } from './fleet.ts';

describe('cells', () => {
  it('hold all Posts together, the newest nearly twice the mean', () => {
    const [posts, cells] = [1e12, 236];
    const all = Array.from({ length: cells }, (_, cell) => cellPosts(posts, cells, cell));
    expect(all.reduce((sum, n) => sum + n, 0)).toBeCloseTo(posts, -1);
    expect(all.at(-1)! / (posts / cells)).toBeCloseTo(2, 1);
    expect(newestRate(posts, cells) * 31 * 86_400).toBeCloseTo(2 * (posts / cells), -1);
  });
});

describe('a fleet', () => {
  it('of twice the copies holds half the Posts', () => {
    expect(postsOf({ nodes: 100, copies: 2 }, 10)).toBe(500);
    expect(postsOf({ nodes: 100, copies: 1 }, 10)).toBe(1000);
  });

  it('refuses a page if no copy of one of its parts works', () => {
    expect(refusedShare({ nodes: 10, copies: 1 }, 1, 10)).toBe(1);
    expect(refusedShare({ nodes: 10, copies: 1 }, 1, 1)).toBeCloseTo(0.1, 12);
    expect(refusedShare({ nodes: 10, copies: 2 }, 1, 2)).toBeCloseTo(2 / 90, 12);
    expect(refusedShare({ nodes: 10, copies: 2 }, 10, 1)).toBe(0);
    // The second half of ten parts lies on the same pairs of nodes as the first.
    const pairs = { nodes: 10, copies: 2 };
    expect(refusedShare(pairs, 10, 4)).toBe(refusedShare(pairs, 5, 4));
  });
});

describe('many answers', () => {
  it('are as late as the slowest', () => {
    expect(largestOf(1)).toBe(1);
    expect(largestOf(4)).toBeCloseTo(25 / 12, 12);
    expect(delayed(0.01, 1)).toBeCloseTo(0.01, 12);
    expect(delayed(0.01, 100)).toBeCloseTo(0.634, 3);
  });
});
