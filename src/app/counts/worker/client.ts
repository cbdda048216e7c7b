import { Fault } from '#contract/fault.ts';
import type { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { CACHE_BROKEN } from '#app/counts/cache/records.ts';
import { PageDrawings, type SentDrawn } from './curve-transfer.ts';
import type { SavedBoards } from '#app/counts/cache/saved-boards.ts';
import type { CountsStore } from './counts-store.ts';
import type { FromWorker, Rooms, ToWorker } from './calls.ts';

/** The public methods of a class, called here or in a worker. */
type Methods<T> = Pick<T, keyof T>;

export type StoreClient = Methods<CountsStore>;
export type InventoryClient = Methods<CacheInventory>;
export type BoardsClient = Methods<SavedBoards>;

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

type Call = (method: string, args: unknown[], transfer?: Transferable[]) => Promise<never>;

/** The fault for a worker that answers no more. */
function stopped(cause: string): Fault {
  const words = 'Reload the page to go on; the counts that were kept are still there.';
  return new Fault(0, {
    title: 'The part of this page that keeps counts has stopped',
    detail: cause ? `${words} (${cause})` : words,
    type: CACHE_BROKEN,
  });
}

/** The calls under way in one worker, whichever room they are of. */
class Dispatcher {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #ids = 0;
  /** Set once the worker answers no more. */
  #stopped: Fault | null = null;
  readonly drawings = new PageDrawings();
  onOutdated: () => void = () => undefined;
  onBlocked: (blocked: boolean) => void = () => undefined;
  onDeleted: () => void = () => undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (data.kind === 'outdated') this.onOutdated();
      else if (data.kind === 'deleted') this.onDeleted();
      else if (data.kind === 'blocked') this.onBlocked(data.blocked);
      else if (data.kind === 'done') this.#settle(data.id, ({ resolve }) => resolve(data.value));
      else {
        const { id } = data;
        const error =
          data.kind === 'fault' ? new Fault(data.status, data.body) : new Error(data.message);
        this.#settle(id, ({ reject }) => reject(error));
      }
    });
    worker.addEventListener('error', ({ message }) => this.#stop(message));
    worker.addEventListener('messageerror', () => this.#stop('An answer could not be read'));
  }

  /** Calls methods of a room. */
  calls(room: keyof Rooms): Call {
    return (method, args, transfer = []) =>
      new Promise((resolve, reject) => {
        if (this.#stopped) throw this.#stopped;
        this.#ids += 1;
        const id = this.#ids;
        this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
        try {
          this.#worker.postMessage({ id, room, method, args } satisfies ToWorker, transfer);
        } catch (error) {
          this.#waiting.delete(id);
          throw error;
        }
      });
  }

  #stop(cause: string): void {
    this.#stopped ??= stopped(cause);
    for (const { reject } of this.#waiting.values()) reject(this.#stopped);
    this.#waiting.clear();
  }

  #settle(id: number, act: (waits: Waiting) => void): void {
    const waits = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waits) act(waits);
  }
}

const dispatchers = new WeakMap<Worker, Dispatcher>();

function dispatcherOf(worker: Worker): Dispatcher {
  const dispatcher = dispatchers.get(worker) ?? new Dispatcher(worker);
  dispatchers.set(worker, dispatcher);
  return dispatcher;
}

/**
 * The keeper that runs in a worker.
 *
 * @param worker - Runs `worker.ts`.
 * @param onOutdated - Called when another tab opened a newer version of the cache.
 * @param onBlocked - Called with true when a tab with an older version keeps the cache from being opened, so
 *   that every call waits, and with false when it does no longer.
 * @param onDeleted - Called when the cache was deleted under the page: every call fails until it is loaded again.
 */
export function keeperIn(
  worker: Worker,
  onOutdated: () => void,
  onBlocked: (blocked: boolean) => void = () => undefined,
  onDeleted: () => void = () => undefined,
): StoreClient {
  const dispatcher = dispatcherOf(worker);
  dispatcher.onOutdated = onOutdated;
  dispatcher.onBlocked = onBlocked;
  dispatcher.onDeleted = onDeleted;
  const call = dispatcher.calls('keeper');
  return {
    open: (...args) => call('open', args),
    draw: async (desk, drawing) => {
      const drawn: SentDrawn = await call('draw', [desk, dispatcher.drawings.sent(drawing)]);
      return dispatcher.drawings.drawn(drawing.edges, drawn);
    },
    accept: (desk, arrival) => call('accept', [desk, arrival], [arrival.body]),
    judge: (...args) => call('judge', args),
    noteUncertain: (...args) => call('noteUncertain', args),
    close: (...args) => call('close', args),
    putAsk: (...args) => call('putAsk', args),
    dropAsk: (...args) => call('dropAsk', args),
    raiseSeries: (...args) => call('raiseSeries', args),
    pauseRun: (...args) => call('pauseRun', args),
    putRun: (...args) => call('putRun', args),
    store: (...args) => call('store', args),
    raise: (...args) => call('raise', args),
    restored: (...args) => call('restored', args),
    shorten: (...args) => call('shorten', args),
    sources: () => call('sources', []),
    rememberSources: (...args) => call('rememberSources', args),
  };
}

/** The shelf of the cache in the same worker. */
export function shelfIn(worker: Worker): InventoryClient {
  const call = dispatcherOf(worker).calls('shelf');
  return {
    series: () => call('series', []),
    receipts: (...args) => call('receipts', args),
    export: (...args) => call('export', args),
    import: (...args) => call('import', args),
    remove: (...args) => call('remove', args),
    mayMakeRoom: () => call('mayMakeRoom', []),
    setMayMakeRoom: (...args) => call('setMayMakeRoom', args),
  };
}

/** The saved boards in the same worker. */
export function boardsIn(worker: Worker): BoardsClient {
  const call = dispatcherOf(worker).calls('boards');
  return {
    list: () => call('list', []),
    board: (...args) => call('board', args),
    save: (...args) => call('save', args),
    rename: (...args) => call('rename', args),
    opened: (...args) => call('opened', args),
    remove: (...args) => call('remove', args),
    take: (...args) => call('take', args),
  };
}
