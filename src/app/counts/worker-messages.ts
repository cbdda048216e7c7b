import type { FaultBody } from '#contract/fault.ts';
import type { Keeping } from './keeper-port.ts';

/** Name of the browser's database of counts. */
export const CACHE_NAME = 'groundswell-counts';

/** A call of the keeper; `args` are those of its method. */
export interface ToWorker {
  readonly id: number;
  readonly method: keyof Keeping;
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
  | { readonly kind: 'outdated' };
