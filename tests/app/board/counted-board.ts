import * as comparing from '#app/board/state/compare-with.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import type { View } from '#app/board/state/view.ts';
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

const SOURCE: SourceInfo = {
  id: 'sample',
  store: 'sample',
  revision: 1,
  posts: 9,
  first: '2023-11-20T00:00:00Z',
  last: '2026-11-20T13:00:00Z',
  coverage: [{ start: '2006-03-21T00:00:00Z', end: null }],
};

/**
 * Opens a board of the sample whose runs finish at once; `rest` runs what a zoom has scheduled.
 *
 * @param counted - Posts of a query in a bucket.
 */
export async function countedBoard(view: View, patch?: Patch, counted: Counted = byHours) {
  const runs: DrawnRun[] = [];
  const later: (() => void)[] = [];
  const board = new Board({
    run: () => {
      const run = new DrawnRun(NOW, patch, counted);
      runs.push(run);
      return run;
    },
    sources: () => Promise.resolve({ sources: [SOURCE], offline: false }),
    platform: () => Promise.reject(new Error('no platform here')),
    now: () => NOW,
    zone: 'UTC',
    weekStart: 1,
    later: (act) => later.push(act),
  });
  board.comparing = comparing;
  board.apply({ source: 'sample', zone: 'UTC', ...view }, []);
  await board.loadSources();
  const rest = async (): Promise<void> => {
    later.splice(0).forEach((act) => act());
    await new Promise((done) => setTimeout(done));
  };
  await rest();
  return { board, runs, rest };
}
