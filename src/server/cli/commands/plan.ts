import { command, JSON_OPTION } from '#server/cli/command.ts';
import { SERIES_OPTIONS, seriesOf } from '#server/cli/counting/series-options.ts';

export const planCommand = command({
  name: 'plan',
  summary: {
    'groundswell plan QUERY… [--from TIME] [--to TIME] [--granularity WIDTH]':
      'prints which platform requests the counts would take and what they would cost; spends nothing',
  },
  about: `groundswell plan QUERY… [options]
Prints which platform requests the counts of each query would take, and what they would cost. It sends nothing and
spends nothing. Pages that were bought before are free.`,
  column: 17,
  options: {
    ...SERIES_OPTIONS,
    ...JSON_OPTION,
  },
  read: (queries, values) => {
    const series = seriesOf('plan', queries, values, 'platform');
    return { plan: { ...series, json: values.has('json') } };
  },
  run: async (deps, order) =>
    await (await import('#server/cli/counting/plan.ts')).runPlan(deps, order),
});
