import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { tokens } from '#core/text/tokens.ts';
import { Random } from '#server/sample/random.ts';
import {
  authorOf,
  burstWords,
  generate,
  SPAN,
  word,
  wordIn,
  writeFiles,
  type GeneratedPost,
} from './posts.ts';
import { Zipf } from './zipf.ts';

const POSTS = 20_000;
const made = [...generate(POSTS, 7)];

function share(has: (post: GeneratedPost) => boolean): number {
  return made.filter(has).length / POSTS;
}

describe('generated Posts', () => {
  it('depend on the seed alone', () => {
    expect([...generate(50, 3)]).toEqual([...generate(50, 3)]);
    expect([...generate(50, 3)]).not.toEqual([...generate(50, 4)]);
  });

  it('ascend by time and id within the span', () => {
    const wrong = made.filter(({ id, createdAt }, i) => {
      const before = made[i - 1];
      const ascends = !before || (createdAt >= before.createdAt && id > before.id);
      return !ascends || createdAt < SPAN.start || createdAt >= SPAN.end;
    });
    expect(wrong).toEqual([]);
  });

  it('split into the words they were generated from', () => {
    for (const { words } of made.slice(0, 500)) expect(tokens(words.join(' '))).toEqual(words);
  });

  it.each([
    ['the most frequent word', 0.47, (post: GeneratedPost) => post.words.includes(word(0))],
    ['a word of a tenth', 0.1, (post: GeneratedPost) => post.words.includes(wordIn(0.1))],
    ['a word of a hundredth', 0.01, (post: GeneratedPost) => post.words.includes(wordIn(0.01))],
    ['an author of a hundredth', 0.01, (post: GeneratedPost) => post.author === authorOf(0.01)],
    ['English', 0.45, (post: GeneratedPost) => post.lang === 'en'],
    ['reposts', 0.3, (post: GeneratedPost) => post.isRetweet],
  ])('have %s in the named share', (_, wanted, has) => {
    const got = share(has);
    expect(got).toBeGreaterThan(wanted * 0.8);
    expect(got).toBeLessThan(wanted * 1.2);
  });

  it('have the words of a burst side by side, and only within its hours', () => {
    const [first, second] = burstWords(0);
    const among = made.filter(({ words }) => words.includes(first));
    expect(among.length).toBeGreaterThan(20);
    for (const { words } of among) expect(words[words.indexOf(first) + 1]).toBe(second);
    const [from = 0, to = Infinity] = [among[0]?.createdAt, among.at(-1)?.createdAt];
    expect(to - from).toBeLessThan(11 * 3_600_000);
  });

  it('fill the files in turn, each with a header', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundswell-posts-'));
    try {
      const files = [join(folder, '1'), join(folder, '2')] as const;
      await writeFiles(generate(30, 1), [
        [files[0], 20],
        [files[1], 10],
      ]);
      const [a = [], b = []] = files.map((file) =>
        gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split('\n'),
      );
      expect([a.length, b.length]).toEqual([21, 11]);
      expect(b[0]).toBe(a[0]);
      const ids = [...a.slice(1), ...b.slice(1)].map((line) => line.split(',')[0]);
      expect(ids).toEqual([...generate(30, 1)].map(({ id }) => String(id)));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('Zipf', () => {
  it('draws each rank in proportion to its weight', () => {
    const zipf = new Zipf(10, 1);
    const random = new Random(1);
    const drawn = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 100_000; i++) drawn[zipf.draw(random)]! += 1;
    const sum = drawn.reduce((all, _, r) => all + 1 / (r + 1), 0);
    for (const [r, n] of drawn.entries()) {
      expect(Math.abs(n / 100_000 - 1 / (r + 1) / sum)).toBeLessThan(0.005);
    }
  });

  it.each([
    [1 / 2.929, 0],
    [1 / 2.929 / 3, 2],
    [0, 9],
    [1, 0],
  ])('finds the rank with a share nearest to %d', (share, rank) => {
    expect(new Zipf(10, 1).rankOf(share)).toBe(rank);
  });
});
