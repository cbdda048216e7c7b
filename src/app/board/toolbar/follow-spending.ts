import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { boughtRuns } from '#app/board/plan/declined.ts';

/** Requests that the runs of a board have paid for, in this tab and in others: it changes with every page bought. */
export function boughtPages(series: readonly BoardSeries[]): number {
  const ofRun = ({ made, elsewhere }: Run): number =>
    made.requests + (made.uncertain?.requests ?? 0) + (elsewhere?.done ?? 0);
  return series.flatMap(boughtRuns).reduce((sum, run) => sum + ofRun(run), 0);
}

/**
 * Reads whenever it is called, one reading at a time: calls during a reading cause one more after it.
 *
 * @param read - Does not reject.
 */
export function coalesced(read: () => Promise<void>): () => void {
  let reading = false;
  let due = false;
  const start = async (): Promise<void> => {
    reading = true;
    while (due) {
      due = false;
      await read();
    }
    reading = false;
  };
  return () => {
    due = true;
    if (!reading) void start();
  };
}
