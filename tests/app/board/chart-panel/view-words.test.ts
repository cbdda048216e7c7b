import { expect, it } from 'vitest';
import { comparisonWords, viewWords } from '#app/board/chart-panel/view-words.ts';
import { Formatter } from '#app/format/formatter.ts';
import { boardOf } from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';

const NOW = Date.UTC(2026, 10, 20);

it.each([
  ['previous', 'vs. previous period'],
  ['year', 'vs. the year before'],
  ['year-4', 'vs. the 4 years before'],
  ['previous-5', 'vs. the 5 periods before'],
] as const)('a view compared with %s reads %s', async (comparison, words) => {
  const { board } = boardOf(() => new DrawnRun(NOW), { now: () => NOW });
  const series = [{ query: 'rain', label: '', hidden: false }];
  const trend = { kind: 'average', buckets: 7 } as const;
  board.apply({ source: 'sample', zone: 'UTC', resolution: 'day', comparison, trend, series }, []);
  await board.loadSources();
  expect(comparisonWords(board, new Formatter('en-GB'))).toBe(words);
  expect(viewWords(board)).toEqual(['7-day average']);
});
