import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { toError } from '#core/thrown.ts';
import { StoreError, type StoreReason } from '#server/db/driver.ts';
import type { Timer } from './timer.ts';

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

/** Code that runs a module from source, in development and tests, where Node needs tsx to read TypeScript. */
function fromSource(entry: string): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry)}); })`;
}

function startWorker(workerData: ThreadData, resourceLimits: ResourceLimits): Worker {
  const { entry } = workerData;
  const options = { workerData, resourceLimits, execArgv: [] };
  return entry.endsWith('.ts')
    ? new Worker(fromSource(entry), { ...options, eval: true })
    : new Worker(new URL(entry), options);
}

/** An error in transit to another thread. */
interface ThreadFault {
  readonly kind: string;
  readonly message: string;
  /** Set for a {@link StoreError}. */
  readonly store: { readonly reason: StoreReason; readonly file: string } | null;
}

/** Node's code for a thread that exceeded its limits. */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** The message, replaced where Node's own does not help a user. */
function messageOf(error: Error): string {
  if (!('code' in error) || error.code !== OUT_OF_MEMORY) return error.message;
  return 'The task needed more memory than allowed. If it read a file, its lines or entries are too large; split them.';
}

function faultOf(error: unknown): ThreadFault {
  const cause = toError(error);
  const { name } = cause;
  const message = messageOf(cause);
  const store = error instanceof StoreError ? { reason: error.reason, file: error.file } : null;
  return { kind: name, message, store };
}

/** The error of a fault: a {@link StoreError}, one of a known class, or one with the same name and message. */
function errorOf(
  { kind, message, store }: ThreadFault,
  errors: Task<never, object>['errors'],
): Error {
  if (store) return new StoreError(store.reason, store.file);
  const known = errors?.[kind];
  if (known) return new known(message);
  const error = new Error(message);
  error.name = kind;
  return error;
}

type Argument =
  | { readonly is: 'value'; readonly value: unknown }
  | { readonly is: 'signal'; readonly aborted: boolean }
  | { readonly is: 'callback' };

/** To the thread: a call, the end of a call's signal, or the wish that the thread ends. */
type Order = { readonly n: number } & (
  | { readonly type: 'call'; readonly method: string; readonly args: readonly Argument[] }
  | { readonly type: 'abort' }
  | { readonly type: 'close' }
);

/** From the thread: the result of a call, or the call of a callback, by the number of its argument. */
type Report = { readonly n: number } & (
  | { readonly type: 'value'; readonly value: unknown }
  | { readonly type: 'fault'; readonly fault: ThreadFault; readonly stopped: boolean }
  | { readonly type: 'callback'; readonly argument: number; readonly args: readonly unknown[] }
);

type Method = (...args: unknown[]) => Promise<unknown>;
type Callback = (...args: unknown[]) => void;

/** An object each of whose methods is `call`. */
function calling<M extends object>(call: (method: string, args: unknown[]) => Promise<unknown>): M {
  return new Proxy({} as M, {
    get:
      (_, name): Method =>
      (...args) =>
        call(String(name), args),
  });
}

/** An object that was opened, and how to end it. */
interface Opened<M> {
  readonly methods: M;
  readonly close: () => Promise<unknown>;
  readonly terminate: () => Promise<unknown>;
}

function openedBy<M extends object>(
  open: (onEnd: () => void) => Opened<M>,
  onStart?: (methods: M) => void,
): Thread<M> {
  let current: Opened<M> | null = null;
  const started = (): M => {
    if (current) return current.methods;
    const opened = open(() => {
      if (current === opened) current = null;
    });
    current = opened;
    onStart?.(opened.methods);
    return opened.methods;
  };
  const ended = async (how: 'close' | 'terminate'): Promise<void> => {
    const ending = current;
    current = null;
    await ending?.[how]();
  };
  return {
    methods: calling<M>(async (name, args) => (Reflect.get(started(), name) as Method)(...args)),
    running: () => current?.methods ?? null,
    close: () => ended('close'),
    terminate: () => ended('terminate'),
  };
}

type OpenTask = <D, M extends object>(task: Task<D, M>, data: D) => M & { close?(): void };

/**
 * A host of tasks: threads that start from a module whose code calls {@link answerCalls} in a worker, or this thread,
 * where a function opens their objects.
 */
export type TaskHost = URL | OpenTask;

/** Runs tasks on this thread, as if each were in another one. */
export function onThisThread(deps: Omit<ThreadDeps, 'host'>): OpenTask {
  const host: OpenTask = (task, data) => task.open(data, { ...deps, host });
  return host;
}

/**
 * An object in a thread of its own, which the first call starts.
 *
 * @param onStart - Called whenever a thread starts, before its first call.
 */
export function thread<D, M extends object>(
  host: TaskHost,
  task: Task<D, M>,
  data: D,
  onStart?: (methods: M) => void,
): Thread<M> {
  return openedBy((onEnd) => {
    if (host instanceof URL) {
      const worker = startWorker({ task: task.name, entry: host.href, data }, task.limits);
      return connected<M>(worker, task, onEnd);
    }
    const methods = host(task, data);
    const close = async (): Promise<void> => methods.close?.();
    return { methods, close, terminate: close };
  }, onStart);
}

/** Runs `work` with the methods of a thread that ends with it. */
export async function inThread<D, M extends object, T>(
  host: TaskHost,
  task: Task<D, M>,
  data: D,
  work: (methods: M) => Promise<T>,
): Promise<T> {
  const { methods, terminate } = thread(host, task, data);
  try {
    return await work(methods);
  } finally {
    await terminate();
  }
}

/** A call in progress. */
interface Pending {
  readonly args: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

function argumentOf(value: unknown): Argument {
  if (typeof value === 'function') return { is: 'callback' };
  if (value instanceof AbortSignal) return { is: 'signal', aborted: value.aborted };
  return { is: 'value', value };
}

function connected<M extends object>(
  worker: Worker,
  { ended, errors }: Pick<Task<never, M>, 'ended' | 'errors'>,
  onEnd: () => void,
): Opened<M> {
  const calls = new Map<number, Pending>();
  let next = 0;
  const send = (order: Order): void => worker.postMessage(order, []);
  worker.on('message', (report: Report) => {
    const call = calls.get(report.n);
    if (report.type === 'callback') {
      (call?.args[report.argument] as Callback | undefined)?.(...report.args);
      return;
    }
    calls.delete(report.n);
    if (report.type === 'value') call?.resolve(report.value);
    else if (report.stopped && call?.signal?.aborted) call.reject(call.signal.reason as Error);
    else call?.reject(errorOf(report.fault, errors));
  });
  const end = (cause: Error): void => {
    onEnd();
    for (const { reject } of calls.values()) reject(cause);
    calls.clear();
  };
  worker.on('error', (error) => end(errorOf(faultOf(error), errors)));
  worker.on('exit', () => end(new Error(ended)));
  const called = async (
    orderOf: (n: number) => Order,
    args: readonly unknown[] = [],
  ): Promise<unknown> => {
    const n = next++;
    const signal = args.find((value) => value instanceof AbortSignal);
    const abort = (): void => send({ n, type: 'abort' });
    send(orderOf(n));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await new Promise((resolve, reject) => {
        calls.set(n, { args, signal, resolve, reject });
      });
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
  return {
    methods: calling<M>((method, args) =>
      called((n) => ({ n, type: 'call', method, args: args.map(argumentOf) }), args),
    ),
    close: () => called((n) => ({ n, type: 'close' })),
    terminate: () => worker.terminate(),
  };
}

const transfers = new WeakMap<object, readonly ArrayBuffer[]>();

/** Marks the result of a method, whose buffers are then moved instead of cloned. */
export function transferring<T extends object>(value: T, buffers: readonly ArrayBuffer[]): T {
  transfers.set(value, buffers);
  return value;
}

/**
 * Answers the calls that reach a thread. It begins them in their order, and ends the thread once it is asked to and all
 * are done.
 */
export function answerCalls(
  task: Task<never, object>,
  { entry, data }: ThreadData,
  port: MessagePort,
  deps: Omit<ThreadDeps, 'host'>,
): void {
  let object: (object & { close?(): void }) | null = null;
  const calls = new Map<number, { readonly abort: () => void; readonly done: Promise<void> }>();
  const post = (report: Report): void => {
    const value = report.type === 'value' ? report.value : null;
    const buffers = typeof value === 'object' && value !== null ? transfers.get(value) : undefined;
    port.postMessage(report, [...(buffers ?? [])]);
  };
  const answer = async (
    n: number,
    { signal }: AbortController,
    work: () => unknown,
  ): Promise<void> => {
    try {
      post({ n, type: 'value', value: await work() });
    } catch (error) {
      post({ n, type: 'fault', fault: faultOf(error), stopped: signal.aborted });
    }
  };
  const call = (n: number, method: string, args: readonly Argument[]): void => {
    const controller = new AbortController();
    const values = args.map((argument, at): unknown => {
      if (argument.is === 'value') return argument.value;
      if (argument.is === 'callback')
        return (...given: unknown[]) => post({ n, type: 'callback', argument: at, args: given });
      if (argument.aborted) controller.abort();
      return controller.signal;
    });
    const done = answer(n, controller, () => {
      object ??= task.open(data as never, { ...deps, host: new URL(entry) });
      return (Reflect.get(object, method) as Method)(...values);
    }).finally(() => calls.delete(n));
    calls.set(n, { abort: () => controller.abort(), done });
  };
  const close = async (n: number): Promise<void> => {
    await answer(n, new AbortController(), async () => {
      object?.close?.();
      await Promise.all([...calls.values()].map(({ done }) => done));
    });
    port.close();
  };
  port.on('message', (order: Order) => {
    if (order.type === 'call') call(order.n, order.method, order.args);
    else if (order.type === 'abort') calls.get(order.n)?.abort();
    else void close(order.n);
  });
}
