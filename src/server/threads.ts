import { Worker } from 'node:worker_threads';
import type { ResourceLimits } from 'node:worker_threads';
import { StoreError } from '#server/db/driver.ts';
import type { StoreReason } from '#server/db/driver.ts';

/** What every thread is started with: its task, and the program's module, which runs it. */
export interface ThreadData {
  readonly task: string;
  readonly entry: string;
}

/** Runs from source, as in development and tests, where Node needs tsx to read TypeScript. */
function fromSource(entry: string): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(entry)}); })`;
}

/** Starts a thread. Without limits V8 lets garbage grow to gigabytes before it looks. */
export function startThread(workerData: ThreadData, resourceLimits: ResourceLimits): Worker {
  const { entry } = workerData;
  const options = { workerData, resourceLimits, execArgv: [] };
  return entry.endsWith('.ts')
    ? new Worker(fromSource(entry), { ...options, eval: true })
    : new Worker(new URL(entry), options);
}

/** An error on its way to another thread. */
export interface ThreadFault {
  readonly kind: string;
  readonly message: string;
  /** Of a {@link StoreError}. */
  readonly store: { readonly reason: StoreReason; readonly file: string } | null;
}

/** What Node calls a thread that its limits ended. */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** What went wrong, in words where Node's own say nothing to a user. */
function messageOf(error: Error): string {
  if (!('code' in error) || error.code !== OUT_OF_MEMORY) return error.message;
  return 'The work needed more memory than it may take. If it read a file, its lines or entries are too large; divide them.';
}

export function faultOf(error: unknown): ThreadFault {
  const cause = error instanceof Error ? error : new Error(String(error));
  const { name } = cause;
  const message = messageOf(cause);
  const store = error instanceof StoreError ? { reason: error.reason, file: error.file } : null;
  return { kind: name, message, store };
}

/** The error of a fault: a {@link StoreError}, or one of the same name and message. */
export function errorOf({ kind, message, store }: ThreadFault): Error {
  if (store) return new StoreError(store.reason, store.file);
  const error = new Error(message);
  error.name = kind;
  return error;
}
