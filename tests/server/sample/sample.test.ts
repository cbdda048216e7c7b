import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { instantOf } from '#core/import/id.ts';
import { growSample, isSampleDue, makeSample, type SampleProgress } from '#server/sample/sample.ts';
import { Random } from '#server/sample/random.ts';
import { SAMPLE_DAYS, SAMPLE_POSTS, samplePosts, type SamplePost } from '#server/sample/posts.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { countingBytes, temporaryFolder } from '#tests/server/db/folder.ts';
import { long } from '#tests/support/run/long.ts';
import { plantedBursts, type PlantedBurst } from '#server/sample/planted-bursts.ts';

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

/** About a hundredth of the Posts. */
const FEW = 2000;
/** Enough of them for the rules of a whole sample; the long form has them all. */
const MANY = long() ? SAMPLE_POSTS : 50_000;

describe('the sample', () => {
  let posts: SamplePost[] = [];
  /** Time and lower-case text of each Post. */
  let times: number[] = [];
  let texts: string[] = [];
  let users: { id: string; username: string }[] = [];
  beforeAll(() => {
    const days = [...samplePosts(END, 1, MANY)];
    posts = days.flatMap(({ data }) => data);
    times = posts.map((post) => Date.parse(post.created_at));
    texts = posts.map((post) => post.text.toLowerCase());
    users = days.flatMap(({ includes }) => includes.users as typeof users);
  });

  const firstDay = (seed: number, size?: number): string =>
    JSON.stringify(samplePosts(END, seed, size).next().value);

  it(
    'is about 200,000 Posts over three years up to its end, in order of time',
    { tags: 'long' },
    () => {
      expect(SAMPLE_POSTS).toBe(200_000);
      expect(firstDay(1)).toBe(firstDay(1, SAMPLE_POSTS));
      expect(Math.abs(posts.length / MANY - 1)).toBeLessThan(0.02);
      expect(times.every((time, i) => i === 0 || time >= times[i - 1]!)).toBe(true);
      expect(times[0]!).toBeLessThan(END - (SAMPLE_DAYS - 1) * DAY_MS);
      expect(times.at(-1)!).toBeLessThan(END);
      expect(times.at(-1)!).toBeGreaterThan(END - 6 * HOUR_MS);
    },
  );

  it('is the same for the same end and seed', () => {
    const first = firstDay(1, MANY);
    const again = samplePosts(END, 1, MANY);
    expect(JSON.stringify(again.next().value)).toBe(first);
    expect(firstDay(2, MANY)).not.toBe(first);
  });

  it('has unique ids that contain their times', () => {
    expect(new Set(posts.map((post) => post.id)).size).toBe(posts.length);
    const wrong = posts.filter((post, i) => instantOf(BigInt(post.id)) !== times[i]);
    expect(wrong).toEqual([]);
  });

  it('has entities at the stated positions', () => {
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
    expect(checked).toBeGreaterThan(MANY / 2);
  });

  it('refers only to its own Posts and authors', () => {
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

  /** Times of the Posts that contain some words. */
  const timesOf = (words: string): number[] => times.filter((_, i) => texts[i]!.includes(words));
  const within = (times: readonly number[], start: number, end: number): number =>
    times.filter((time) => start <= time && time < end).length;

  it('has trends and seasons', () => {
    const year = (words: string, ago: number): number =>
      within(timesOf(words), END - ago * 365 * DAY_MS, END - (ago - 1) * 365 * DAY_MS);
    expect(year('matcha', 1)).toBeGreaterThan(2 * year('matcha', 3));
    expect(year('oat milk', 1)).toBeLessThan(year('oat milk', 3));
    const cold = timesOf('cold brew');
    const july = within(cold, Date.UTC(2026, 6, 1), Date.UTC(2026, 7, 1));
    const january = within(cold, Date.UTC(2026, 0, 1), Date.UTC(2026, 1, 1));
    expect(july).toBeGreaterThan(2 * january);
  });

  it('sleeps at night and plays on Saturdays', () => {
    const start = Date.UTC(2026, 0, 1);
    const end = Date.UTC(2026, 6, 1);
    const english = times.filter(
      (_, i) => posts[i]!.lang === 'en' && /matcha|oat milk|cold brew/.test(texts[i]!),
    );
    const at = (hour: number): number =>
      english.filter((time) => start <= time && time < end && new Date(time).getUTCHours() === hour)
        .length;
    expect(at(23)).toBeGreaterThan(3 * at(6));
    const rovers = timesOf('rovelle rovers');
    const on = (weekday: number): number =>
      rovers.filter((time) => start <= time && time < end && new Date(time).getUTCDay() === weekday)
        .length;
    expect(on(6)).toBeGreaterThan(2 * on(1));
  });

  test.each(plantedBursts(END))(
    'has a burst: $what',
    ({ topic, start, halfLife }: PlantedBurst) => {
      const times = timesOf(topic.toLowerCase());
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
    },
  );

  it(
    'of another size has about that many Posts and the same share of topics',
    { tags: 'long' },
    () => {
      const few = [...samplePosts(END, 1, FEW)].flatMap(({ data }) => data);
      expect(Math.abs(few.length - FEW)).toBeLessThan(5 * Math.sqrt(FEW));
      const ofFew = few.filter(({ text }) => text.toLowerCase().includes('matcha')).length;
      const ofMany = timesOf('matcha').length;
      expect(Math.abs(ofFew / few.length - ofMany / posts.length)).toBeLessThan(0.05);
    },
  );
});

describe('the sample as a source', () => {
  const posts = long() ? 5 * FEW : 2 * FEW;
  const reported: SampleProgress[] = [];
  let made = 0;
  let source: Source;
  beforeAll(async () => {
    writeFileSync(path('sample.sqlite.new'), 'what an interrupted attempt left');
    const order = { end: END, seed: 1, posts, random };
    made = await makeSample(path('sample.sqlite'), order, (progress) => reported.push(progress));
    source = openSource(path('sample.sqlite'), { random });
  });
  afterAll(() => source?.close());

  it('has the same Posts if it grows, and covers only the time of which it has them all', async () => {
    const file = path('grown.sqlite');
    const order = { end: END, seed: 1, posts, random };
    const grown = openSource(file, { random });
    const parsed = parse('matcha');
    if (!parsed.ok) throw new Error('matcha');
    const query = condition(parsed.ast);
    const expectTrue = (): void => {
      grown.refresh();
      for (const span of grown.index.covered) {
        const counts = [grown, source].map(({ index }) => index.histogram(query, span, 'day'));
        expect(counts[0]).toEqual(counts[1]);
      }
    };
    expect(isSampleDue(file, { random })).toBe(true);
    let parts = 0;
    const stopped = growSample(file, order, ({ part }) => {
      // Comparing after each of its 42 parts takes longer than making them.
      if (++parts % 7 === 0) expectTrue();
      if (part > 0.6) throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
    expect(grown.index.covered).toHaveLength(2);
    expect(isSampleDue(file, { random })).toBe(true);
    // A later process completes it as it was begun.
    await growSample(file, { ...order, end: END + DAY_MS });
    expectTrue();
    expect(isSampleDue(file, { random })).toBe(false);
    expect(grown.index.posts).toBe(made);
    expect(grown.index.covered).toEqual(source.index.covered);
    grown.close();
  });

  it('is written completely, with progress, and renamed at the end', () => {
    expect(existsSync(path('sample.sqlite.new'))).toBe(false);
    const parts = reported.map(({ part }) => part);
    expect(parts).toEqual(parts.toSorted((a, b) => a - b));
    expect(reported.at(-1)).toEqual({ posts: made, part: 1 });
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
    // Operators that cannot be the whole query are combined with a word here.
    const whole = /^(is|has):/.test(query) ? `matcha ${query}` : query;
    const parsed = parse(whole);
    if (!parsed.ok) throw new Error(query);
    const span = { start: END - SAMPLE_DAYS * DAY_MS, end: END };
    const counts = source.index.histogram(condition(parsed.ast), span, 'day');
    expect(counts.reduce((a, b) => a + b, 0)).toBeGreaterThan(2);
  });
});
