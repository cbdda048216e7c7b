import { describe, expect, it, vi } from 'vitest';
import { seriesStyle } from '#app/ui/series-style.ts';
import { Drawer } from '#app/insight/drawer/drawer.svelte.ts';
import { loadedBreakdown } from '#app/insight/breakdown/loaded-breakdown.ts';
import { readSample } from '#app/insight/breakdown/sampling.ts';
import type { Subject } from '#app/insight/drawer/inspected.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { RankedAsk, RankPosts } from '#app/api/ranked-api.ts';
import { orderedPosts, summitOf } from '#app/insight/drawer/post-order.ts';
import { curveOf } from '#tests/core/series/a-curve.ts';
import { posts, PostSource } from '#tests/app/insight/a-source.ts';

const START = Date.UTC(2026, 3, 6);
const SUBJECT: Subject = {
  key: 'a',
  number: 3,
  hasPeak: true,
  name: 'Oat milk',
  style: seriesStyle(0),
  query: '"oat milk"',
  span: { start: START, end: START + DAY_MS },
  count: 1000,
  expected: 200,
  partial: false,
  time: 'over',
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
    const { samples } = drawer;
    expect([samples?.now.length, samples?.before.length]).toEqual([300, 200]);
    // The sample covers both halves of the day, although the newest hundred Posts have only one of the words.
    const data = loadedBreakdown(SUBJECT.query, drawer.posts, samples, SUBJECT.before);
    expect(data.words.map(({ name }) => name).toSorted()).toEqual(['recall', 'shelf']);
    await drawer.readPosts();
    expect(drawer.posts).toHaveLength(200);
    expect(new Set(drawer.posts.map((post) => post.id)).size).toBe(200);
  });

  it('says how many Posts have arrived, and lists them only when asked', async () => {
    const old = posts(150, START, START + HOUR_MS, () => 'oat milk');
    const source = new PostSource(old);
    const drawer = new Drawer(() => source);
    drawer.choose('time');
    drawer.open({ ...SUBJECT, count: 150 });
    await settled(drawer);
    const listed = drawer.posts;
    const fresh = posts(3, START + HOUR_MS, START + 2 * HOUR_MS, () => 'oat milk, new');
    Object.assign(source, { all: new PostSource([...old, ...fresh]).all });
    drawer.open({ ...SUBJECT, count: 153 });
    expect([drawer.arrived, drawer.posts]).toEqual([3, listed]);
    await drawer.readPosts(true);
    expect(drawer.arrived).toBe(0);
    expect(drawer.posts.slice(3)).toEqual(listed);
    expect(drawer.posts.slice(0, 3).map(({ text }) => text)).toEqual(fresh.map(({ text }) => text));
    // So many that the list does not go on where it ended: it begins again.
    const many = posts(250, START + 2 * HOUR_MS, START + 3 * HOUR_MS, () => 'oat milk, many');
    Object.assign(source, { all: new PostSource([...old, ...fresh, ...many]).all });
    drawer.open({ ...SUBJECT, count: 403 });
    await drawer.readPosts(true);
    expect(drawer.posts.map(({ text }) => text)).toEqual(many.slice(-100).map(({ text }) => text));
    await drawer.readPosts();
    expect(new Set(drawer.posts.map(({ id }) => id)).size).toBe(200);
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
    const read = source.requests.slice(1).reduce((sum, { max }) => sum + (max ?? 10), 0);
    expect(read).toBeLessThanOrEqual(500);
    expect(drawer.samples?.before).not.toEqual([]);
  });

  it.each([0, 0.005])(
    'reads a page once if the summit is found meanwhile, at a price of %d',
    async (price) => {
      const source = recallPosts();
      source.postPrice = price;
      source.paused = true;
      const drawer = new Drawer(() => source);
      drawer.open(SUBJECT);
      if (price > 0) void drawer.readPosts();
      drawer.foundSummit(START);
      expect(drawer.postsReading).toBe('reading');
      source.paused = false;
      source.answer();
      await settled(drawer);
      expect(new Set(drawer.posts.map(({ id }) => id)).size).toBe(100);
      expect(drawer.posts).toHaveLength(100);
    },
  );

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

/** Ranks as the service does, over all Posts. */
class RankingSource extends PostSource {
  readonly asked: RankedAsk[] = [];
  override readonly rank: RankPosts = (ask) => {
    this.asked.push(ask);
    const { span, order, at, max } = ask;
    const inside = recallPosts().all.filter((post) => post.at >= span.start && post.at < span.end);
    return Promise.resolve(
      orderedPosts(inside, order === 'nearest' ? 'summit' : order, at).slice(0, max),
    );
  };
}

