import type { MessagePort, Worker } from 'node:worker_threads';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from './post-table.ts';
import { editorOver } from './editor.ts';
import type { Change, Results } from './changes.ts';
import type { PostEditor } from './editor.ts';
import { PostExistsError } from './writer.ts';
import { errorOf, faultOf, startThread } from '#server/threads.ts';
import type { ThreadData, ThreadFault } from '#server/threads.ts';

/** Start data of a thread that changes Posts. */
interface EditorData extends ThreadData {
  readonly task: 'editor';
  readonly file: string;
}

/** Arguments of a call, which for `write` do not depend on its type parameter. */
type Arguments<K extends keyof PostEditor> = K extends 'write'
  ? readonly Change[]
  : Parameters<PostEditor[K]>;

/** One call of the editor. */
type Call = {
  [K in keyof PostEditor]: { readonly what: K; readonly of: Arguments<K> };
}[keyof PostEditor];

/** A call of null asks the thread to end. */
type Request = { readonly n: number; readonly call: Call | null };
type Reply = { readonly n: number } & (
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly fault: ThreadFault }
);

/** The editor handles one Post at a time. */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

const ENDED = 'the thread that changes Posts ended unexpectedly';

/** Whether a worker's data starts a thread that changes Posts. */
export function isEditorData(data: unknown): data is EditorData {
  return typeof data === 'object' && data !== null && 'task' in data && data.task === 'editor';
}

/** An editor whose thread can be closed. */
export interface ThreadEditor extends PostEditor {
  /** Ends the thread once all calls are done. */
  close(): Promise<void>;
}

/**
 * An editor in its own thread, so that no reader waits while a change becomes durable or waits for
 * another writer. The first call starts the thread.
 *
 * @param entry - Module whose code calls {@link runEditor} in a worker.
 * @param onChange - Called after every change.
 */
export function openEditor(entry: URL, file: string, onChange: () => void): ThreadEditor {
  let thread: EditorThread | null = null;
  const start = (): EditorThread => {
    const started = new EditorThread({ task: 'editor', entry: entry.href, file }, () => {
      if (thread === started) thread = null;
    });
    return started;
  };
  const call = <K extends Call['what']>(
    what: K,
    ...of: Arguments<K>
  ): ReturnType<PostEditor[K]> => {
    thread ??= start();
    return thread.call({ what, of } as Call) as ReturnType<PostEditor[K]>;
  };
  return {
    write: async <const T extends readonly Change[]>(...changes: T) => {
      const results = await call('write', ...changes);
      onChange();
      // The call's type does not depend on the changes.
      return results as Results<T>;
    },
    find: (id) => call('find', id),
    writtenBy: (authorId, from, to) => call('writtenBy', authorId, from, to),
    close: async () => {
      const closing = thread;
      // A call from now on starts another thread.
      thread = null;
      await closing?.call(null);
    },
  };
}

/** The calling side of a thread; matches replies to calls by number. */
class EditorThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  #calls = 0;

  constructor(data: EditorData, onEnd: () => void) {
    this.#worker = startThread(data, LIMITS);
    this.#worker.on('message', (reply: Reply) => {
      const of = this.#waiting.get(reply.n);
      this.#waiting.delete(reply.n);
      if (reply.ok) of?.resolve(reply.value);
      else of?.reject(changeError(reply.fault));
    });
    const end = (error: Error): void => {
      onEnd();
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    this.#worker.on('error', end);
    this.#worker.on('exit', () => end(new Error(ENDED)));
  }

  call(call: Call | null): Promise<unknown> {
    const n = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve, reject });
      this.#worker.postMessage({ n, call } satisfies Request, []);
    });
  }
}

function changeError(fault: ThreadFault): Error {
  return fault.kind === PostExistsError.name ? new PostExistsError(fault.message) : errorOf(fault);
}

async function answer(editor: PostEditor, call: Call): Promise<unknown> {
  switch (call.what) {
    case 'write':
      return await editor.write(...call.of);
    case 'find':
      return await editor.find(...call.of);
    case 'writtenBy':
      return await editor.writtenBy(...call.of);
  }
}

/** Runs in the editor's thread, until it is asked to end. */
export function runEditor(
  { file }: EditorData,
  port: MessagePort,
  deps: { random: (n: number) => Uint8Array; now: () => number },
): void {
  let db: Db | null = null;
  let editor: PostEditor | null = null;
  const post = (reply: Reply): void => port.postMessage(reply, []);
  const reply = async ({ n, call }: Request): Promise<void> => {
    try {
      if (call) {
        db ??= openPosts(file, deps);
        editor ??= editorOver(db, deps.now);
        post({ n, ok: true, value: await answer(editor, call) });
        return;
      }
      db?.close();
      post({ n, ok: true, value: null });
      port.close();
    } catch (error) {
      post({ n, ok: false, fault: faultOf(error) });
    }
  };
  port.on('message', (request: Request) => void reply(request));
}
