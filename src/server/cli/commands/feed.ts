import { command, JSON_OPTION } from '#server/cli/command.ts';
import type { FeedCommand } from '#server/cli/feed.ts';
import {
  actionOf,
  noMore,
  refuseForeign,
  usernameOf,
  UsageError,
  type Values,
} from '#server/cli/options.ts';

const ACTIONS = ['run', 'report'] as const;

/** The action that each option belongs to. */
const BELONGS = { 'allow-private': 'run', run: 'report', csv: 'report' } as const;

function feedOf([word, extra]: readonly string[], values: Values): FeedCommand {
  const action = actionOf('feed', ACTIONS, word);
  noMore(extra, 'feed');
  refuseForeign(values, 'feed', action, BELONGS);
  const named = values.last('user');
  const username =
    named === undefined ? null : usernameOf(named, 'Name the merchant: --user NAME.');
  const json = values.has('json');
  if (action === 'run') return { action, username, private: values.has('allow-private'), json };
  const csv = values.has('csv');
  if (csv && json) throw new UsageError('Choose one of --csv and --json.');
  const run = values.last('run') ?? null;
  if (run === null || /^\d{1,15}$/.test(run)) {
    return { action, username, run: run === null ? null : Number(run), csv, json };
  }
  throw new UsageError(`--run ${run} is not the id of a run: expected a number.`);
}

export const feedCommand = command({
  name: 'feed',
  summary: {
    'groundswell feed run|report [--user NAME]': `reads a merchant's product feed now, or reports its last runs`,
  },
  about: `groundswell feed run [--user NAME] [--allow-private]
groundswell feed report [--user NAME] [--run ID] [--csv]
Reads the scheduled feed of a product catalog now, or reports its next run, its last ten runs, and which rows of the
newest run have errors or warnings. If a service is running on the data folder, it does the work, and also reads the
feed on schedule. A run that ends with the service continues when the service starts again. The exit code is 1 if the
run failed.`,
  column: 19,
  options: {
    '--user NAME': 'username of the merchant (default: the only one with a feed)',
    '--allow-private':
      'allow a feed on this machine and its network, unless a running service decides; run only',
    '--run ID': 'a run other than the newest; report only',
    '--csv': 'prints all stored rows of the run, as CSV; report only',
    ...JSON_OPTION,
  },
  read: (words, values) => ({ feed: feedOf(words, values) }),
  run: async (deps, order) => await (await import('#server/cli/feed.ts')).runFeed(deps, order),
});
