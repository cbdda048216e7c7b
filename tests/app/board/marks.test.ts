import { expect, it } from 'vitest';
import { marksOf } from '#app/board/marks.ts';
import { Words } from '#app/board/words.ts';

const words = new Words('en-GB');
const MOVE = Date.UTC(2026, 4, 4);
const year = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2027, 0, 1) };
const moved = { at: MOVE, text: 'new index' };

it('names each date once, however many series it concerns, by the platform’s own day', () => {
  const seams = [{ at: Date.UTC(2026, 1, 1), before: 1, after: 2 }];
  const marks = marksOf(
    [
      { seams: [], changes: [moved] },
      { seams, changes: [moved] },
    ],
    year,
    words,
  );
  expect(marks).toEqual([
    { at: Date.UTC(2026, 1, 1), text: '1 Feb 2026: index seam' },
    { at: MOVE, text: '4 May 2026: new index' },
  ]);
});

it('joins what happened at one instant', () => {
  const run = { seams: [{ at: MOVE, before: 1, after: 2 }], changes: [moved] };
  expect(marksOf([run], year, words)).toEqual([
    { at: MOVE, text: '4 May 2026: new index, index seam' },
  ]);
});

it('leaves out what lies outside the window', () => {
  const run = { seams: [], changes: [moved] };
  expect(marksOf([run], { start: year.start, end: MOVE }, words)).toEqual([]);
  expect(marksOf([run], { start: MOVE, end: year.end }, words)).toHaveLength(1);
});
