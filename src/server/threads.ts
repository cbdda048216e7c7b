import { Worker, type ResourceLimits } from 'node:worker_threads';
import { toError } from '#core/thrown.ts';
import { StoreError, type StoreReason } from '#server/db/driver.ts';

/** Start data of every thread: its task, and the program's module, which runs it. */
export interface ThreadData {
  readonly task: string;
  readonly entry: string;
}

/** Code that runs a module from source, in development and tests, where Node needs tsx to read TypeScript. */
function fromSource(entry: string): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry)}); })`;
}

/** Starts a thread. Without limits, V8 lets garbage grow to gigabytes. */
export function startThread(workerData: ThreadData, resourceLimits: ResourceLimits): Worker {
  const { entry } = workerData;
  const options = { workerData, resourceLimits, execArgv: [] };
  return entry.endsWith('.ts')
    ? new Worker(fromSource(entry), { ...options, eval: true })
    : new Worker(new URL(entry), options);
}

/** An error in transit to another thread. */
export interface ThreadFault {
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

export function faultOf(error: unknown): ThreadFault {
  const cause = toError(error);
  const { name } = cause;
  const message = messageOf(cause);
  const store = error instanceof StoreError ? { reason: error.reason, file: error.file } : null;
  return { kind: name, message, store };
}

/** The error of a fault: a {@link StoreError}, or one with the same name and message. */
export function errorOf({ kind, message, store }: ThreadFault): Error {
  if (store) return new StoreError(store.reason, store.file);
  const error = new Error(message);
  error.name = kind;
  return error;
}
