import { wrap, type Remote } from 'comlink';
import { searchHours, type HourSearch } from '#core/series/peaks.ts';
import type { Curve } from '#core/series/series.ts';
import type { PeakWorker } from './peak-worker.ts';

interface Searcher {
  readonly remote: Remote<PeakWorker>;
  /** Rejects when the worker has stopped: Comlink alone would wait forever. */
  readonly stopped: Promise<never>;
}

let searcher: Searcher | null = null;

function started(): Searcher {
  const worker = new Worker(new URL('./peak-worker.ts', import.meta.url), { type: 'module' });
  const stopped = new Promise<never>((_, reject) => {
    worker.addEventListener('error', ({ message }) => reject(new Error(message)));
  });
  stopped.catch(() => undefined);
  return { remote: wrap<PeakWorker>(worker), stopped };
}

/** {@link searchHours} in a worker, which starts with the first search. */
export async function searchHoursElsewhere(hours: Curve, zone: string): Promise<HourSearch | null> {
  try {
    searcher ??= started();
    return await Promise.race([searcher.remote.searchHours(hours, zone), searcher.stopped]);
  } catch {
    // Slower, but right: the page may be offline, or its memory scarce.
    return searchHours(hours, zone);
  }
}
