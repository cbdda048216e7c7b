import { expect, it } from 'vitest';
import { marksOf } from '#app/board/chart-panel/marks.ts';
import { datedChangesOf } from '#core/counts/seams.ts';
import { parse } from '#core/query/parse.ts';
import { Formatter } from '#app/format/formatter.ts';

const format = new Formatter('en-GB');
const MOVE = Date.UTC(2026, 4, 4);
const year = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2027, 0, 1) };
const moved = { at: MOVE, text: 'new index' };

it('marks each date once for all series, by the platform’s UTC day', () => {
  const seams = [{ at: Date.UTC(2026, 1, 1), before: 1, after: 2 }];
  const marks = marksOf(
    [
      { seams: [], changes: [moved] },
      { seams, changes: [moved] },
    ],
    year,
    format,
  );
  expect(marks).toEqual([
    { at: Date.UTC(2026, 1, 1), text: '1 Feb 2026: index seam', full: '1 Feb 2026: index seam' },
    { at: MOVE, text: '4 May 2026: new index', full: '4 May 2026: new index' },
  ]);
});

it('combines changes at the same instant', () => {
  const run = { seams: [{ at: MOVE, before: 1, after: 2 }], changes: [moved] };
  expect(marksOf([run], year, format)).toMatchObject([
    { at: MOVE, text: '4 May 2026: new index, index seam' },
  ]);
});

it('abbreviates the platform’s dated changes of operators on the chart', () => {
  const parsed = parse('tea min_likes:3', { product: 'all' });
  if (!parsed.ok) throw new Error('expected a query');
  const run = { seams: [], changes: datedChangesOf(parsed.ast) };
  const marks = marksOf([run], year, format);
  expect(marks.map(({ text }) => text)).toEqual([
    '19 Jan 2026: operators withdrawn',
    '4 May 2026: new search index, operators back',
  ]);
  expect(marks[0]?.full).toBe('19 Jan 2026: min_likes, min_replies and min_reposts withdrawn');
});

it('ignores changes outside the window', () => {
  const run = { seams: [], changes: [moved] };
  expect(marksOf([run], { start: year.start, end: MOVE }, format)).toEqual([]);
  expect(marksOf([run], { start: MOVE, end: year.end }, format)).toHaveLength(1);
});
