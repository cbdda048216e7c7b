import { command } from '#server/cli/command.ts';
import { perform } from '#server/cli/perform/perform.ts';
import { noMore } from '#server/cli/options.ts';
import { sampleProgress } from '#server/cli/progress.ts';

export const sampleCommand = command({
  name: 'sample',
  summary: 'replaces the sample with a new one that ends now',
  about: `groundswell sample
Replaces the sample with a new one: about 200,000 invented Posts from three years, ending now.`,
  options: {},
  read: ([extra]) => {
    noMore(extra, 'sample');
    return {};
  },
  run: async (deps, { data }) => {
    let code = 1;
    const show = sampleProgress(deps);
    await perform(deps, data, 'sample', {}, (event) => {
      show(event);
      if (event.type === 'sampled') {
        deps.out(`The sample has ${event.posts} posts.\n`);
        code = 0;
      } else if (event.type === 'fault') deps.err(`No sample was made: ${event.message}\n`);
    });
    return code === 1 && deps.stopping.aborted ? 130 : code;
  },
});
