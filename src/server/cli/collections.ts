import type { CollectionInfo, CollectionOrder } from '#contract/posts/collections.ts';
import { plural } from '#core/format/plural.ts';
import { RESTORABLE_MS } from '#server/posts/store/collections.ts';
import { DataFolder } from './data-folder.ts';
import type { CommandDeps } from './command-deps.ts';
import { perform } from './run-or-delegate.ts';

function line({ name, source, posts, first, last, included }: CollectionInfo): string {
  const span =
    first === null || last === null ? '' : `${first.slice(0, 10)} to ${last.slice(0, 10)}`;
  const from = source === null || source === name ? '' : `from ${source}`;
  const parts = [name, plural(posts, 'Post'), span, from];
  return `${[...parts, included ? '' : 'switched out'].filter((part) => part !== '').join('  ')}\n`;
}

/** What an order did. */
function done(order: Exclude<CollectionOrder, { action: 'list' }>): string {
  const { collection } = order;
  switch (order.action) {
    case 'rename':
      return `“${collection}” is now named “${order.name}”.\n`;
    case 'include':
      return `“${collection}” is switched in.\n`;
    case 'exclude':
      return `“${collection}” is switched out: its Posts do not count.\n`;
    case 'remove':
      return `“${collection}” was removed. For ${RESTORABLE_MS / 60_000} minutes, groundswell collections restore brings it back.\n`;
    case 'restore':
      return `“${collection}” was restored.\n`;
  }
}

/**
 * `groundswell collections {list,rename,include,exclude,remove,restore}`: prints the collections of Your posts, one per
 * line, or with `json` one object on one line.
 *
 * @returns The exit code.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runCollections(
  deps: CommandDeps,
  { data, collections: order, json }: { data: string; collections: CollectionOrder; json: boolean },
): Promise<number> {
  let code = 1;
  await perform(deps, new DataFolder(data), { kind: 'collections', order }, (event) => {
    if (event.type === 'fault') deps.err(`${event.message}\n`);
    if (event.type !== 'collections') return;
    code = 0;
    const { collections } = event;
    if (json) {
      deps.out(
        `${JSON.stringify(order.action === 'list' ? { collections } : (collections[0] ?? {}))}\n`,
      );
    } else if (order.action !== 'list') deps.out(done(order));
    else if (collections.length === 0) deps.out('There are no collections.\n');
    else deps.out(collections.map(line).join(''));
  });
  return code;
}