describe('the order of Posts', () => {
  const SUMMIT = START + 12 * HOUR_MS;

  it('begins at the summit as soon as it is known, and can be another', async () => {
    const source = new RankingSource(recallPosts().all);
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    expect([drawer.postsReading, drawer.order, source.asked]).toEqual(['reading', 'summit', []]);
    drawer.foundSummit(SUMMIT);
    await settled(drawer);
    expect(drawer.listed).toHaveLength(100);
    expect(drawer.listed.every(({ at }) => Math.abs(at - SUMMIT) < 2 * HOUR_MS)).toBe(true);
    await drawer.readPosts();
    expect(drawer.listed).toHaveLength(200);
    drawer.choose('engagement');
    await settled(drawer);
    const [first] = drawer.listed;
    expect(first?.likes).toBe(998);
    expect(source.asked.map(({ order, max }) => [order, max])).toEqual([
      ['nearest', 100],
      ['nearest', 200],
      ['engagement', 100],
    ]);
    drawer.choose('time');
    await settled(drawer);
    expect(drawer.listed.map(({ at }) => at)).toEqual(
      drawer.listed.map(({ at }) => at).toSorted((a, b) => b - a),
    );
    expect(source.asked).toHaveLength(3);
  });

  it('is by time where there is no summit, and lists no more than a ranking has', async () => {
    const source = new RankingSource(recallPosts().all);
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.foundSummit(null);
    await settled(drawer);
    expect([drawer.order, source.asked.length, source.requests.length]).toEqual(['time', 0, 1]);
    drawer.choose('engagement');
    await settled(drawer);
    while (drawer.next !== null) await drawer.readPosts();
    expect([drawer.listed.length, drawer.capped]).toEqual([500, true]);
  });

  it('of a priced source is that of the Posts that were read', async () => {
    const source = recallPosts();
    source.postPrice = 0.005;
    const drawer = new Drawer(() => source);
    drawer.open(SUBJECT);
    drawer.foundSummit(SUMMIT);
    await drawer.readPosts();
    const read = drawer.posts.length;
    drawer.choose('engagement');
    await settled(drawer);
    expect(source.requests).toHaveLength(1);
    expect(drawer.listed).toHaveLength(read);
    expect(drawer.listed[0]?.likes).toBe(998);
  });
});

describe('the summit of a time', () => {
  const day = { start: START, end: START + DAY_MS };
  const curve = (counts: number[]) => curveOf(counts, START - 4 * DAY_MS, HOUR_MS);
  const flat = Array.from({ length: 9 * 24 }, (_, i) => 4 + (i % 3));

  it('is that of its peak, or its highest bucket, or none', () => {
    const peak = flat.with(4 * 24 + 7, 400);
    expect(summitOf(curve(peak), 'UTC', day)).toBe(START + 7.5 * HOUR_MS);
    const calm = flat.with(4 * 24 + 7, 7);
    expect(summitOf(curve(calm), 'UTC', day)).toBe(START + 7.5 * HOUR_MS);
    expect(summitOf(curve(flat.map(() => 0)), 'UTC', day)).toBeNull();
  });

  it('comes first also where times are known only to the minute', () => {
    const [post] = posts(1, START, START + DAY_MS, () => 'oat milk');
    if (!post) throw new Error('expected a Post');
    const minute = (n: number) => ({ ...post, id: String(n), at: START + n * 60_000 });
    const middle = START + 27.5 * 60_000;
    const list = orderedPosts([28, 27, 26, 29].map(minute), 'summit', middle);
    expect(list.map(({ id }) => id)).toEqual(['27', '28', '26', '29']);
  });
});

describe('a sample of Posts', () => {
  it.each([
    ['all of a period with few', 250, 250, 1],
    ['from six slices of a period with many', 1000, 300, 6],
  ])('is %s', async (_, count, read, slices) => {
    const source = new PostSource(posts(count, START, START + DAY_MS, () => 'x'));
    const span = { start: START, end: START + DAY_MS };
    const found = await readSample(source.find, 'x', span, count, new AbortController().signal);
    expect(found).toHaveLength(read);
    expect(new Set(found.map((post) => post.id)).size).toBe(read);
    expect(new Set(source.requests.map(({ span: { start } }) => start)).size).toBe(slices);
    for (const { max = 0, span: part } of source.requests) {
      expect(max >= 10 && max <= 100).toBe(true);
      expect(part.start % 1000).toBe(0);
    }
  });
});
