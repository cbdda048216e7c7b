import type { MessagePort, ResourceLimits } from 'node:worker_threads';
import { errorOf, faultOf, startThread, type ThreadData, type ThreadFault } from './threads.ts';

interface Request<C> {
  readonly n: number;
  readonly call: C;
}
type Reply<V> = { readonly n: number } & (
  { readonly ok: true; readonly value: V } | { readonly ok: false; readonly fault: ThreadFault }
);

/** What carries out calls in their order. */
export interface Calls<C, V> {
  /** Sends a call whose result nobody waits for. */
  send(call: C): void;
  /** @throws the error of the call; an {@link Error} if the thread ends first. */
  call(call: C): Promise<V>;
}

export interface CalledThread {
  readonly limits: ResourceLimits;
  /** Message of the error of calls that were waiting when the thread ended unexpectedly. */
  readonly ended: string;
  /** The error of a call. */
  readonly error?: (fault: ThreadFault) => Error;
  /** Called when the thread ended. */
  readonly onEnd: () => void;
}

/** Starts a thread that runs {@link answerCalls}. */
export function callThread<C, V>(
  data: ThreadData,
  { limits, ended, error = errorOf, onEnd }: CalledThread,
): Calls<C, V> {
  const worker = startThread(data, limits);
  const waiting = new Map<
    number,
    { readonly resolve: (value: V) => void; readonly reject: (error: Error) => void }
  >();
  let calls = 0;
  worker.on('message', (reply: Reply<V>) => {
    const of = waiting.get(reply.n);
    waiting.delete(reply.n);
    if (reply.ok) of?.resolve(reply.value);
    else of?.reject(error(reply.fault));
  });
  const end = (cause: Error): void => {
    onEnd();
    for (const { reject } of waiting.values()) reject(cause);
    waiting.clear();
  };
  worker.on('error', end);
  worker.on('exit', () => end(new Error(ended)));
  const send = (call: C): void => worker.postMessage({ n: calls++, call } satisfies Request<C>, []);
  return {
    send,
    call: (call) =>
      new Promise((resolve, reject) => {
        waiting.set(calls, { resolve, reject });
        send(call);
      }),
  };
}

/**
 * Answers the calls that reach a thread. It begins them in their order, and ends the thread after the last one.
 *
 * @param isLast - Whether a call asks the thread to end.
 */
export function answerCalls<C>(
  port: MessagePort,
  carryOut: (call: C) => unknown,
  isLast: (call: C) => boolean,
): void {
  const answer = async ({ n, call }: Request<C>): Promise<void> => {
    try {
      const value: unknown = await carryOut(call);
      port.postMessage({ n, ok: true, value } satisfies Reply<unknown>, []);
      if (isLast(call)) port.close();
    } catch (error) {
      port.postMessage({ n, ok: false, fault: faultOf(error) } satisfies Reply<unknown>, []);
    }
  };
  port.on('message', (request: Request<C>) => void answer(request));
}
