import type { SourceId } from '#contract/counts/source.ts';
import { RESOLUTIONS, type Resolution } from '#core/time/resolution.ts';
import { readQueryOf, WrongQueryError } from '#server/counting/wrong-query.ts';
import type { Options } from '#server/cli/command.ts';
import { choiceOf, UsageError, zoneOf, type Values } from '#server/cli/options.ts';
import { queryMistake } from '#server/cli/query-mistake.ts';

/** Most series of one file. */
const MOST_QUERIES = 100;

/** A range as typed: its ends, and the zone of its days. */
export interface RangeOrder {
  readonly from: string | null;
  readonly to: string | null;
  /** IANA name. */
  readonly zone: string;
}

/** Series that a command line names: queries of a source over buckets. */
export interface SeriesOrder {
  readonly source: SourceId;
  /** Trimmed; valid for the source. */
  readonly queries: readonly string[];
  readonly range: RangeOrder;
  /** Null: the one that fits the range. */
  readonly granularity: Resolution | null;
}

/** The form in which an answer is written; null: a table on a terminal, else CSV. */
export type OutputForm = 'csv' | 'json' | 'table';

export const RANGE_OPTIONS: Options = {
  '--from TIME, --to TIME': `the range, without its end: a day such as 2024-01-31, or a time such as "2024-01-31 08:30" in
    the zone or 2024-01-31T08:30:00Z`,
  '--zone ZONE':
    'time zone of days and times without an offset, such as Europe/Berlin (default: UTC)',
};

export const SERIES_OPTIONS: Options = {
  ...RANGE_OPTIONS,
  '--granularity WIDTH': `${RESOLUTIONS.join(', ')}: width of the buckets in the zone's
    calendar (default: the one that fits the range)`,
};

export const EXIT_NOTES = `The exit code is 0 if nothing is missing, 1 for a failure, 2 for a mistake in the command line, 3 if something is
missing, and 130 if the command was interrupted. Time to come, or outside the source's data, is not missing.`;

/** The range that the options name. @throws {@link UsageError} for an unknown zone. */
export function rangeOrder(values: Values): RangeOrder {
  const zone = zoneOf(values, 'zone') ?? 'UTC';
  return { from: values.last('from') ?? null, to: values.last('to') ?? null, zone };
}

/** The form that the options name. @throws {@link UsageError} if they name several. */
export function outputForm(values: Values): OutputForm | null {
  const named = (['csv', 'json', 'table'] as const).filter((form) => values.has(form));
  const [form = null, another] = named;
  if (another === undefined) return form;
  throw new UsageError(`Give --${form} or --${another}, not both.`);
}

/** A query as the dashboard reads it. @throws {@link UsageError} that points to what is wrong. */
export function validQuery(text: string, source: SourceId): string {
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

/** The series that the words and options name. @throws {@link UsageError} for a query or an option that is wrong. */
export function seriesOf(
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
    queries: queries.map((query) => validQuery(query, source)),
    range: rangeOrder(values),
    granularity: choiceOf(values, 'granularity', RESOLUTIONS),
  };
}
