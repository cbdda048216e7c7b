import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mayReadLargeFeeds,
  verdictOf,
  writingLimit,
  type WriterVerdict,
} from '#core/notes/writing-limit.ts';

const some = (helpful: number, not: number, none: number): WriterVerdict[] => [
  ...Array.from({ length: none }, () => 'none' as const),
  ...Array.from({ length: helpful }, () => 'helpful' as const),
  ...Array.from({ length: not }, () => 'not_helpful' as const),
];

describe('writingLimit', () => {
  it.each([
    ['8 of the last 10 rated are not helpful', some(2, 8, 0), 1000, 2],
    ['3 of the last 5 rated are not helpful', some(2, 3, 0), 1000, 5],
    ['fewer than 20 notes', some(3, 0, 16), 1000, 10],
    ['none rated', some(0, 0, 40), 1000, 5],
    ['a rate below 0.1', some(9, 0, 91), 1000, 18],
    ['a rate of 0.1', some(10, 0, 90), 1000, 20],
    ['a rate of 0.11', some(11, 0, 89), 1000, 36],
    ['a rate of 0.12', some(12, 0, 88), 1000, 52],
    [
      'a rate of 0.13, most of them in the last 20',
      [...some(13, 0, 7), ...some(0, 0, 80)],
      1000,
      68,
    ],
    ['a rate below 0.1, more in the last 20', [...some(5, 0, 15), ...some(0, 0, 80)], 1000, 50],
    ['fewer than 8 of the last 10 not helpful', some(3, 7, 90), 1000, 5],
    ['a rate of 0.15', some(15, 0, 85), 1000, 100],
    ['a rate of 0.2', some(20, 0, 80), 1000, 500],
    ['a rate of 0.2, but few notes a day', some(20, 0, 80), 3, 15],
    ['a rate of 0.2, but hardly any notes', some(20, 0, 80), 0.1, 5],
  ] as const)('%s', (_, verdicts, daily, limit) => {
    expect(writingLimit({ verdicts, total: verdicts.length, daily })).toBe(limit);
  });

  it('is a whole number from 2 to 500', () => {
    const verdict = fc.constantFrom<WriterVerdict>('helpful', 'not_helpful', 'none');
    const daily = fc.double({ min: 0, max: 500, noNaN: true });
    fc.assert(
      fc.property(fc.array(verdict, { maxLength: 100 }), daily, (verdicts, each) => {
        const limit = writingLimit({ verdicts, total: verdicts.length, daily: each });
        expect(Number.isInteger(limit) && limit >= 2 && limit <= 500).toBe(true);
      }),
    );
  });
});

describe('mayReadLargeFeeds', () => {
  it.each([
    [some(10, 0, 89), 99, false],
    [some(10, 0, 90), 100, true],
    [some(9, 0, 91), 100, false],
    [some(20, 10, 70), 100, true],
    [some(21, 11, 68), 100, false],
  ] as const)('%#', (verdicts, total, may) => {
    expect(mayReadLargeFeeds({ verdicts, total, daily: 0 })).toBe(may);
  });
});

it('a rejected note is not helpful', () => {
  expect(
    ['firm_reject', 'currently_rated_helpful', 'unknown'].map((each) =>
      verdictOf(each as 'unknown'),
    ),
  ).toEqual(['not_helpful', 'helpful', 'none']);
});
