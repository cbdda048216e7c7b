import type { MessagePort } from 'node:worker_threads';
import type { Db } from '#server/db/driver.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { CollectionError } from '#server/posts/store/collections.ts';
import { editorOver, type PostEditor } from './editor.ts';
import type { Change, Results } from './changes.ts';
import { groupedWrites, type GroupedWrites } from './grouped-writes.ts';
import { PostExistsError } from './writer.ts';
import { answerCalls, callThread, type Calls } from '#server/thread-calls.ts';
import { errorOf, type ThreadData, type ThreadFault } from '#server/threads.ts';

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
  // A call of null asks the thread to end.
  let thread: Calls<Call | null, unknown> | null = null;
  const start = (): Calls<Call | null, unknown> => {
    const onEnd = (): void => {
      if (thread === started) thread = null;
    };
    const data: EditorData = { task: 'editor', entry: entry.href, file };
    const started = callThread<Call | null, unknown>(data, {
      limits: LIMITS,
      ended: ENDED,
      error: changeError,
      onEnd,
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

function changeError(fault: ThreadFault): Error {
  if (fault.kind === 'PostExistsError') return new PostExistsError(fault.message);
  if (fault.kind === 'CollectionError') return new CollectionError(fault.message);
  return errorOf(fault);
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
  let opened: {
    readonly db: Db;
    readonly writes: GroupedWrites;
    readonly editor: PostEditor;
  } | null = null;
  const open = () => {
    const db = openPosts(file, deps);
    const writes = groupedWrites(db, setImmediate);
    return { db, writes, editor: editorOver(db, deps.now, writes) };
  };
  const carryOut = async (call: Call | null): Promise<unknown> => {
    if (call) return await answer((opened ??= open()).editor, call);
    opened?.writes.flush();
    opened?.db.close();
    return null;
  };
  answerCalls(port, carryOut, (call) => call === null);
}
