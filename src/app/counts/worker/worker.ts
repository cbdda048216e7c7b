import type { ProxyMarked, Remote } from 'comlink';
import { expose, proxy, transfer } from 'comlink';
import type { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { CountsCache } from '#app/counts/cache/counts-cache.ts';
import { CACHE_NAME, CountsDatabase } from '#app/counts/cache/database.ts';
import type { CacheListener } from '#app/counts/cache/opening.ts';
import { BOARDS_CHANNEL } from '#app/counts/cache/saved-board.ts';
import { tabsOver } from '#app/counts/tabs.ts';
import { CountsStore } from './counts-store.ts';
import type { SentRequest, SentCurve } from './curve-transfer.ts';
import { WorkerCurves } from './curve-transfer.ts';
import { transferFaults } from './fault-transfer.ts';

transferFaults();

/** Reaches this worker's own page too: the worker is another context of the same browser. */
const tabs = tabsOver<null>(BOARDS_CHANNEL);
let page: Remote<CacheListener & ProxyMarked> | null = null;

const cache = new CountsCache(new CountsDatabase(CACHE_NAME), {
  onOutdated: () => void page?.onOutdated(),
  onDeleted: () => void page?.onDeleted(),
  onBlocked: (blocked) => void page?.onBlocked(blocked),
  onBoards: () => tabs.send(null),
});

const store = new CountsStore(cache);
const curves = new WorkerCurves();
let inventory: Promise<CacheInventory> | null = null;

/** Loads the inventory with its first call: no curve needs it. */
const lazyInventory = new Proxy({} as Pick<CacheInventory, keyof CacheInventory>, {
  get:
    (_, name: keyof CacheInventory) =>
    async (...args: unknown[]): Promise<unknown> => {
      inventory ??= import('#app/counts/cache/cache-inventory.ts').then(
        ({ CacheInventory }) => new CacheInventory(cache),
      );
      const loaded = await inventory;
      return await Reflect.apply(loaded[name], loaded, args);
    },
});

const api = {
  listen: (listener: Remote<CacheListener & ProxyMarked>): void => {
    page = listener;
  },
  store: proxy(store),
  boards: proxy(cache.boards),
  inventory: proxy(lazyInventory),
  render: async (session: number, sent: SentRequest): Promise<SentCurve> => {
    const request = curves.request(sent);
    const rendered = await store.render(session, request);
    return transfer(...curves.sent(rendered, request, sent.wanted));
  },
};

export type CountsWorker = typeof api;

expose(api);
