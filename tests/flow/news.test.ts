import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Story } from '#core/news/story.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { groupsOn } from '#server/api/news/groups.ts';
import { storiesOf } from '#server/api/news/stories.ts';
import { NEVER } from '#server/index/steps.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { cutFile, truthIndex } from '#tests/support/data/corpus-part.ts';
import { long } from '#tests/support/run/long.ts';
import { realData } from '#tests/support/data/posts.ts';
import { program, temporaryFolder } from '#tests/support/service/process.ts';
import { writePosts, type TestPost } from '#tests/support/service/service.ts';

const folder = realData();

const day = (text: string): number => Date.parse(`${text}T00:00:00Z`);
/** Busy weeks and quiet ones; the first four weeks of each only say what is usual. */
const BUSY = { from: '2016-06-22', to: '2016-08-31', searched: '2016-07-20' };
const QUIET = { from: '2018-01-01', to: '2018-04-15', searched: '2018-01-29' };
const FILES = ['ira-2016h1', 'ira-2016h2', ...(long() ? ['ira-2017h2-2018'] : [])];

function importedDays(text: string): boolean {
  return [BUSY, QUIET].some(({ from, to }) => from <= text && text <= to);
}

/** The stories that begin in a period, day by day. */
function storiesIn(source: Source, { from, to }: { from: number; to: number }): Story[] {
  const found: Story[] = [];
  for (let at = from; at <= to; at += DAY_MS) {
    const step = source.over(function* (state, due) {
      return yield* storiesOf(state, state, yield* groupsOn(state, at, Infinity, [], due), due);
    })(NEVER);
    if (step.done) found.push(...step.value.filter((story) => story !== null));
  }
  return found;
}

/**
 * First minutes of the bursts of a hashtag or mention, from its true counts: 30 Posts in an hour, after six hours with
 * two at most.
 */
function knownBursts(minutes: Readonly<Record<string, number>>): number[] {
  const counts = Object.entries(minutes).map(([at, n]) => [Date.parse(at), n] as const);
  counts.sort(([a], [b]) => a - b);
  const sum = (from: number, to: number): number =>
    counts.reduce((all, [at, n]) => (at >= from && at < to ? all + n : all), 0);
  const found: number[] = [];
  for (const [at] of counts) {
    const fresh = at >= (found.at(-1) ?? 0) + 12 * HOUR_MS;
    if (fresh && sum(at, at + HOUR_MS) >= 30 && sum(at - 6 * HOUR_MS, at) <= 2) found.push(at);
  }
  return found;
}

/** Sizes of planted bursts, and in how many minutes their Posts are. */
const PLANTED = [
  [24, 30],
  [40, 120],
  [60, 60],
  [120, 240],
] as const;
const PLANTED_WORDS = ['zorvik', 'quillam', 'brastow'] as const;

/** Bursts of invented words on quiet days, each by a dozen accounts. */
function planted(): { posts: TestPost[]; starts: number[] } {
  const posts: TestPost[] = [];
  const starts: number[] = [];
  for (let n = 0; n < 10; n++) {
    const start = day(QUIET.searched) + (n * 7 * DAY_MS + n * 83 * MINUTE_MS + 5 * HOUR_MS);
    const [size, minutes] = PLANTED[n % PLANTED.length]!;
    const words = PLANTED_WORDS.map((word) => `${word}${n}`);
    starts.push(start);
    for (let i = 0; i < size; i++) {
      const [a, b, c] = words;
      const text = [`${a} seen near ${b}`, `What is ${a}? #${c}`, `${b} and ${a} again, ${c} too`];
      posts.push({
        id: BigInt(n * 1000 + i + 1),
        createdAt: start + Math.floor((i * minutes) / size) * MINUTE_MS,
        text: text[i % text.length]!,
        authorId: String(1 + (i % 12)),
      });
    }
  }
  return { posts, starts };
}

function percent(part: number, all: number): string {
  return `${part} of ${all} (${Math.round((100 * part) / all)} %)`;
}

describe.runIf(folder)('news of real Posts', () => {
  const data = temporaryFolder();
  const file = join(data, 'posts.sqlite');
  const open = (): Source => openSource(file, { random: (n) => new Uint8Array(n) });
  const period = ({ searched, to }: typeof QUIET) => ({ from: day(searched), to: day(to) });
  let source: Source;
  beforeAll(async () => {
    const part = { cut: true, key: 'news', has: importedDays };
    const cuts = await Promise.all(
      FILES.map((name) => cutFile(join(folder!, 'posts', `${name}.csv.gz`), part, data)),
    );
    const { code, err } = await program(['import', '--data', data, ...cuts]);
    expect(code, err).toBe(0);
    source = open();
  });
  afterAll(() => {
    source.close();
    rmSync(data, { recursive: true });
  });

  it(
    'have a story, with its first minute, where a hashtag or mention is known to burst, but for one',
    { tags: 'long' },
    () => {
      const busy = period(BUSY);
      const stories = storiesIn(source, { ...busy, from: busy.from - DAY_MS });
      const errors: number[] = [];
      const missed: string[] = [];
      for (const { file: name, query } of truthIndex(folder!, 'ira-').queries) {
        if (!/^[#@]\S+$/.test(query)) continue;
        const truth = JSON.parse(readFileSync(join(folder!, 'truth', name), 'utf8')) as {
          minute: Record<string, number>;
        };
        for (const at of knownBursts(truth.minute)) {
          if (at < busy.from || at >= busy.to) continue;
          const story = stories.find(
            ({ keywords, first, last }) =>
              keywords.includes(query.toLowerCase()) && first <= at + HOUR_MS / 2 && last >= at,
          );
          if (story) errors.push((story.first - at) / MINUTE_MS);
          else missed.push(`${query} ${new Date(at).toISOString()}`);
        }
      }
      const near = errors.filter((minutes) => Math.abs(minutes) <= 2);
      process.stdout.write(
        `Known bursts found: ${percent(errors.length, errors.length + missed.length)}; ` +
          `first minute within 2 minutes: ${percent(near.length, errors.length)}.\n`,
      );
      expect(errors.length).toBeGreaterThan(2);
      expect(missed.length).toBeLessThanOrEqual(1);
      expect(near.length / errors.length).toBeGreaterThanOrEqual(0.9);
    },
  );

  it(
    'have no stories in quiet weeks but those that are planted, nearly all from their first minute',
    { tags: 'long' },
    () => {
      const { posts, starts } = planted();
      source.close();
      writePosts(file, posts);
      source = open();
      const stories = storiesIn(source, period(QUIET));
      const isPlanted = ({ keywords }: Story): boolean =>
        keywords.some((word) => /^#?(?:zorvik|quillam|brastow)\d+$/.test(word));
      const right = stories.filter(isPlanted);
      const near = starts.filter((start) =>
        right.some(({ first }) => Math.abs(first - start) <= MINUTE_MS),
      );
      process.stdout.write(
        `Planted bursts found: ${percent(right.length, starts.length)}, ` +
          `with the first minute to one: ${percent(near.length, starts.length)}; ` +
          `precision ${percent(right.length, stories.length)}.\n`,
      );
      expect(right).toHaveLength(starts.length);
      // The beginning of the slowest, 30 Posts an hour, may be within what is usual.
      expect(near.length / starts.length).toBeGreaterThanOrEqual(0.9);
      expect(stories.map(({ hook }) => hook)).toEqual(right.map(({ hook }) => hook));
    },
  );
});
