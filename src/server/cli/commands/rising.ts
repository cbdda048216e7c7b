import { MOST_RISING_DAYS } from '#contract/counts/breakdown.ts';
import { DAY_MS } from '#core/time/span.ts';
import {
  ANALYSIS_OPTIONS,
  analysisOf,
  limitOf,
  PERIOD_OPTIONS,
  optionSpan,
  type AnalysisOrder,
} from '#server/cli/analysis-options.ts';
import { command } from '#server/cli/command.ts';
import { noMore, UsageError, type Values } from '#server/cli/options.ts';

function risingOf([extra]: readonly string[], values: Values): AnalysisOrder {
  noMore(extra, 'rising');
  const span = optionSpan(values, 'from', 'to');
  if (span.end - span.start > MOST_RISING_DAYS * DAY_MS) {
    throw new UsageError(`--to must be at most ${MOST_RISING_DAYS} days after --from.`);
  }
  return analysisOf(values, { what: 'rising', span, limit: limitOf(values) });
}

export const risingCommand = command({
  name: 'rising',
  summary: {
    'groundswell rising --from TIME --to TIME [--source posts|sample] [--json|--csv]':
      'prints the words, hashtags and authors that depart most from their usual level',
  },
  about: `groundswell rising --from TIME --to TIME [options]
Prints the words, hashtags and authors whose number of Posts departs most from its usual level, in at most 400 days.
The command also works while a service is running.`,
  column: 17,
  options: {
    ...PERIOD_OPTIONS,
    ...ANALYSIS_OPTIONS,
  },
  posts: 'folder',
  read: (words, values) => ({ analysis: risingOf(words, values) }),
  needsPosts: ({ analysis }) => analysis.source === 'posts',
  run: async (deps, order) =>
    await (await import('#server/cli/breakdown.ts')).runAnalysis(deps, order),
});
