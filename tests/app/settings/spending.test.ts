import { describe, expect, it } from 'vitest';
import { resets, sortRows, spentRows, tabSeparated } from '#app/settings/spending.ts';
import { SPENDING } from './examples.ts';

const names = (rows: readonly { name: string }[]): string[] => rows.map(({ name }) => name);

describe('the spending', () => {
  it('is listed by query, by day and by month', () => {
    expect(names(spentRows(SPENDING, 'query'))).toEqual([
      '"oat milk" OR #oatmilk',
      'matcha -recipe lang:en',
      '@barista',
    ]);
    expect(spentRows(SPENDING, 'day')[0]).toEqual({
      name: '2026-11-20',
      requests: 36,
      money: 0.36,
      last: null,
    });
    expect(names(spentRows(SPENDING, 'month'))).toEqual(['2026-11']);
  });

  it.each([
    ['money', true, [245, 155, 12]],
    ['money', false, [12, 155, 245]],
    ['last', true, [245, 12, 155]],
    ['name', false, [245, 12, 155]],
    ['requests', false, [12, 155, 245]],
  ] as const)('is sorted by %s, descending: %s', (by, descending, requests) => {
    const rows = sortRows(spentRows(SPENDING, 'query'), by, descending);
    expect(rows.map((row) => row.requests)).toEqual(requests);
  });

  it('is copied with plain numbers, escaped quotes, and no formula', () => {
    const rows = [
      ...spentRows(SPENDING, 'query'),
      { name: 'a\tb\nc', requests: 3, money: 0.1 + 0.2, last: null },
    ];
    expect(tabSeparated(rows, 'query').split('\n')).toEqual([
      'query\trequests\tusd\tlast_utc',
      '"""oat milk"" OR #oatmilk"\t245\t2.445\t2026-11-20T12:40:00.000Z',
      'matcha -recipe lang:en\t155\t1.55\t2026-11-18T09:12:00.000Z',
      "'@barista\t12\t0.12\t2026-11-18T09:20:00.000Z",
      'a b c\t3\t0.3\t',
    ]);
    expect(tabSeparated(spentRows(SPENDING, 'day'), 'day').split('\n')[1]).toBe(
      '2026-11-20\t36\t0.36',
    );
  });
});

it.each([
  ['2026-11-20T13:02:00Z', '2026-11-21', '2026-12-01'],
  ['2026-12-31T23:59:59Z', '2027-01-01', '2027-01-01'],
  ['2028-02-28T00:00:00Z', '2028-02-29', '2028-03-01'],
])('at %s the day’s cap resets on %s and the month’s on %s', (now, day, month) => {
  const next = resets(Date.parse(now));
  expect(next).toEqual({ day: Date.parse(day), month: Date.parse(month) });
});
