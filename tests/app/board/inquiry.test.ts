import { expect, it } from 'vitest';
import { Inquiry } from '#app/board/inquiry.svelte.ts';
import { peaksFound } from '#app/insight/peaks-found.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { countedBoard, NOW } from './counted-board.ts';
import { DrawnRun } from './drawn-run.svelte.ts';

it('finds the peaks of long curves one at a time, and those of short ones at once', async () => {
  const series = ['tea', 'cocoa'].map((query) => ({ query, label: '', hidden: false }));
  const burst = Date.UTC(2025, 5, 10, 12);
  const { board } = await countedBoard(
    { range: { from: '2025-01-01', to: '2025-12-31' }, resolution: 'minute', series },
    undefined,
    (_, start) => (start >= burst && start < burst + HOUR_MS ? 40 : 1),
  );
  const tasks: (() => void)[] = [];
  const inquiry = new Inquiry(board, {
    search: () => Promise.resolve({ posts: [], next: null }),
    run: () => new DrawnRun(NOW),
    later: (act) => tasks.push(act),
  });
  const named = (): string[] => [...new Set(inquiry.found.peaks.map(({ series }) => series.name))];
  expect([named(), tasks.length]).toEqual([[], 2]);
  expect([named(), tasks.length]).toEqual([[], 2]);
  tasks.shift()?.();
  expect(named()).toEqual(['tea']);
  tasks.shift()?.();
  expect(named()).toEqual(['tea', 'cocoa']);
  expect(inquiry.found).toEqual(peaksFound(board.series, board.zone, null));
  board.chooseResolution('day');
  await board.series.at(-1)?.asked;
  expect(inquiry.found).toEqual(peaksFound(board.series, board.zone, null));
  expect(tasks).toEqual([]);
});

it('looks into a column of several buckets by the series with most Posts in all of them', async () => {
  const series = ['big', 'small'].map((query) => ({ query, label: '', hidden: false }));
  const first = Date.UTC(2025, 0, 1);
  const { board } = await countedBoard(
    { range: { from: '2025-01-01', to: '2025-01-05' }, resolution: 'day', series, zone: 'UTC' },
    undefined,
    (query, start) => (query === 'small' ? 1 : start === first ? 0 : 1000),
  );
  const inquiry = new Inquiry(board, {
    search: () => Promise.resolve({ posts: [], next: null }),
    run: () => new DrawnRun(NOW),
    later: (act) => act(),
  });
  inquiry.pick(board.span);
  expect(board.picked?.of).toBe(board.series[0]?.id);
});
