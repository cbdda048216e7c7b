import { Fault } from '#contract/fault.ts';
import type { Arrival, Keeping } from './keeper-port.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * A keeper that runs in a worker.
 *
 * @param worker - Runs `worker.ts`.
 * @param onOutdated - Called when another tab opened a newer version of the cache.
 */
export function keeperIn(worker: Worker, onOutdated: () => void): Keeping {
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  const settle = (id: number, act: (waits: Waiting) => void): void => {
    const waits = waiting.get(id);
    waiting.delete(id);
    if (waits) act(waits);
  };
  worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === 'outdated') onOutdated();
    else if (data.kind === 'done') settle(data.id, ({ resolve }) => resolve(data.value));
    else if (data.kind === 'fault') {
      settle(data.id, ({ reject }) => reject(new Fault(data.status, data.body)));
    } else settle(data.id, ({ reject }) => reject(new Error(data.message)));
  });
  worker.addEventListener('error', (event) => {
    const error = new Error(event.message || 'The worker for counts could not be started');
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });
  const call = (
    method: keyof Keeping,
    args: unknown[],
    transfer: Transferable[] = [],
  ): Promise<never> =>
    new Promise((resolve, reject) => {
      ids += 1;
      waiting.set(ids, { resolve: resolve as Waiting['resolve'], reject });
      worker.postMessage({ id: ids, method, args } satisfies ToWorker, transfer);
    });
  return {
    open: (...args) => call('open', args),
    draw: (...args) => call('draw', args),
    accept: (run, arrival: Arrival) => call('accept', [run, arrival], [arrival.body]),
    judge: (...args) => call('judge', args),
    close: (...args) => call('close', args),
    store: (...args) => call('store', args),
    raise: (...args) => call('raise', args),
    shorten: (...args) => call('shorten', args),
    sources: () => call('sources', []),
    rememberSources: (...args) => call('rememberSources', args),
  };
}
