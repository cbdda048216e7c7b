import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import { command } from '#server/cli/command.ts';
import type { CountsOrder } from '#server/cli/counting/counts-layout.ts';
import { choiceOf, UsageError, type Values } from '#server/cli/options.ts';
import {
  EXIT_NOTES,
  outputForm,
  SERIES_OPTIONS,
  seriesOf,
} from '#server/cli/counting/series-options.ts';

function countsOf(queries: readonly string[], values: Values): CountsOrder {
  const source = choiceOf(values, 'source', SOURCE_IDS) ?? 'posts';
  const series = seriesOf('counts', queries, values, source);
  const form = outputForm(values);
  const [long, wide] = [values.has('long'), values.has('wide')];
  if (long && wide) throw new UsageError('Give --long or --wide, not both.');
  if ((long || wide) && form !== null && form !== 'csv') {
    throw new UsageError(`--${long ? 'long' : 'wide'} belongs to --csv.`);
  }
  const yes = values.has('yes');
  if (yes && series.source !== 'platform') {
    throw new UsageError('--yes belongs to --source platform: other counts cost nothing.');
  }
  return {
    ...series,
    form: long || wide ? 'csv' : form,
    shape: wide ? 'wide' : 'long',
    yes,
  };
}

export const countsCommand = command({
  name: 'counts',
  summary: {
    'groundswell counts QUERY… [--source NAME] [--from TIME] [--to TIME] [--granularity WIDTH] [--zone ZONE]': `prints how many Posts match each query per bucket, in the dashboard's CSV or JSON, or as a table`,
  },
  about: `groundswell counts QUERY… [options]
Prints how many Posts match each query per bucket: the dashboard's numbers, in the dashboard's files. An unknown count
is empty, never zero. The command also works while a service is running.`,
  column: 17,
  options: {
    '--source NAME': `${SOURCE_IDS.join(', ')} (default: posts). The platform's counts cost money: the plan and its
      price come first, and the caps in the settings apply. Pages that were bought before are free.`,
    ...SERIES_OPTIONS,
    '--granularity WIDTH': `${SERIES_OPTIONS['--granularity WIDTH']}
      Without --from and --to: all of Your posts, the last 12 months of the sample, the last 30 days of
      the platform`,
    '--csv, --json, --table': 'form of the answer (default: a table on a terminal, else CSV)',
    '--long, --wide':
      'a CSV with a row per query and bucket, or with a row per bucket (default: long)',
    '--yes': 'spend what the plan costs without asking; platform only',
  },
  notes: EXIT_NOTES,
  posts: 'cluster',
  read: (queries, values) => ({ counts: countsOf(queries, values) }),
  needsPosts: ({ counts }) => counts.source === 'posts',
  run: async (deps, order) =>
    await (await import('#server/cli/counting/counts.ts')).runCounts(deps, order),
});
