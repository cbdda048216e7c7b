import * as comparing from '#app/board/state/compare-with.ts';
import type { BoardOptions } from '#app/board/state/board-options.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import type { View } from '#app/board/state/view.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { DrawnRun, type Counted, type Patch } from './drawn-run.svelte.ts';

export const NOW = Date.UTC(2026, 10, 20, 13, 2);

/** Posts of a query in an hour: a small number that depends on the query. */
export function inHour(query: string, hour: number): number {
  const at = Math.floor(hour / HOUR_MS);
  return (Math.imul(at ^ Math.imul(query.length + 3, 0x9e3779b1), 0x85ebca6b) >>> 28) % 7;
}

/** Sums the Posts of a query over whole hours, so that buckets of all widths agree. */
export const byHours: Counted = (query, start, end) => {
  let sum = 0;
  for (let at = start; at < end; at += HOUR_MS) sum += inHour(query, at);
  return sum;
};

/** A source that covers all time, with Posts of three years. */
export const sourceOf = (id: SourceInfo['id'], over: Partial<SourceInfo> = {}): SourceInfo => ({
  id,
  store: id,
  revision: 1,
  posts: 9,
  first: '2023-11-20T00:00:00Z',
  last: '2026-11-20T13:00:00Z',
  coverage: [{ start: '2006-03-21T00:00:00Z', end: null }],
  ...over,
});

/** The platform as a source. */
export const PLATFORM_SOURCE = sourceOf('platform', {
  store: 'platform.test',
  revision: 0,
  posts: null,
  first: '2006-03-21T00:00:00.000Z',
  last: null,
});

/** Sources as a board reads them. */
export const given =
  (...sources: SourceInfo[]): BoardOptions['sources'] =>
  () =>
    Promise.resolve({ sources, offline: false });

/** A board, by default of the sample, and its runs in order; `rest` runs what it has scheduled. */
export function boardOf<R extends Run>(make: () => R, over: Partial<BoardOptions> = {}) {
  const runs: R[] = [];
  const later: (() => void)[] = [];
  const board = new Board({
    run: () => {
      const run = make();
      runs.push(run);
      return run;
    },
    sources: given(sourceOf('sample')),
    platform: () => Promise.reject(new Error('no platform here')),
    now: () => NOW,
    zone: 'UTC',
    weekStart: 1,
    later: (act) => later.push(act),
    ...over,
  });
  board.comparing = comparing;
  const rest = async (): Promise<void> => {
    later.splice(0).forEach((act) => act());
    await new Promise((done) => setTimeout(done));
  };
  return { board, runs, rest };
}

/**
 * Opens a board of the sample whose runs finish at once.
 *
 * @param counted - Posts of a query in a bucket.
 */
export async function countedBoard(view: View, patch?: Patch, counted: Counted = byHours) {
  const made = boardOf(() => new DrawnRun(NOW, patch, counted));
  made.board.apply({ source: 'sample', zone: 'UTC', ...view }, []);
  await made.board.loadSources();
  await made.rest();
  return made;
}
