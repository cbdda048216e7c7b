import { describe, expect, it } from 'vitest';
import { answerMeaning } from '#core/counts/answer.ts';
import type { Page } from '#core/counts/check.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { buckets, pageOf } from './page-buckets.ts';

const START = Date.parse('2026-11-20T06:00:00Z');
const END = START + 3 * HOUR_MS;
const DATE = Date.parse('2026-11-20T12:00:30Z');
const NOTE = { at: DATE, generation: 1, endpoint: 'all' } as const;

const meaning = (page: Page, end: number | null = END) =>
  answerMeaning(
    page,
    { granularity: 'hour', start: START, end, date: DATE, earlier: [] },
    'r',
    NOTE,
  );

const busy = pageOf(buckets(START, END).map((bucket) => ({ ...bucket, count: 2 })));
const quiet = pageOf(buckets(START, END).map((bucket) => ({ ...bucket, count: 0 })));
const absent = pageOf([]);

describe('an answer', () => {
  it.each<[string, Page, string, boolean]>([
    ['with Posts', busy, 'counts', false],
    ['of zeros', quiet, 'empty', false],
    ['without buckets', absent, 'empty', true],
    ['with only a token', { ...absent, token: 'next' }, 'nothing', true],
  ])('%s is as expected', (_, page, kind, isAbsent) => {
    const counts = page === busy ? [2, 2, 2] : [0, 0, 0];
    expect(meaning(page)).toMatchObject({
      kind,
      absent: isAbsent,
      reported: { start: START, end: END, receipt: 'r', note: NOTE },
    });
    const { reported } = meaning(page) as { reported: { counts: ArrayLike<number> } };
    expect(Array.from(reported.counts)).toEqual(counts);
  });

  it('is refused with its faults if a bucket is missing, and if it cannot be read', () => {
    const gap = pageOf(buckets(START, END).filter((_, i) => i !== 1));
    expect(meaning(gap)).toMatchObject({ kind: 'refused', faults: [{ kind: 'gap' }] });
    const asked = { granularity: 'hour', start: START, end: END, date: DATE, earlier: [] } as const;
    const unread = { kind: 'malformed', times: 1 } as const;
    expect(answerMeaning(unread, asked, 'r', NOTE)).toEqual({ kind: 'refused', faults: [unread] });
  });

  it('without buckets and without an end reports zeros up to 12 s before its Date (ledger rule 9)', () => {
    expect(meaning(absent, null)).toMatchObject({
      kind: 'empty',
      reported: { start: START, end: Date.parse('2026-11-20T12:00:18Z') },
    });
  });
});
