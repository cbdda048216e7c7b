import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  judgeEmptyPage,
  restOf,
  type EmptyPage,
  type EmptyPolicy,
  type EmptyVerdict,
} from '#core/counts/empty-pages.ts';
import { MINUTE_MS } from '#core/time/span.ts';

describe('judgeEmpty', () => {
  const own = { confirmAbsentMs: null };
  const platform = { confirmAbsentMs: 60_000 };
  const zeros: EmptyPage = {
    absent: false,
    confirmed: false,
    vouched: false,
    confirming: false,
    contradicts: false,
    before: 'unknown',
    after: 'unknown',
  };
  const believe: EmptyVerdict = { kind: 'believe' };
  const hold: EmptyVerdict = { kind: 'hold' };
  const atOnce: EmptyVerdict = { kind: 'again', afterMs: 0 };
  const later: EmptyVerdict = { kind: 'again', afterMs: 60_000 };

  test.each<[string, EmptyPolicy, Partial<EmptyPage>, EmptyVerdict]>([
    ['zeros without known neighbours', own, {}, believe],
    ['zeros next to one busy neighbour', own, { before: 1000 }, believe],
    ['zeros between nine and a thousand', own, { before: 9, after: 1000 }, believe],
    ['zeros between ten and ten', own, { before: 10, after: 10 }, atOnce],
    [
      'zeros between busy neighbours, twice',
      own,
      { before: 10, after: 10, confirmed: true },
      believe,
    ],
    ['zeros while both neighbours are to come', own, { before: 'pending', after: 'pending' }, hold],
    [
      'zeros next to a busy neighbour while the other is pending',
      own,
      { before: 10, after: 'pending' },
      hold,
    ],
    [
      'zeros next to a quiet neighbour while the other is pending',
      own,
      { before: 0, after: 'pending' },
      believe,
    ],
    ['zeros over settled Posts', own, { contradicts: true }, atOnce],
    ['no data from own posts', own, { absent: true }, believe],
    ['no data from the platform', platform, { absent: true }, later],
    ['no data from the platform, twice', platform, { absent: true, confirmed: true }, believe],
    [
      'no data while another such answer is asked again',
      platform,
      { absent: true, confirming: true },
      { kind: 'hold' },
    ],
    [
      'no data next to a busy neighbour, whatever else is requested again',
      platform,
      { absent: true, confirming: true, after: 10 },
      { kind: 'again', afterMs: 60_000 },
    ],
    ['no data after one was confirmed', platform, { absent: true, vouched: true }, believe],
    [
      'no data after one was confirmed, next to a busy one',
      platform,
      { absent: true, vouched: true, after: 10 },
      later,
    ],
    [
      'no data after one was confirmed, a neighbour to come',
      platform,
      { absent: true, vouched: true, after: 'pending' },
      hold,
    ],
    ['zeros from the platform', platform, {}, believe],
  ])('%s', (_, policy, over, verdict) => {
    expect(judgeEmptyPage({ ...zeros, ...over }, policy)).toEqual(verdict);
  });
});

describe('an empty answer', () => {
  const side = fc.oneof(
    fc.integer({ min: 0, max: 30 }),
    fc.constantFrom('unknown' as const, 'pending' as const),
  );
  const pages: fc.Arbitrary<EmptyPage> = fc.record({
    absent: fc.boolean(),
    confirmed: fc.boolean(),
    vouched: fc.boolean(),
    confirming: fc.boolean(),
    before: side,
    after: side,
    contradicts: fc.boolean(),
  });
  const policies = fc.constantFrom({ confirmAbsentMs: null }, { confirmAbsentMs: 60_000 });

  test('is not accepted at once between busy neighbours or where settled Posts are, but is after the second request', () => {
    fc.assert(
      fc.property(pages, policies, (page, policy) => {
        const { kind } = judgeEmptyPage(page, policy);
        const among = [page.before, page.after].every((n) => typeof n === 'number' && n >= 10);
        if (page.confirmed) expect(kind).toBe('believe');
        else if (among || page.contradicts) expect(kind).toBe('again');
      }),
    );
  });

  test('waits only for pending answers', () => {
    fc.assert(
      fc.property(pages, policies, (page, policy) => {
        fc.pre(!page.confirming && page.before !== 'pending' && page.after !== 'pending');
        expect(judgeEmptyPage(page, policy).kind).not.toBe('hold');
      }),
    );
  });
});

describe('restOf', () => {
  const span = { start: 0, end: 10 * MINUTE_MS };

  test.each([
    ['the older part after the newest', { start: 6, end: 10 }, false, [[0, 6]]],
    [
      'both sides of a middle',
      { start: 3, end: 6 },
      false,
      [
        [0, 3],
        [6, 10],
      ],
    ],
    ['nothing after all', { start: 0, end: 10 }, false, []],
    ['the older part though the answer was had by a token', { start: 6, end: 10 }, true, [[0, 6]]],
  ])('requests %s by bounds', (_, reported, followed, left) => {
    const minutes = { start: reported.start * MINUTE_MS, end: reported.end * MINUTE_MS };
    const spans = left.map(([start = 0, end = 0]) => ({
      start: start * MINUTE_MS,
      end: end * MINUTE_MS,
    }));
    expect(restOf(span, minutes, followed)).toEqual({ kind: 'bounds', spans });
  });

  test('follows the token if bounds made no progress', () => {
    expect(restOf(span, null, false)).toEqual({ kind: 'token' });
  });

  test('is stuck if the token made none either', () => {
    expect(restOf(span, null, true)).toEqual({ kind: 'stuck' });
  });
});
