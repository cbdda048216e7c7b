import type { SourceId } from '#contract/counts/source.ts';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { WrongQueryError, readQueryOf } from '#server/counting/wrong-query.ts';
import { choiceOf, UsageError, type Option, type Values } from './options.ts';
import { queryMistake } from './query-mistake.ts';
import {
  granularityOf,
  rangeOf,
  TIME_HELP,
  TIME_OPTIONS,
  type RangeOrder,
} from './time-options.ts';

/** Most series of one file. */
const MOST_QUERIES = 100;

/** Series that a command line names: queries of a source over buckets. */
export interface SeriesOrder {
  readonly source: SourceId;
  /** Trimmed; valid for the source. */
  readonly queries: readonly string[];
  readonly range: RangeOrder;
  /** Null: the one that fits the range. */
  readonly granularity: Resolution | null;
}

/** How an answer is written; null: a table on a terminal, else CSV. */
export type Form = 'csv' | 'json' | 'table';

export interface CountsOrder extends SeriesOrder {
  readonly form: Form | null;
  /** Of a CSV. */
  readonly shape: 'long' | 'wide';
  /** Whether to spend what the plan costs without asking. */
  readonly yes: boolean;
}

export interface PlanOrder extends SeriesOrder {
  readonly json: boolean;
}

export const FORM_OPTIONS = {
  csv: { type: 'boolean' },
  json: { type: 'boolean' },
  table: { type: 'boolean' },
} as const satisfies Readonly<Record<string, Option>>;

const SERIES_OPTIONS = {
  source: { type: 'string' },
  granularity: { type: 'string' },
  ...TIME_OPTIONS,
} as const satisfies Readonly<Record<string, Option>>;

export const COUNTS_OPTIONS = {
  ...SERIES_OPTIONS,
  ...FORM_OPTIONS,
  long: { type: 'boolean' },
  wide: { type: 'boolean' },
  yes: { type: 'boolean' },
} as const satisfies Readonly<Record<string, Option>>;

export const PLAN_OPTIONS = {
  granularity: { type: 'string' },
  ...TIME_OPTIONS,
  json: { type: 'boolean' },
} as const satisfies Readonly<Record<string, Option>>;

const SERIES_HELP = `${TIME_HELP}
  --granularity WIDTH
                 ${RESOLUTIONS.join(', ')}: width of the buckets in the zone's
                 calendar (default: the one that fits the range)`;

export const EXIT_HELP = `The exit code is 0 if nothing is missing, 1 for a failure, 2 for a mistake in the command line, 3 if something is
missing, and 130 if the command was interrupted. Time to come, or outside the source's data, is not missing.
`;

export const COUNTS_HELP = `groundswell counts QUERY… [options]
Prints how many Posts match each query per bucket: the dashboard's numbers, in the dashboard's files. An unknown count
is empty, never zero. The command also works while a service is running.

  --source NAME  ${SOURCE_IDS.join(', ')} (default: posts). The platform's counts cost money: the plan and its
                 price come first, and the caps in the settings apply. Pages that were bought before are free.
${SERIES_HELP}
                 Without --from and --to: all of Your posts, the last 12 months of the sample, the last 30 days of
                 the platform
  --csv, --json, --table
                 form of the answer (default: a table on a terminal, else CSV)
  --long, --wide a CSV with a row per query and bucket, or with a row per bucket (default: long)
  --yes          spend what the plan costs without asking; platform only
`;

export const PLAN_HELP = `groundswell plan QUERY… [options]
Prints which platform requests the counts of each query would take, and what they would cost. It sends nothing and
spends nothing. Pages that were bought before are free.

${SERIES_HELP}
  --json         prints one object on one line
`;

/** The form that the options name. @throws {@link UsageError} if they name several. */
export function formOf(values: Values): Form | null {
  const named = (['csv', 'json', 'table'] as const).filter((form) => values.has(form));
  const [form = null, another] = named;
  if (another === undefined) return form;
  throw new UsageError(`Give --${form} or --${another}, not both.`);
}

/** A query as the dashboard reads it. @throws {@link UsageError} that points to what is wrong. */
export function queryOf(text: string, source: SourceId): string {
  const query = text.trim();
  if (query === '') throw new UsageError('A query is empty: give at least one word or operator.');
  try {
    readQueryOf(source, query);
    return query;
  } catch (error) {
    if (!(error instanceof WrongQueryError)) throw error;
    throw new UsageError(queryMistake(query, error.diagnostics));
  }
}

function seriesOf(
  command: string,
  queries: readonly string[],
  values: Values,
  source: SourceId,
): SeriesOrder {
  if (queries.length === 0) {
    throw new UsageError(
      `Give a query, in quotes if it has spaces: groundswell ${command} QUERY….`,
    );
  }
  if (queries.length > MOST_QUERIES) {
    throw new UsageError(`Give at most ${MOST_QUERIES} queries, got ${queries.length}.`);
  }
  return {
    source,
    queries: queries.map((query) => queryOf(query, source)),
    range: rangeOf(values),
    granularity: granularityOf(values),
  };
}

/** Reads `groundswell counts …`. @throws {@link UsageError} for a query, option or value that is wrong. */
export function countsOf(queries: readonly string[], values: Values): CountsOrder {
  const source = choiceOf(values, 'source', SOURCE_IDS) ?? 'posts';
  const series = seriesOf('counts', queries, values, source);
  const form = formOf(values);
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

/** Reads `groundswell plan …`. @throws {@link UsageError} for a query, option or value that is wrong. */
export function planOf(queries: readonly string[], values: Values): PlanOrder {
  return { ...seriesOf('plan', queries, values, 'platform'), json: values.has('json') };
}
