import { expose, proxy, transfer, type ProxyMarked, type Remote } from 'comlink';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CACHE_NAME, CountsDatabase } from '#app/counts/cache/database.ts';
import { SavedBoards } from '#app/counts/cache/saved-boards.ts';
import type { CacheListener } from '#app/counts/cache/opening.ts';
import { BOARDS_CHANNEL } from '#app/counts/cache/saved-board.ts';
import { tabsOver } from '#app/counts/tabs.ts';
import { CountsStore } from './counts-store.ts';
import { WorkerCurves, type SentRequest, type SentCurve } from './curve-transfer.ts';
import { transferFaults } from './fault-transfer.ts';

transferFaults();

/** The login whose counts these are, by which the page named this worker. */
const { name } = self;
/** Also reaches this worker's own page: the two are different contexts of the same browser. */
const tabs = tabsOver<null>(BOARDS_CHANNEL + name);
let page: Remote<CacheListener & ProxyMarked> | null = null;

const cache = new CountsCache(new CountsDatabase(CACHE_NAME + name), {
  onOutdated: () => void page?.onOutdated(),
  onDeleted: () => void page?.onDeleted(),
  onBlocked: (blocked) => void page?.onBlocked(blocked),
  onBoards: () => tabs.send(null),
});

const store = new CountsStore(cache);
const curves = new WorkerCurves();
/** An object that loads when one of its methods is first called, because no curve needs it. */
function lazy<T extends object>(load: () => Promise<T>): Pick<T, keyof T> {
  let loading: Promise<T> | null = null;
  return new Proxy({} as T, {
    get:
      (_, name) =>
      async (...args: unknown[]): Promise<unknown> => {
        // If loading fails, the next call tries again.
        loading ??= load().catch((error: unknown) => {
          loading = null;
          throw error;
        });
        const loaded = await loading;
        return await Reflect.apply(Reflect.get(loaded, name) as () => unknown, loaded, args);
      },
  });
}

const inventory = lazy(async () => {
  const { CacheInventory } = await import('#app/counts/cache/cache-inventory.ts');
  return new CacheInventory(cache);
});
const boardSync = lazy(async () => {
  const { BoardSync } = await import('#app/counts/cache/board-sync.ts');
  return new BoardSync(cache.parts, Date.now);
});
const api = {
  listen: (listener: Remote<CacheListener & ProxyMarked>): void => {
    page = listener;
  },
  store: proxy(store),
  boards: proxy(new SavedBoards(cache.parts)),
  inventory: proxy(inventory),
  boardSync: proxy(boardSync),
  render: async (session: number, sent: SentRequest): Promise<SentCurve> => {
    const request = curves.request(sent);
    const rendered = await store.render(session, request);
    return transfer(...curves.sent(rendered, request, sent.wanted));
  },
};

export type CountsWorker = typeof api;

expose(api);
