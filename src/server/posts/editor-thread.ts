import type { MessagePort, Worker } from 'node:worker_threads';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from './post-table.ts';
import { deskOver } from './editor.ts';
import type { PostEditor } from './editor.ts';
import { PostExistsError } from './writer.ts';
import { errorOf, faultOf, startThread } from '#server/threads.ts';
import type { ThreadData, ThreadFault } from '#server/threads.ts';

/** What a thread that changes Posts is started with. */
interface DeskData extends ThreadData {
  readonly task: 'desk';
  readonly file: string;
}

/** One question to a desk. */
type Ask = {
  [K in keyof PostEditor]: { readonly what: K; readonly of: Parameters<PostEditor[K]> };
}[keyof PostEditor];

/** No question means that there will be none any more. */
type Request = { readonly n: number; readonly ask: Ask | null };
type Reply = { readonly n: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: ThreadFault }
);

/** A desk handles one Post at a time. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

const ENDED = 'the thread that changes Posts ended by itself';

/** Whether a worker's data says that it changes Posts. */
export function isDeskData(data: unknown): data is DeskData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'desk';
}

/** A desk with a thread to let go of. */
export interface ThreadDesk extends PostEditor {
  /** Ends the thread when what was asked for is done. */
  close(): Promise<void>;
}

/**
 * A desk in a thread of its own, so that no reader waits while a change is made durable, or while it waits
 * for another writer. The thread is started by the first question.
 *
 * @param entry - module whose code calls {@link runDesk} in a worker.
 * @param onChange - called after every change.
 */
export function openDesk(entry: URL, file: string, onChange: () => void): ThreadDesk {
  let asking: Asking | null = null;
  const ask = <K extends Ask['what']>(
    what: K,
    ...of: Parameters<PostEditor[K]>
  ): ReturnType<PostEditor[K]> => {
    asking ??= new Asking({ task: 'desk', entry: entry.href, file }, () => (asking = null));
    return asking.ask({ what, of } as Ask) as ReturnType<PostEditor[K]>;
  };
  return {
    create: (post) => ask('create', post).then(onChange),
    remove: async (id) => {
      const done = await ask('remove', id);
      if (done) onChange();
      return done;
    },
    find: (id) => ask('find', id),
    writtenBy: (authorId, from, to) => ask('writtenBy', authorId, from, to),
    close: async () => void (await asking?.ask(null)),
  };
}

/** The asking side of a thread: replies by the number of the question. */
class Asking {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { readonly keep: (value: unknown) => void; readonly fail: (error: Error) => void }
  >();
  #asked = 0;

  constructor(data: DeskData, onEnd: () => void) {
    this.#worker = startThread(data, LIMITS);
    this.#worker.on('message', (reply: Reply) => {
      const of = this.#waiting.get(reply.n);
      this.#waiting.delete(reply.n);
      if (reply.ok) of?.keep(reply.value);
      else of?.fail(changeError(reply.fault));
    });
    const end = (error: Error): void => {
      onEnd();
      for (const { fail } of this.#waiting.values()) fail(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error(ENDED)));
  }

  ask(ask: Ask | null): Promise<unknown> {
    const n = this.#asked++;
    return new Promise((keep, fail) => {
      this.#waiting.set(n, { keep, fail });
      this.#worker.postMessage({ n, ask } satisfies Request, []);
    });
  }
}

function changeError(fault: ThreadFault): Error {
  return fault.kind === PostExistsError.name ? new PostExistsError(fault.message) : errorOf(fault);
}

async function answer(desk: PostEditor, ask: Ask): Promise<unknown> {
  switch (ask.what) {
    case 'create':
      return await desk.create(...ask.of);
    case 'remove':
      return await desk.remove(...ask.of);
    case 'find':
      return await desk.find(...ask.of);
    case 'writtenBy':
      return await desk.writtenBy(...ask.of);
  }
}

/** The work of a desk's thread, until there are no more questions. */
export function runDesk(
  { file }: DeskData,
  port: MessagePort,
  deps: { random: (n: number) => Uint8Array },
): void {
  let db: Db | null = null;
  let desk: PostEditor | null = null;
  const tell = (reply: Reply): void => port.postMessage(reply, []);
  const reply = async ({ n, ask }: Request): Promise<void> => {
    try {
      if (ask) {
        db ??= openPosts(file, deps);
        desk ??= deskOver(db);
        tell({ n, ok: true, value: await answer(desk, ask) });
        return;
      }
      db?.close();
      tell({ n, ok: true, value: null });
      port.close();
    } catch (error) {
      tell({ n, ok: false, fault: faultOf(error) });
    }
  };
  port.on('message', (request: Request) => void reply(request));
}
