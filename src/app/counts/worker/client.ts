import { proxy, transfer, wrap } from 'comlink';
import { Fault } from '#contract/fault.ts';
import type { BoardSync } from '#app/counts/cache/board-sync.ts';
import type { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import type { CacheListener } from '#app/counts/cache/opening.ts';
import { CACHE_BROKEN } from '#app/counts/cache/records.ts';
import type { SavedBoards } from '#app/counts/cache/saved-boards.ts';
import type { CountsStore } from './counts-store.ts';
import { PageCurves } from './curve-transfer.ts';
import { transferFaults } from './fault-transfer.ts';
import type { CountsWorker } from './worker.ts';

/** The public methods of a class, callable here or in a worker. */
type Methods<T> = Pick<T, keyof T>;

export type StoreClient = Methods<CountsStore>;
export type InventoryClient = Methods<CacheInventory>;
export type BoardsClient = Methods<SavedBoards>;
export type BoardSyncClient = Methods<BoardSync>;

type Method = (...args: unknown[]) => Promise<unknown>;

transferFaults();

function stoppedFault(cause: string): Fault {
  const words = 'Reload the page to continue. The stored counts are still there.';
  return new Fault(0, {
    title: 'The part of the page that stores counts has stopped',
    detail: cause ? `${words} (${cause})` : words,
    type: CACHE_BROKEN,
  });
}

/** Makes calls to a worker fail when it has stopped: Comlink alone would wait forever. */
function failWhenStopped(worker: Worker): (call: () => Promise<unknown>) => Promise<unknown> {
  const pending = new Set<(fault: Fault) => void>();
  let stopped: Fault | null = null;
  const stop = (cause: string): void => {
    stopped ??= stoppedFault(cause);
    for (const reject of pending) reject(stopped);
    pending.clear();
  };
  worker.addEventListener('error', ({ message }) => stop(message));
  worker.addEventListener('messageerror', () => stop('An answer could not be read'));
  return (call) =>
    new Promise((resolve, reject) => {
      if (stopped) throw stopped;
      pending.add(reject);
      call()
        .finally(() => pending.delete(reject))
        .then(resolve, reject);
    });
}

/** Connects to the counts in a worker. @param worker - Runs `worker.ts`. */
export function connect(worker: Worker, listener: CacheListener) {
  const remote = wrap<CountsWorker>(worker);
  const curves = new PageCurves();
  const run = failWhenStopped(worker);
  /** The methods of a part of the worker. `packing` has those that pack what they send. */
  const part = <T extends object>(methods: object, packing: Partial<T> = {}): T =>
    new Proxy({} as T, {
      get: (_, name) => {
        const method = (Reflect.get(packing, name) ?? Reflect.get(methods, name)) as Method;
        return (...args: unknown[]) => run(() => method(...args));
      },
    });
  // If the worker has stopped, the first awaited call reports it.
  void run(() => remote.listen(proxy(listener))).catch(() => undefined);
  return {
    store: part<StoreClient>(remote.store, {
      render: async (session, request) => {
        const rendered = await remote.render(session, curves.sent(request));
        return curves.rendered(request.edges, rendered);
      },
      accept: (session, response) =>
        remote.store.accept(session, transfer(response, [response.body])),
    }),
    inventory: part<InventoryClient>(remote.inventory),
    boards: part<BoardsClient>(remote.boards),
    boardSync: part<BoardSyncClient>(remote.boardSync),
  };
}
