import type { Client } from '#app/api/client.ts';
import type { PageConnection } from '#app/api/connect.ts';
import type { PostSearch } from '#app/api/search-api.ts';
import type { ImportApi } from '#app/api/import-api.ts';
import type { FileSender } from '#app/api/sent-file.ts';
import { platformApi, type PlatformApi } from '#app/api/platform-api.ts';
import type { SourceInfo } from '#contract/counts/source.ts';
import type { CacheListener } from './cache/opening.ts';
import type { Span } from '#core/time/span.ts';
import { BOARDS_CHANNEL } from '#app/counts/cache/saved-board.ts';
import { SourceChanges } from './source-changes.ts';
import type { TabLock } from '#app/counts/fetch/free-fetch.ts';
import type { PlanApproval } from '#app/counts/fetch/approval.svelte.ts';
import { SeriesRun } from '#app/counts/fetch/series-run.svelte.ts';
import { loadSources, type Sources } from './sources.ts';
import { tabsOver } from './tabs.ts';
import type { LiveConnection } from './browser-live.ts';
import {
  connect,
  type BoardsClient,
  type BoardSyncClient,
  type InventoryClient,
} from '#app/counts/worker/client.ts';

export interface Counts {
  /**
   * Creates the run of one series of the board.
   *
   * @param name - Name of its plan.
   * @param approval - Decides on its plan.
   */
  run(name: () => string, approval: PlanApproval): SeriesRun;
  /** See {@link loadSources}. */
  sources(): Promise<Sources>;
  /** See {@link SourceChanges.since}. */
  changes(source: SourceInfo): Promise<readonly Span[] | null>;
  /** The service's time, as far as known, epoch ms. */
  now(): number;
  /** Imports the user's files into Your posts. */
  readonly imports: ImportApi;
  /** Sends the service files that are no Posts. */
  readonly files: FileSender;
  /** The platform's terms and spending. */
  readonly platform: PlatformApi;
  /** Sends what has no API of its own here, because it loads later. */
  readonly client: Pick<Client, 'send' | 'json' | 'now'>;
  /** The parts with which boards follow changes as they are made. */
  readonly live: LiveConnection;
  /** Searches the Posts of a source, one page at a time. */
  readonly search: PostSearch;
  readonly inventory: InventoryClient;
  /** The boards saved in this browser. */
  readonly boards: BoardsClient;
  /** Compares them with those that the service stores. */
  readonly boardSync: BoardSyncClient;
  /** Calls back when any tab, including this one, has written boards. @returns Unsubscribes. */
  onBoards(written: () => void): () => void;
}

/** A Web Lock. Outside a secure context there are none, and each tab fetches for itself. */
const webLock: TabLock = async (name, signal, work, onBusy) => {
  if (!('locks' in navigator)) {
    await work();
    return;
  }
  const free = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
    if (lock) await work();
    return lock !== null;
  });
  if (free) return;
  onBusy?.();
  await navigator.locks.request(name, { signal }, work);
};

/**
 * Connects the cache and its worker with the service that this page came from.
 *
 * @param login - Id of the login whose boards and counts these are; empty where only this machine reaches the service.
 */
export function createCounts(
  listener: CacheListener,
  { client, send }: PageConnection,
  login: string,
): Counts {
  const worker = new Worker(new URL('./worker/worker.ts', import.meta.url), {
    type: 'module',
    name: login,
  });
  const { store, inventory, boards, boardSync } = connect(worker, listener);
  const random = (): number => Math.random();
  const tabs = tabsOver('groundswell-counts' + login);
  const changes = new SourceChanges(client, store, tabs);
  const boardTabs = tabsOver<null>(BOARDS_CHANNEL + login);
  /** Loaded with the first import. */
  const imports = async (): Promise<ImportApi> => {
    const { importApi } = await import('#app/api/import-api.ts');
    const { sendFile } = await import('#app/api/sent-file.ts');
    return importApi(client, sendFile, send);
  };
  /** Loaded with the first file. */
  const files = async (): Promise<FileSender> => {
    const { sender, sendFile } = await import('#app/api/sent-file.ts');
    return sender(client, sendFile);
  };
  let entered: Promise<void> | null = null;
  return {
    run: (name, approval) =>
      new SeriesRun({ store, client, changes, lock: webLock, tabs, approval, random }, name),
    sources: async () => {
      const { signal } = new AbortController();
      // Signing in first avoids a refusal on every new visit. Without the service, the remembered sources are used.
      entered ??= client.signIn(signal);
      await entered.catch(() => (entered = null));
      return loadSources(client, store, signal);
    },
    changes: (source) => changes.since(source, source),
    now: () => client.now(),
    imports: {
      import: async (...args) => (await imports()).import(...args),
      stop: async (work) => (await imports()).stop(work),
    },
    files: {
      json: async (...args) => (await files()).json(...args),
      lines: async (...args) => (await files()).lines(...args),
    },
    platform: platformApi(client),
    client,
    live: { client, send, store, login },
    search: async (...args) => {
      const { postSearch } = await import('#app/api/search-api.ts');
      return await postSearch(client, random)(...args);
    },
    inventory,
    boards,
    boardSync,
    onBoards: (written) => boardTabs.listen(written),
  };
}
