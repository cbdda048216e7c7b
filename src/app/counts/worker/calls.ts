import type { FaultBody } from '#contract/fault.ts';
import type { BoardsClient, InventoryClient, StoreClient } from './client.ts';

/** Name of the browser's database of counts. */
export const CACHE_NAME = 'groundswell-counts';

/** What answers in the worker. */
export interface Rooms {
  readonly keeper: StoreClient;
  readonly shelf: InventoryClient;
  readonly boards: BoardsClient;
}

/** A call of one method of one room; `args` are those of the method. */
export interface ToWorker {
  readonly id: number;
  readonly room: keyof Rooms;
  readonly method: string;
  readonly args: unknown[];
}

export type FromWorker =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | {
      readonly kind: 'fault';
      readonly id: number;
      readonly status: number;
      readonly body: FaultBody;
    }
  | { readonly kind: 'error'; readonly id: number; readonly message: string }
  /** Another tab opened a newer version of the database; this one is closed. */
  | { readonly kind: 'outdated' }
  /** The database was deleted; nothing is read or written until the page is loaded again. */
  | { readonly kind: 'deleted' }
  /** Whether a tab with an older version keeps the database from being opened: calls wait meanwhile. */
  | { readonly kind: 'blocked'; readonly blocked: boolean };
