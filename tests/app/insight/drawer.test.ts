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
const world = (): PostSource =>
  new PostSource([
    ...posts(1000, START, START + DAY_MS, (i) => (i < 500 ? 'oat milk recall' : 'oat milk shelf')),
    ...posts(200, START - DAY_MS, START, () => 'oat milk latte'),
  ]);

/** Until nothing more happens by itself. */
async function settled(drawer: Drawer): Promise<void> {
  await vi.waitFor(() => {
    expect([drawer.postsReading, drawer.wordsReading]).not.toContain('reading');
  });
}

describe('the drawer', () => {
  it('reads by itself where Posts are free: a page, then the words', async () => {
    const source = world();
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    expect(drawer.postsReading).toBe('reading');
    await settled(drawer);
    expect(drawer.posts).toHaveLength(100);
    expect(drawer.next).not.toBeNull();
    const apart = drawer.wordsApart;
    expect(apart).toMatchObject({ posts: 300, before: 200 });
    // Both halves of the day are heard, though its newest hundred Posts hold one word alone.
    expect(apart?.words.map((one) => one.word).toSorted()).toEqual(['recall', 'shelf']);
    await drawer.readPosts();
    expect(drawer.posts).toHaveLength(200);
    expect(new Set(drawer.posts.map((one) => one.id)).size).toBe(200);
  });

  it('asks nothing of a paid source before each price is agreed to', async () => {
    const source = world();
    source.each = 0.005;
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    await settled(drawer);
    expect(source.asked).toEqual([]);
    expect(drawer.pagePrice).toEqual({ posts: 100, money: 0.5 });
    expect(drawer.wordsPrice).toEqual({ posts: 500, money: 2.5 });
    await drawer.readPosts();
    await settled(drawer);
    expect(source.asked).toHaveLength(1);
    expect(drawer.wordsReading).toBe('offer');
    await drawer.compareWords();
    const read = source.asked.slice(1).reduce((sum, ask) => sum + (ask.most ?? 10), 0);
    expect(read).toBeLessThanOrEqual(500);
    expect(drawer.wordsApart?.words).not.toEqual([]);
  });

  it('drops what comes for a subject that is no longer open', async () => {
    const source = world();
    source.held = true;
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.open({ ...SUBJECT, key: 'b', span: { start: START, end: START + HOUR_MS } });
    source.held = false;
    source.answer();
    await settled(drawer);
    expect(drawer.posts.every(({ at }) => at < START + HOUR_MS)).toBe(true);
    drawer.close();
    expect([drawer.subject, drawer.posts]).toEqual([null, []]);
  });

  it('does not read again what is open, and reads once however often it is asked', async () => {
    const source = world();
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.open({ ...SUBJECT });
    void drawer.readPosts();
    await settled(drawer);
    const whole = source.asked.filter(
      ({ span }) => span.start === START && span.end === START + DAY_MS,
    );
    expect(whole).toHaveLength(1);
  });

  it('says what failed and goes on from there', async () => {
    const source = world();
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
    ['all of a time that holds few', 250, 250, 1],
    ['of six slices of one that holds many', 1000, 300, 6],
  ])('is %s', async (_, count, read, slices) => {
    const source = new PostSource(posts(count, START, START + DAY_MS, () => 'x'));
    const span = { start: START, end: START + DAY_MS };
    const found = await samplePosts(source.find, 'x', span, count, new AbortController().signal);
    expect(found).toHaveLength(read);
    expect(new Set(found.map((one) => one.id)).size).toBe(read);
    expect(new Set(source.asked.map((ask) => ask.span.start)).size).toBe(slices);
    for (const { most = 0, span: part } of source.asked) {
      expect(most >= 10 && most <= 100).toBe(true);
      expect(part.start % 1000).toBe(0);
    }
  });
});
