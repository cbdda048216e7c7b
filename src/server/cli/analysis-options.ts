import { MOST_ITEMS } from '#contract/counts/breakdown.ts';
import { parseInstant } from '#contract/instant.ts';
import type { Span } from '#core/time/span.ts';
import type { AnalysedSource } from '#server/api/breakdown/analyst-thread.ts';
import type { Analysis } from '#server/api/breakdown/question.ts';
import { JSON_OPTION, type Options } from './command.ts';
import { choiceOf, UsageError, type Values } from './options.ts';

/** A question of the command line, and the form of its answer. */
export interface AnalysisOrder {
  readonly source: AnalysedSource;
  readonly question: Analysis;
  readonly form: 'table' | 'json' | 'csv';
}

const DEFAULT_ITEMS = 10;

export const PERIOD_OPTIONS: Options = {
  '--from TIME, --to TIME': `the period, without its end: a day such as 2024-01-31 (midnight UTC), or an instant such as
    2024-01-31T08:30:00Z`,
};

export const ANALYSIS_OPTIONS: Options = {
  '--source NAME': 'posts or sample (default: posts)',
  '--limit N': `maximum number of items in each list, 1 to ${MOST_ITEMS} (default: ${DEFAULT_ITEMS})`,
  ...JSON_OPTION,
  '--csv': 'prints one row per item',
};

/** An instant; a day alone is its midnight in UTC. */
function instantOf(values: Values, name: string): number | null {
  const text = values.last(name);
  if (text === undefined) return null;
  const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (at !== null) return at;
  throw new UsageError(
    `--${name} ${text} is not a time: give a day such as 2024-01-31, or an instant such as 2024-01-31T08:30:00Z.`,
  );
}

/** The span of two options. @throws {@link UsageError} */
export function optionSpan(values: Values, from: string, to: string): Span {
  const [start, end] = [instantOf(values, from), instantOf(values, to)];
  if (start === null || end === null) throw new UsageError(`Give the time: --${from} and --${to}.`);
  if (start < end) return { start, end };
  throw new UsageError(`--${to} must be after --${from}.`);
}

/** The maximum number of items. @throws {@link UsageError} */
export function limitOf(values: Values): number {
  const text = values.last('limit') ?? String(DEFAULT_ITEMS);
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_ITEMS) return limit;
  throw new UsageError(`--limit ${text} is not a number from 1 to ${MOST_ITEMS}.`);
}

/** A question with its source and form. @throws {@link UsageError} */
export function analysisOf(values: Values, question: Analysis): AnalysisOrder {
  const [json, csv] = [values.has('json'), values.has('csv')];
  if (json && csv) throw new UsageError('Give --json or --csv, not both.');
  const source = choiceOf(values, 'source', ['posts', 'sample']) ?? 'posts';
  return { source, question, form: json ? 'json' : csv ? 'csv' : 'table' };
}
