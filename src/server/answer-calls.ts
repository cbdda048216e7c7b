import type { MessagePort } from 'node:worker_threads';
import type {
  Task,
  ThreadData,
  ThreadDeps,
  CallReport,
  CallArgument,
  ThreadMethod,
  CallOrder,
} from './thread-task.ts';
import { threadFault } from './thread-fault.ts';

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
  const post = (report: CallReport): void => {
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
      post({ n, type: 'fault', fault: threadFault(error), stopped: signal.aborted });
    }
  };
  const call = (n: number, method: string, args: readonly CallArgument[]): void => {
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
      return (Reflect.get(object, method) as ThreadMethod)(...values);
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
  port.on('message', (order: CallOrder) => {
    if (order.type === 'call') call(order.n, order.method, order.args);
    else if (order.type === 'abort') calls.get(order.n)?.abort();
    else void close(order.n);
  });
}
