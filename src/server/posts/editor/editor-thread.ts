import { openPosts } from '#server/posts/store/post-table.ts';
import { CollectionError } from '#server/posts/store/collections.ts';
import { thread } from '#server/threads.ts';
import { editorOver, type PostEditor } from './editor.ts';
import { groupedWrites } from './grouped-writes.ts';
import type { Task, TaskHost, Thread } from '#server/thread-task.ts';
import { PostExistsError } from './post-changes.ts';

export const EDITOR: Task<string, PostEditor> = {
  name: 'editor',
  // It handles one Post at a time.
  limits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
  ended: 'the thread that changes Posts ended unexpectedly',
  errors: { PostExistsError, CollectionError },
  open: (file, deps) => {
    const db = openPosts(file, deps);
    const writes = groupedWrites(db, setImmediate);
    return {
      ...editorOver(db, deps.now, writes),
      close: () => {
        writes.flush();
        db.close();
      },
    };
  },
};

/** An editor whose thread can be closed. */
export interface ThreadEditor extends PostEditor, Pick<Thread<PostEditor>, 'close'> {}

/**
 * An editor in its own thread, so that no reader waits while a change becomes durable or waits for
 * another writer. The first call starts the thread.
 *
 * @param onChange - Called after every change.
 */
export function openEditor(host: TaskHost, file: string, onChange: () => void): ThreadEditor {
  const { methods, close } = thread(host, EDITOR, file);
  return {
    write: async (...changes) => {
      const results = await methods.write(...changes);
      onChange();
      return results;
    },
    find: methods.find,
    writtenBy: methods.writtenBy,
    close,
  };
}
