import {
  isProgress,
  orderEndpoint,
  readEvent,
  STOP,
  WORK_HEADER,
  type ControlEvent,
  type JobName,
  type JobOrder,
  type ServeNote,
} from '#contract/control/control.ts';
import type { CommandDeps } from '#server/cli/command-deps.ts';
import { CommandError } from '#server/command-error.ts';
import type { Emit } from '#server/http/job-stream.ts';

/** Work by name; only a running service uses the platform for others. */
export interface Work<K extends JobName> {
  readonly kind: K;
  readonly order: JobOrder<K>;
}

/** Splits a stream of UTF-8 into lines. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** @throws {@link CommandError} if the line is not an event. */
function eventOf(line: string): ControlEvent {
  const event = readEvent(line);
  if (event) return event;
  throw new CommandError(
    'Another program, or another version of Groundswell, answered on the service’s port. End it and run the command again.',
  );
}

/** Has the service do the work; false if none answers to the note. */
export async function delegate<K extends JobName>(
  deps: CommandDeps,
  note: ServeNote,
  { kind, order }: Work<K>,
  emit: Emit,
): Promise<boolean> {
  const service = `http://${note.host}:${note.port}`;
  const headers = {
    authorization: `Bearer ${note.secret}`,
    [WORK_HEADER]: Buffer.from(deps.random(16)).toString('hex'),
  };
  let answer: Response;
  try {
    answer = await fetch(service + orderEndpoint(kind).path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(order),
    });
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
  if (answer.status === 401 || answer.status === 404) return false;
  if (answer.status !== 200 || !answer.body) {
    throw new CommandError(`The running service refused the command with status ${answer.status}.`);
  }
  // A stop lets the service report what it did; closing the connection would not.
  const stop = (): void => {
    void fetch(service + STOP.path, { method: 'POST', headers }).catch(() => {});
  };
  deps.stopping.addEventListener('abort', stop, { once: true });
  if (deps.stopping.aborted) stop();
  let last: ControlEvent | null = null;
  try {
    for await (const line of linesOf(answer.body)) {
      last = eventOf(line);
      emit(last);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  } finally {
    deps.stopping.removeEventListener('abort', stop);
  }
  if (last === null || isProgress(last)) {
    throw new CommandError(
      'The running service ended before the work was complete. Run the command again.',
    );
  }
  return true;
}
