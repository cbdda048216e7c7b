import type { ResourceLimits } from 'node:worker_threads';
import type { Timer } from './timer.ts';
import type { StoreReason } from '#server/db/store-error.ts';

/*
 * Threads by their methods: the service calls the methods of an object that lives in another thread. Messages clone
 * arguments and results. An argument may also be an AbortSignal or a callback, whose result is ignored and which must
 * not throw.
 */

/** Start data of every thread. */
export interface ThreadData {
  readonly task: string;
  /** The program's module, which runs the task. */
  readonly entry: string;
  readonly data: unknown;
}

/** Parts of the process that tasks use. */
export interface ThreadDeps {
  /** The host of further tasks. */
  readonly host: TaskHost;
  readonly random: (n: number) => Uint8Array;
  /** Epoch ms. */
  readonly now: () => number;
  /** A clock that never goes back, ms. */
  readonly elapsed: () => number;
  readonly timer: Timer;
}

/** A kind of thread. `M` has the methods that it offers, all of which return promises. */
export interface Task<D, M extends object> {
  readonly name: string;
  /** Without limits, V8 lets garbage grow to gigabytes. */
  readonly limits: ResourceLimits;
  /** Message of the error of calls in progress when the thread ends unexpectedly. */
  readonly ended: string;
  /** Errors of the methods that keep their class, by name, in addition to {@link StoreError}. */
  readonly errors?: Readonly<Record<string, new (message: string) => Error>>;
  /** Opens the object in the thread, at the first call. `close` runs when the thread is asked to end. */
  readonly open: (data: D, deps: ThreadDeps) => M & { close?(): void };
}

/** An object whose methods run in another thread, which the first call starts. */
export interface Thread<M extends object> {
  /**
   * Methods, which begin in the order of their calls. A call rejects with the error of the method, with the reason of
   * its signal if the method threw after the signal aborted, and with an {@link Error} if the thread ends first; the
   * next call starts another thread.
   */
  readonly methods: M;
  /** The methods of a thread that runs; null if there is none. */
  running(): M | null;
  /** Ends the thread once all calls are done. A call from now on starts another one. */
  close(): Promise<void>;
  /** Ends the thread at once; calls in progress reject. */
  terminate(): Promise<void>;
}

/** An error in transit to another thread. */
export interface ThreadFault {
  readonly kind: string;
  readonly message: string;
  /** Set for a {@link StoreError}. */
  readonly store: { readonly reason: StoreReason; readonly file: string } | null;
}

/** An argument of a call, as it is sent. */
export type CallArgument =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'signal'; readonly aborted: boolean }
  | { readonly is: 'callback' };

/** To the thread: a call, the end of a call's signal, or the wish that the thread ends. */
export type CallOrder = { readonly n: number } & (
  | { readonly type: 'call'; readonly method: string; readonly args: readonly CallArgument[] }
  | { readonly type: 'abort' }
  | { readonly type: 'close' }
);

/** From the thread: the result of a call, or the call of a callback, by the number of its argument. */
export type CallReport = { readonly n: number } & (
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'fault'; readonly fault: ThreadFault; readonly stopped: boolean }
  | { readonly type: 'callback'; readonly argument: number; readonly args: readonly unknown[] }
);

/** A method of a task. */
export type ThreadMethod = (...args: unknown[]) => Promise<unknown>;
/** A function that a thread calls in this one. */
export type ThreadCallback = (...args: unknown[]) => void;

/** Opens a task on this thread. */
export type OpenTask = <D, M extends object>(task: Task<D, M>, data: D) => M & { close?(): void };

/**
 * A host of tasks: threads that start from a module whose code calls {@link answerCalls} in a worker, or this thread,
 * where a function opens their objects.
 */
export type TaskHost = URL | OpenTask;
