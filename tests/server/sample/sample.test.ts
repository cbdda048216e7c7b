import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { instantOf } from '#server/import/id.ts';
import { makeSample } from '#server/sample/sample.ts';
import type { SampleProgress } from '#server/sample/sample.ts';
import { Random } from '#server/sample/random.ts';
import { SAMPLE_DAYS, samplePosts } from '#server/sample/posts.ts';
import type { SamplePost } from '#server/sample/posts.ts';
import { plantedBursts } from '#server/sample/topics.ts';
import type { Burst } from '#server/sample/topics.ts';
import { openSource } from '#server/posts/source.ts';
import type { Source } from '#server/posts/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';

const END = Date.UTC(2026, 10, 21, 8, 12, 34, 567);
const path = temporaryFolder();
const random = countingBytes();

describe('the random source', () => {
  it('gives the same numbers for the same seed, evenly spread', () => {
    const [a, b, c] = [new Random(5), new Random(5), new Random(6)];
    const numbers = Array.from({ length: 20_000 }, () => a.next());
    expect(numbers.slice(0, 50)).toEqual(Array.from({ length: 50 }, () => b.next()));
    expect(numbers.slice(0, 50)).not.toEqual(Array.from({ length: 50 }, () => c.next()));
    const tenths = Array<number>(10).fill(0);
    for (const n of numbers) tenths[Math.floor(n * 10)]! += 1;
    for (const n of tenths) expect(Math.abs(n - 2000)).toBeLessThan(200);
  });

  test.each([0, 0.02, 1, 12, 700])('counts %d on average', (mean) => {
    const source = new Random(1);
    let sum = 0;
    for (let i = 0; i < 5000; i++) sum += source.poisson(mean);
    expect(Math.abs(sum / 5000 - mean)).toBeLessThanOrEqual(5 * Math.sqrt(mean / 5000));
  });
});

/** About a hundredth of its Posts, where a law needs no more. */
const FEW = 2000;

