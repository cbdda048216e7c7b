import type { NewsSource } from '#server/api/news/finder-thread.ts';
import type { Defer } from '#server/closings.ts';
import { notCompacted, openCompactor } from '#server/maintenance/compact-thread.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { openEditor } from '#server/posts/editor/editor-thread.ts';
import { paced } from '#server/streams/paced.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { StoredDeps } from './parts-deps.ts';

/** Number of created and deleted Posts between two checks whether the index needs compaction. */
const CHANGES_PER_CHECK = 512;

/**
 * The least time between two notices of new entries to readers of a log, ms. Where Posts arrive faster, several lines
 * reach a client in one write; that halves the work.
 */
const WAKE_MS = 20;

/** Opens what changes both files of Posts, and what compacts their indexes. */
export function openEditors(
  folder: DataFolder,
  deps: StoredDeps,
  wake: (id: NewsSource) => void,
  defer: Defer,
) {
  const { host, timer, log, cluster } = deps;
  const opened = (id: NewsSource, index: string) => {
    const compactor = openCompactor(host, folder[id], notCompacted(index, log));
    defer(() => compactor.close());
    const onAppend = paced(WAKE_MS, () => wake(id), timer);
    let changes = 0;
    const editor = openEditor(host, folder[id], () => {
      onAppend();
      if (++changes % CHANGES_PER_CHECK === 0) compactor.wake();
    });
    defer(() => editor.close());
    return { compactor, editor };
  };
  const { editor: local, compactor } = opened('posts', 'The index');
  const sample = opened('sample', "The sample's index");
  const editor: PostEditor = cluster ? { ...local, ...cluster.editor(local) } : local;
  return { local, editor, compactor, sample };
}

/** The editors and compactors of both files of Posts. */
export type Editors = ReturnType<typeof openEditors>;
