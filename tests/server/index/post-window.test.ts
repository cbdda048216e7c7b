import fc from 'fast-check';
import { expect, it } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { ChunkBuilder } from '#server/index/builder.ts';
import { frequentTerms } from '#server/index/frequent-terms.ts';
import type { WholeChunk } from '#server/index/merge.ts';
import { NONE, pack } from '#server/index/ordinals.ts';
import { hourCounter, postWindow } from '#server/index/post-window.ts';
import { finish, NEVER } from '#server/index/steps.ts';

const WORDS = ['ant', 'bee', 'cat', '#dog', 'elk'] as const;

interface Made {
  readonly second: number;
  readonly words: readonly string[];
  readonly chunk: number;
  readonly state: 'shown' | 'deleted' | 'nullcast';
}

const made = fc.array(
  fc.record({
    second: fc.integer({ min: 0, max: 200 }),
    words: fc.subarray([...WORDS]),
    chunk: fc.nat({ max: 3 }),
    state: fc.constantFrom<Made['state'][]>('shown', 'shown', 'shown', 'deleted', 'nullcast'),
  }),
  { maxLength: 60 },
);

/** The Posts, which have their position as id, in up to four chunks. */
function chunksOf(posts: readonly Made[]): WholeChunk[] {
  return [0, 1, 2, 3].flatMap((c) => {
    const builder = new ChunkBuilder();
    const here = posts.flatMap((post, i) => (post.chunk === c ? [{ ...post, i }] : []));
    if (here.length === 0) return [];
    for (const { second, words, state, i } of here) {
      const terms = termsOf({ text: words.join(' '), isNullcast: state === 'nullcast' });
      builder.add(BigInt(i), second * 1000, terms);
    }
    const built = builder.build();
    const gone = here.flatMap(({ state, i }) =>
      state === 'deleted' ? [built.ids().indexOf(BigInt(i))] : [],
    );
    const dead = gone.length === 0 ? NONE : pack(Uint16Array.from(gone).sort());
    return [{ ...built, dead }];
  });
}

const SPAN = { start: 50_000, end: 150_000 };
const within = ({ second }: Made): boolean => second >= 50 && second < 150;

it('has the Posts of a span that are neither deleted nor left out', () => {
  fc.assert(
    fc.property(made, (posts) => {
      const window = postWindow(chunksOf(posts), SPAN, ['is:nullcast']);
      const idsOf = (numbers: Uint32Array) => [...numbers].map((n) => Number(window.id(n))).sort();
      const expected = (of: (post: Made) => boolean) =>
        posts
          .flatMap((post, i) => (within(post) && post.state === 'shown' && of(post) ? [i] : []))
          .sort();
      for (const word of WORDS) {
        expect(idsOf(window.of([word])[0]!)).toEqual(expected(({ words }) => words.includes(word)));
      }
      for (const number of window.of(['ant'])[0]!) {
        expect(window.seconds[number]).toBe(posts[Number(window.id(number))]?.second);
      }
    }),
  );
});

it('finds every term that enough Posts of a span contain, however they lie in chunks', () => {
  fc.assert(
    fc.property(made, fc.integer({ min: 1, max: 20 }), (posts, least) => {
      const found = finish(
        frequentTerms(chunksOf(posts), SPAN, least, (term) => !term.includes(':'), NEVER),
      );
      for (const word of WORDS) {
        const n = posts.filter((post) => within(post) && post.words.includes(word)).length;
        if (n >= least) expect(found).toContain(word);
      }
    }),
  );
});

it('counts the Posts of each hour that are neither deleted nor left out', () => {
  const HOUR = 3600;
  const span = { start: HOUR * 1000, end: 4.5 * HOUR * 1000 };
  fc.assert(
    fc.property(made, (posts) => {
      const spread = posts.map((post) => ({ ...post, second: post.second * 90 }));
      const counter = hourCounter(chunksOf(spread), span, ['is:nullcast']);
      const expected = (has: (post: Made) => boolean) =>
        [1, 2, 3, 4].map(
          (hour) =>
            spread.filter(
              (post) =>
                post.state === 'shown' &&
                has(post) &&
                post.second < 4.5 * HOUR &&
                Math.floor(post.second / HOUR) === hour,
            ).length,
        );
      expect([...counter.all()]).toEqual(expected(() => true));
      for (const [i, counts] of counter.of(WORDS).entries()) {
        expect([...counts]).toEqual(expected(({ words }) => words.includes(WORDS[i]!)));
      }
    }),
  );
});
