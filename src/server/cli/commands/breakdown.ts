import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import {
  ANALYSIS_OPTIONS,
  analysisOf,
  limitOf,
  PERIOD_OPTIONS,
  optionSpan,
  type AnalysisOrder,
} from '#server/cli/analysis-options.ts';
import { command } from '#server/cli/command.ts';
import { UsageError, type Values } from '#server/cli/options.ts';

function breakdownOf(positionals: readonly string[], values: Values): AnalysisOrder {
  const [query = null, extra] = positionals;
  if (extra !== undefined) {
    throw new UsageError(
      'Give one query, in quotes if it has spaces: groundswell breakdown QUERY.',
    );
  }
  if (query !== null) {
    const parsed = parse(query, { own: values.all('source')[0] !== 'sample' });
    if (!parsed.ok) throw new UsageError(`The query has a mistake: ${message(parsed.diagnostics)}`);
  }
  const span = optionSpan(values, 'from', 'to');
  const isCompared = values.has('compare-from') || values.has('compare-to');
  const compared = isCompared
    ? optionSpan(values, 'compare-from', 'compare-to')
    : { start: span.start - (span.end - span.start), end: span.start };
  const limit = limitOf(values);
  return analysisOf(values, { what: 'breakdown', query, span, compared, limit });
}

export const breakdownCommand = command({
  name: 'breakdown',
  summary: {
    'groundswell breakdown [QUERY] --from TIME --to TIME [--source posts|sample] [--json|--csv]':
      'prints who wrote the Posts of a period, what they say, and what sets them apart from the period before',
  },
  about: `groundswell breakdown [QUERY] --from TIME --to TIME [options]
Prints who wrote the Posts of a period that match a query, and what they say, counted over all of them, reposts
included: kinds, authors, words and phrases that set them apart from another period, hashtags, cashtags, emoji, links,
languages and places. Without a query, it covers all Posts. The command also works while a service is running.`,
  column: 17,
  options: {
    ...PERIOD_OPTIONS,
    '--compare-from TIME, --compare-to TIME':
      'the period to compare with (default: as long, just before)',
    ...ANALYSIS_OPTIONS,
  },
  posts: 'folder',
  read: (words, values) => ({ analysis: breakdownOf(words, values) }),
  needsPosts: ({ analysis }) => analysis.source === 'posts',
  run: async (deps, order) =>
    await (await import('#server/cli/breakdown.ts')).runAnalysis(deps, order),
});
