import { limitOf } from '#server/cli/analysis-options.ts';
import { command, JSON_OPTION } from '#server/cli/command.ts';
import { noMore, UsageError } from '#server/cli/options.ts';

export const diffCommand = command({
  name: 'diff',
  summary: {
    'groundswell diff OLD NEW [--limit N] [--json]':
      'says which buckets moved between two bundles, reports or other files of counts, and why as far as it is known',
  },
  about: `groundswell diff OLD NEW [--limit N] [--json]
Compares the counts of two files that Groundswell wrote: bundles, reports, workbooks, PowerPoint slides, CSV or JSON,
also of different kinds. For each topic it lists the buckets whose count moved, or is known to only one file, with the
reason as far as the files tell: another query, source, store, index or rules, Posts that were added or deleted, or a
count that was not final. It reads nothing else and counts nothing again. Buckets with other edges are not compared. The
exit code is 0 if there is no difference, 1 if there is one, and 2 if a file cannot be read.`,
  options: {
    '--limit N': 'maximum number of buckets listed for each topic, 1 to 100 (default: 10)',
    ...JSON_OPTION,
  },
  read: ([old, recent, extra], values) => {
    if (!old || !recent) {
      throw new UsageError('Name two files: groundswell diff OLD NEW.');
    }
    noMore(extra, 'diff');
    return { old, new: recent, limit: limitOf(values), json: values.has('json') };
  },
  run: async (deps, order) =>
    await (await import('#server/cli/counting/diff.ts')).runDiff(deps, order),
});
