import { toError } from '#core/thrown.ts';
import type { ThreadFault, Task } from './thread-task.ts';
import { StoreError } from '#server/db/store-error.ts';

/** Node's code for a thread that exceeded its limits. */
const OUT_OF_MEMORY = 'ERR_WORKER_OUT_OF_MEMORY';

/** The message, replaced where Node's own does not help a user. */
function messageOf(error: Error): string {
  if (!('code' in error) || error.code !== OUT_OF_MEMORY) return error.message;
  return 'The task needed more memory than allowed. If it read a file, its lines or entries are too large; split them.';
}

/** An error as it is sent to the other thread. */
export function threadFault(error: unknown): ThreadFault {
  const cause = toError(error);
  const { name } = cause;
  const message = messageOf(cause);
  const store = error instanceof StoreError ? { reason: error.reason, file: error.file } : null;
  return { kind: name, message, store };
}

/** The error of a fault: a {@link StoreError}, one of a known class, or one with the same name and message. */
export function threadError(
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
