import type { CollectionInfo, CollectionOrder } from '#contract/posts/collections.ts';
import { label } from '#core/text/label.ts';
import { collectionInfos } from '#server/api/collections/info.ts';
import { isStoreThere } from '#server/db/migrate.ts';
import { NEVER, oneStep } from '#server/index/steps.ts';
import type { PostChange } from '#server/posts/editor/changes.ts';
import { CollectionError } from '#server/posts/store/collections.ts';
import type { PostEditor } from '#server/posts/editor/editor.ts';
import { openSource } from '#server/posts/index/source.ts';
import type { SourceCollections } from '#server/posts/store/source-collections.ts';
import type { DataFolder } from '#server/data-folder.ts';
import type { Machine } from '#server/machine.ts';

export interface CollectionJobDeps extends Pick<Machine, 'random' | 'now'> {
  readonly editor: PostEditor;
}

type Edit = Exclude<CollectionOrder, { action: 'list' }>;

/** @throws {@link CollectionError} if no collection, or no removed one to restore, has the name. */
function idOf({ action, collection }: Edit, collections: SourceCollections): number {
  if (action !== 'restore') {
    const id = collections.named(collection);
    if (id !== null) return id;
    throw new CollectionError(`There is no collection named “${collection}”.`);
  }
  const wanted = label(collection);
  const removed = collections.removed.findLast(({ name }) => label(name) === wanted);
  if (removed) return removed.id;
  throw new CollectionError(`No removed collection named “${collection}” can be restored.`);
}

function changeOf(order: Edit, id: number, now: number): PostChange {
  switch (order.action) {
    case 'rename':
      return { what: 'renameCollection', of: [id, order.name] };
    case 'include':
    case 'exclude':
      return { what: 'includeCollection', of: [id, order.action === 'include'] };
    case 'remove':
      return { what: 'removeCollection', of: [id, now] };
    case 'restore':
      return { what: 'restoreCollection', of: [id] };
  }
}

/**
 * Carries out an order about the collections of a data folder that this process has locked.
 *
 * @returns The collections after it: all of a list, otherwise the one of the order. Rejects with
 *   {@link CollectionError} for a name that is unknown or taken.
 */
export async function orderCollections(
  folder: DataFolder,
  deps: CollectionJobDeps,
  order: CollectionOrder,
): Promise<CollectionInfo[]> {
  if (order.action === 'list' && !isStoreThere(folder.posts)) return [];
  const source = openSource(folder.posts, deps);
  const filled = (wanted: (id: number) => boolean): CollectionInfo[] => {
    const step = source.over(({ collections }, due) => collections.filled(due))(NEVER);
    return step.done ? collectionInfos(step.value.filter(({ id }) => wanted(id))) : [];
  };
  try {
    if (order.action === 'list') return filled(() => true);
    const found = source.over((state) => oneStep(() => idOf(order, state.collections)))(NEVER);
    const id = found.value as number;
    await deps.editor.write(changeOf(order, id, deps.now()));
    source.refresh();
    return filled((each) => each === id);
  } finally {
    source.close();
  }
}
