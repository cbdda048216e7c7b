import { describe, expect, it, vi } from 'vitest';
import { seriesStyle } from '#app/ui/series-style.ts';
import { Drawer } from '#app/insight/drawer.svelte.ts';
import { samplePosts } from '#app/insight/sampling.ts';
import type { Subject } from '#app/insight/inspected.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { posts, PostSource } from './a-source.ts';

const START = Date.UTC(2026, 3, 6);
const SUBJECT: Subject = {
  key: 'a',
  number: 3,
  name: 'Oat milk',
  style: seriesStyle(0),
  query: '"oat milk"',
  span: { start: START, end: START + DAY_MS },
  count: 1000,
  expected: 200,
  partial: false,
  uncovered: false,
  before: { start: START - DAY_MS, end: START },
  countBefore: 200,
};
const recallPosts = (): PostSource =>
  new PostSource([
    ...posts(1000, START, START + DAY_MS, (i) => (i < 500 ? 'oat milk recall' : 'oat milk shelf')),
    ...posts(200, START - DAY_MS, START, () => 'oat milk latte'),
  ]);

/** Waits until the drawer loads nothing more without a click. */
async function settled(drawer: Drawer): Promise<void> {
  await vi.waitFor(() => {
    expect([drawer.postsReading, drawer.wordsReading]).not.toContain('reading');
  });
}

describe('the drawer', () => {
  it('loads a page and then the words without a click if Posts are free', async () => {
    const source = recallPosts();
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    expect(drawer.postsReading).toBe('reading');
    await settled(drawer);
    expect(drawer.posts).toHaveLength(100);
    expect(drawer.next).not.toBeNull();
    const apart = drawer.wordsApart;
    expect(apart).toMatchObject({ posts: 300, before: 200 });
    // The sample covers both halves of the day, although the newest hundred Posts have only one of the words.
    expect(apart?.words.map((one) => one.word).toSorted()).toEqual(['recall', 'shelf']);
    await drawer.readPosts();
    expect(drawer.posts).toHaveLength(200);
    expect(new Set(drawer.posts.map((one) => one.id)).size).toBe(200);
  });

  it('requests nothing from a paid source before the user agrees to each price', async () => {
    const source = recallPosts();
    source.postPrice = 0.005;
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    await settled(drawer);
    expect(source.requests).toEqual([]);
    expect(drawer.pagePrice).toEqual({ posts: 100, money: 0.5 });
    expect(drawer.wordsPrice).toEqual({ posts: 500, money: 2.5 });
    await drawer.readPosts();
    await settled(drawer);
    expect(source.requests).toHaveLength(1);
    expect(drawer.wordsReading).toBe('offer');
    await drawer.compareWords();
    const read = source.requests.slice(1).reduce((sum, { most }) => sum + (most ?? 10), 0);
    expect(read).toBeLessThanOrEqual(500);
    expect(drawer.wordsApart?.words).not.toEqual([]);
  });

  it('discards answers for a subject that is no longer open', async () => {
    const source = recallPosts();
    source.paused = true;
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.open({ ...SUBJECT, key: 'b', span: { start: START, end: START + HOUR_MS } });
    source.paused = false;
    source.answer();
    await settled(drawer);
    expect(drawer.posts.every(({ at }) => at < START + HOUR_MS)).toBe(true);
    drawer.close();
    expect([drawer.subject, drawer.posts]).toEqual([null, []]);
  });

  it('loads an open subject once, however often it is requested', async () => {
    const source = recallPosts();
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.open({ ...SUBJECT });
    void drawer.readPosts();
    await settled(drawer);
    const whole = source.requests.filter(
      ({ span }) => span.start === START && span.end === START + DAY_MS,
    );
    expect(whole).toHaveLength(1);
  });

  it('reports a failure and can retry', async () => {
    const source = recallPosts();
    const drawer = new Drawer(() => source);
    source.fault = new Error('away');
    drawer.open(SUBJECT);
    await settled(drawer);
    expect(drawer.postsReading).toBe('failed');
    expect(drawer.postsFault).toBe(source.fault);
    expect(drawer.wordsReading).toBe('offer');
    source.fault = null;
    await drawer.readPosts();
    expect(drawer.posts).toHaveLength(100);
  });
});

describe('a sample of Posts', () => {
  it.each([
    ['all of a period with few', 250, 250, 1],
    ['from six slices of a period with many', 1000, 300, 6],
  ])('is %s', async (_, count, read, slices) => {
    const source = new PostSource(posts(count, START, START + DAY_MS, () => 'x'));
    const span = { start: START, end: START + DAY_MS };
    const found = await samplePosts(source.find, 'x', span, count, new AbortController().signal);
    expect(found).toHaveLength(read);
    expect(new Set(found.map((one) => one.id)).size).toBe(read);
    expect(new Set(source.requests.map(({ span: { start } }) => start)).size).toBe(slices);
    for (const { most = 0, span: part } of source.requests) {
      expect(most >= 10 && most <= 100).toBe(true);
      expect(part.start % 1000).toBe(0);
    }
  });
});
