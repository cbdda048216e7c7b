import { command } from '#server/cli/command.ts';
import { noMore, UsageError } from '#server/cli/options.ts';

export const verifyCommand = command({
  name: 'verify',
  summary: {
    'groundswell verify FILE':
      'recomputes the figures of a report, workbook, presentation or bundle from the counts in it',
  },
  about: `groundswell verify FILE
Recomputes the figures of a report, workbook, PowerPoint slide or bundle from the counts in it, without any service or
network, and names the first that disagrees: totals, known and missing buckets, times of fetching, points of a chart,
and of a report its table of buckets, means, medians, shares and peaks. Changes, margins and the finding need counts of
other periods, which the file does not have; they are covered by its checksums, as is everything else. This shows that
the file agrees with itself, not who wrote it: its checksums can be computed again after a change. The exit code is 1 if
something disagrees.`,
  options: {},
  read: ([file, extra]) => {
    if (file === undefined || file === '') {
      throw new UsageError('Name the file: groundswell verify FILE.');
    }
    noMore(extra, 'verify');
    return { file };
  },
  run: async (deps, order) =>
    await (await import('#server/cli/counting/verify.ts')).runVerify(deps, order),
});
