import { grouped } from '#core/format/number-text.ts';
import { command } from '#server/cli/command.ts';
import { perform } from '#server/cli/perform/perform.ts';
import { noMore } from '#server/cli/options.ts';
import { reindexProgress } from '#server/cli/progress.ts';

function outcome({ posts, sample }: { posts: number | null; sample: number | null }): string {
  if (posts === null && sample === null) return 'There are no Posts to index.\n';
  const lines = [
    ...(posts === null ? [] : [`Your posts: rebuilt the index of ${grouped(posts)} Posts.\n`]),
    ...(sample === null ? [] : [`The sample: rebuilt the index of ${grouped(sample)} Posts.\n`]),
  ];
  return lines.join('');
}

export const reindexCommand = command({
  name: 'reindex',
  summary: 'rebuilds the index from the Posts',
  about: `groundswell reindex
Rebuilds the index of Your posts and of the sample from the Posts, which stay unchanged. The old index stays in
use until the new one is complete, also if the command is interrupted. If a service is running on the data
folder, it does the work.`,
  options: {},
  read: ([extra]) => {
    noMore(extra, 'reindex');
    return {};
  },
  run: async (deps, { data }) => {
    let code = 1;
    const show = reindexProgress(deps);
    await perform(deps, data, 'reindex', {}, (event) => {
      show(event);
      if (event.type === 'reindexed') {
        deps.out(outcome(event));
        code = 0;
      } else if (event.type === 'fault') deps.err(`${event.message}\n`);
    });
    return code === 1 && deps.stopping.aborted ? 130 : code;
  },
});
