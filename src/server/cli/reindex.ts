import { grouped } from '#core/format/number-text.ts';
import { DataFolder } from './data-folder.ts';
import { perform } from './run-or-delegate.ts';
import type { CommandDeps } from './command-deps.ts';
import { reindexProgress } from './ensure-index.ts';

/**
 * `groundswell reindex`: rebuilds the indexes of Your posts and of the sample from their Posts.
 *
 * @returns The exit code: 1 if it failed, 130 if it was interrupted, which leaves the index unchanged.
 * @throws {@link CommandError}, {@link StoreError} as `perform`.
 */
export async function runReindex(deps: CommandDeps, { data }: { data: string }): Promise<number> {
  let code = 1;
  const show = reindexProgress(deps);
  await perform(deps, new DataFolder(data), { kind: 'reindex', order: {} }, (event) => {
    show(event);
    if (event.type === 'reindexed') {
      deps.out(outcome(event));
      code = 0;
    } else if (event.type === 'fault') deps.err(`${event.message}\n`);
  });
  return code === 1 && deps.stopping.aborted ? 130 : code;
}

function outcome({ posts, sample }: { posts: number | null; sample: number | null }): string {
  if (posts === null && sample === null) return 'There are no Posts to index.\n';
  const lines = [
    ...(posts === null ? [] : [`Your posts: rebuilt the index of ${grouped(posts)} Posts.\n`]),
    ...(sample === null ? [] : [`The sample: rebuilt the index of ${grouped(sample)} Posts.\n`]),
  ];
  return lines.join('');
}
