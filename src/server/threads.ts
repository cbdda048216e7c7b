import { Worker, type ResourceLimits } from 'node:worker_threads';
import type {
  ThreadData,
  ThreadMethod,
  Thread,
  ThreadDeps,
  OpenTask,
  TaskHost,
  Task,
  CallArgument,
  CallOrder,
  CallReport,
  ThreadCallback,
} from './thread-task.ts';
import { threadError, threadFault } from './thread-fault.ts';

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

/** An object each of whose methods is `call`. */
function calling<M extends object>(call: (method: string, args: unknown[]) => Promise<unknown>): M {
  return new Proxy({} as M, {
    get:
      (_, name): ThreadMethod =>
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
    methods: calling<M>(async (name, args) =>
      (Reflect.get(started(), name) as ThreadMethod)(...args),
    ),
    running: () => current?.methods ?? null,
    close: () => ended('close'),
    terminate: () => ended('terminate'),
  };
}

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

function argumentOf(value: unknown): CallArgument {
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
  const send = (order: CallOrder): void => worker.postMessage(order, []);
  worker.on('message', (report: CallReport) => {
    const call = calls.get(report.n);
    if (report.type === 'callback') {
      (call?.args[report.argument] as ThreadCallback | undefined)?.(...report.args);
      return;
    }
    calls.delete(report.n);
    if (report.type === 'value') call?.resolve(report.value);
    else if (report.stopped && call?.signal?.aborted) call.reject(call.signal.reason as Error);
    else call?.reject(threadError(report.fault, errors));
  });
  const end = (cause: Error): void => {
    onEnd();
    for (const { reject } of calls.values()) reject(cause);
    calls.clear();
  };
  worker.on('error', (error) => end(threadError(threadFault(error), errors)));
  worker.on('exit', () => end(new Error(ended)));
  const called = async (
    orderOf: (n: number) => CallOrder,
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