describe('the sample', () => {
  let posts: SamplePost[] = [];
  let users: { id: string; username: string }[] = [];
  beforeAll(() => {
    const days = [...samplePosts(END, 1)];
    posts = days.flatMap(({ data }) => data);
    users = days.flatMap(({ includes }) => includes.users as typeof users);
  }, 120_000);

  it('is about 200,000 Posts over three years up to its end, in order of time', () => {
    expect(Math.abs(posts.length - 200_000)).toBeLessThan(4000);
    const times = posts.map((post) => Date.parse(post.created_at));
    expect(times.every((time, i) => i === 0 || time >= times[i - 1]!)).toBe(true);
    expect(times[0]!).toBeLessThan(END - (SAMPLE_DAYS - 1) * DAY_MS);
    expect(times.at(-1)!).toBeLessThan(END);
    expect(times.at(-1)!).toBeGreaterThan(END - 6 * HOUR_MS);
  });

  it('is the same for the same end and seed', () => {
    const first = (seed: number): string => {
      const days = samplePosts(END, seed);
      return JSON.stringify([days.next().value, days.next().value]);
    };
    expect(first(1)).toBe(first(1));
    expect(first(1)).not.toBe(first(2));
  });

  it('has ids of their times, each once', () => {
    expect(new Set(posts.map((post) => post.id)).size).toBe(posts.length);
    const wrong = posts.filter(
      (post) => instantOf(BigInt(post.id)) !== Date.parse(post.created_at),
    );
    expect(wrong).toEqual([]);
  });

  it('has entities that stand where they say', () => {
    type Found = { start: number; end: number; tag?: string; username?: string; url?: string };
    let checked = 0;
    const wrong: string[] = [];
    for (const post of posts) {
      const characters = Array.from(post.text);
      for (const list of Object.values((post.entities ?? {}) as Record<string, Found[]>)) {
        for (const { start, end, tag, username, url } of list) {
          const said = characters.slice(start, end).join('');
          if ((url === undefined ? said.slice(1) : said) !== (url ?? tag ?? username))
            wrong.push(post.id);
          checked += 1;
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThan(100_000);
  });

  it('refers only to Posts and authors that it has', () => {
    const ids = new Set(posts.map((post) => post.id));
    const authors = new Set(users.map((user) => user.id));
    const lost = posts.filter(({ author_id, referenced_tweets }) => {
      const references = (referenced_tweets ?? []) as { id: string }[];
      return !authors.has(author_id) || references.some(({ id }) => !ids.has(id));
    });
    expect(lost).toEqual([]);
    expect(new Set(users.map((user) => user.username)).size).toBe(users.length);
    expect(users.filter(({ username }) => !/^\w{4,15}$/.test(username))).toEqual([]);
  });

  /** Times of the Posts that say something. */
  const timesOf = (says: (post: SamplePost) => boolean): number[] =>
    posts.filter(says).map((post) => Date.parse(post.created_at));
  const saying = (words: string) => (post: SamplePost) => post.text.toLowerCase().includes(words);
  const within = (times: readonly number[], start: number, end: number): number =>
    times.filter((time) => start <= time && time < end).length;

  it('has trends and seasons', () => {
    const year = (words: string, ago: number): number =>
      within(timesOf(saying(words)), END - ago * 365 * DAY_MS, END - (ago - 1) * 365 * DAY_MS);
    expect(year('matcha', 1)).toBeGreaterThan(2 * year('matcha', 3));
    expect(year('oat milk', 1)).toBeLessThan(year('oat milk', 3));
    const cold = timesOf(saying('cold brew'));
    const july = within(cold, Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 1));
    const january = within(cold, Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1));
    expect(july).toBeGreaterThan(2 * january);
  });

  it('sleeps at night and plays on Saturdays', () => {
    const start = Date.UTC(2026, 0, 1);
    const end = Date.UTC(2026, 6, 1);
    const topics = ['matcha', 'oat milk', 'cold brew'].map(saying);
    const english = timesOf((post) => post.lang === 'en' && topics.some((says) => says(post)));
    const at = (hour: number): number =>
      english.filter((time) => start <= time && time < end && new Date(time).getUTCHours() === hour)
        .length;
    expect(at(23)).toBeGreaterThan(3 * at(6));
    const rovers = timesOf(saying('rovelle rovers'));
    const on = (weekday: number): number =>
      rovers.filter((time) => start <= time && time < end && new Date(time).getUTCDay() === weekday)
        .length;
    expect(on(6)).toBeGreaterThan(2 * on(1));
  });

  test.each(plantedBursts(END))('has a burst: $what', ({ topic, start, halfLife }: Burst) => {
    const times = timesOf(saying(topic.toLowerCase()));
    const length = Math.ceil(halfLife) * HOUR_MS;
    const during = within(times, start, start + length);
    const before = [1, 2, 3].map((weeks) => {
      const then = start - weeks * 7 * DAY_MS;
      return within(times, then, then + length);
    });
    expect(during).toBeGreaterThan(3 * Math.max(...before));
    const from = start - 24 * HOUR_MS;
    const hours = Array.from({ length: 72 }, (_, i) =>
      within(times, from + i * HOUR_MS, from + (i + 1) * HOUR_MS),
    );
    const peak = hours.indexOf(Math.max(...hours));
    expect(peak).toBeGreaterThanOrEqual(24);
    expect(peak).toBeLessThanOrEqual(24 + halfLife);
  });

  it('of another size has about so many Posts, the topics alike', () => {
    const few = [...samplePosts(END, 1, FEW)].flatMap(({ data }) => data);
    expect(Math.abs(few.length - FEW)).toBeLessThan(5 * Math.sqrt(FEW));
    const part = (of: readonly SamplePost[]): number =>
      of.filter(saying('matcha')).length / of.length;
    expect(Math.abs(part(few) - part(posts))).toBeLessThan(0.05);
  });
});

describe('the sample as a source', () => {
  const told: SampleProgress[] = [];
  let made = 0;
  let source: Source;
  beforeAll(async () => {
    writeFileSync(path('sample.sqlite.new'), 'what an interrupted attempt left');
    const order = { end: END, seed: 1, posts: 10 * FEW, random };
    made = await makeSample(path('sample.sqlite'), order, (progress) => told.push(progress));
    source = openSource(path('sample.sqlite'), { random });
  });
  afterAll(() => source?.close());

  it('is written whole, with progress, and put in place at the end', () => {
    expect(existsSync(path('sample.sqlite.new'))).toBe(false);
    const parts = told.map(({ part }) => part);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(told.at(-1)).toEqual({ posts: made, part: 1 });
    expect(source.index.posts).toBe(made);
  });

  test.each([
    '#oatmilk',
    'is:retweet',
    'is:quote',
    'is:reply',
    'has:media',
    'has:images',
    'has:links',
    '@nordvik_air',
    'lang:ja 抹茶',
    'lang:de Hafermilch',
    'url:example matcha',
    'has:mentions lang:pt',
  ])('has Posts for %s', (query) => {
    // A word next to what cannot be a query by itself.
    const whole = /^(is|has):/.test(query) ? `matcha ${query}` : query;
    const parsed = parse(whole);
    if (!parsed.ok) throw new Error(query);
    const span = { start: END - SAMPLE_DAYS * DAY_MS, end: END };
    const counts = source.index.histogram(condition(parsed.ast), span, 'day');
    expect(counts.reduce((a, b) => a + b, 0)).toBeGreaterThan(2);
  });
});
