import { DataFolder } from './data-folder.ts';
import { perform } from './run-or-delegate.ts';
import type { CommandDeps } from './command-deps.ts';
import { grouped } from './progress.ts';
import { reindexProgress } from './ensure-index.ts';

/**
 * `groundswell reindex`: makes the index of Your posts, and of the sample, anew from their Posts.
 *
 * @returns The exit code: 1 where it failed, 130 where it was stopped, which leaves the index as it was.
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
    ...(posts === null ? [] : [`Your posts: the index of ${grouped(posts)} Posts is new.\n`]),
    ...(sample === null ? [] : [`The sample: the index of ${grouped(sample)} Posts is new.\n`]),
  ];
  return lines.join('');
}
