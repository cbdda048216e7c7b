import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPage, type Listing, type ListingPage } from '#server/users/listing.ts';
import { finish, oneStep } from '#server/index/steps.ts';
import { runs } from '#tests/support/run/runs.ts';

const key = new Uint8Array(32);
const scope = { of: ['numbers'], key };

/** Numbers, newest is highest; multiples of three are hidden. */
function listingOf(numbers: readonly number[]): Listing<number, number> {
  return {
    read: (direction, from, limit) => {
      const down = [...numbers].sort((a, b) => b - a);
      const nearest = direction === 'older' ? down : down.reverse();
      const isBeyond = (n: number): boolean =>
        from === null || (direction === 'older' ? n < from : n > from);
      return oneStep(() => nearest.filter(isBeyond).slice(0, limit));
    },
    show: (entries) => entries.map((n) => (n % 3 === 0 ? null : n)),
    pack: (n) => [String(n)],
    unpack: ([n]) => Number(n),
  };
}

function page(numbers: readonly number[], most: number, token?: string): ListingPage<number> {
  return finish(
    readPage(listingOf(numbers), { max_results: most, pagination_token: token }, scope),
  );
}

describe('pages', () => {
  const numbers = fc.uniqueArray(fc.nat(200), { maxLength: 60 });

  test('forward and back contain the same results, for any listing and page sizes', () => {
    fc.assert(
      fc.property(
        numbers,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (all, there, back) => {
          const expected = [...all].filter((n) => n % 3 !== 0).sort((a, b) => b - a);
          const found: number[] = [];
          let token: string | undefined;
          let last: ListingPage<number>;
          do {
            last = page(all, there, token);
            found.push(...last.shown);
            token = last.tokens.next_token;
          } while (token !== undefined);
          expect(found).toEqual(expected);

          const again = [...last.shown];
          token = last.tokens.previous_token;
          while (token !== undefined) {
            const before = page(all, back, token);
            again.unshift(...before.shown);
            token = before.tokens.previous_token;
          }
          expect(again).toEqual(expected);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('that go back and forward again are the same page', () => {
    const all = Array.from({ length: 50 }, (_, i) => i * 3 + 1);
    const first = page(all, 7);
    expect(first.tokens.previous_token).toBeUndefined();
    const second = page(all, 7, first.tokens.next_token);
    const back = page(all, 7, second.tokens.previous_token);
    expect(back.shown).toEqual(first.shown);
    expect(page(all, 7, back.tokens.next_token).shown).toEqual(second.shown);
  });

  test('find what is new since by going back', () => {
    const all = [1, 2, 4, 5];
    const second = page(all, 2, page(all, 2).tokens.next_token);
    const back = page([...all, 7, 8], 2, second.tokens.previous_token);
    expect(back.shown).toEqual([5, 4]);
    expect(page([...all, 7, 8], 2, back.tokens.previous_token).shown).toEqual([8, 7]);
  });

  test('refuse a token of another listing', () => {
    const { next_token } = page([1, 2, 4], 1).tokens;
    const other = { of: ['others'], key };
    const request = { max_results: 1, pagination_token: next_token };
    expect(() => finish(readPage(listingOf([1]), request, other))).toThrow('is not a valid token');
  });
});
