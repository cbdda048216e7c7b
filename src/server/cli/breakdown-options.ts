import { MOST_ITEMS, MOST_RISING_DAYS } from '#contract/counts/breakdown.ts';
import { parseInstant } from '#contract/instant.ts';
import { message } from '#core/query/message.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import type { AnalysedSource } from '#server/api/breakdown/analyst-thread.ts';
import type { Analysis } from '#server/api/breakdown/question.ts';
import { choiceOf, UsageError, type Values } from './options.ts';

/** A question of the command line, and the form of its answer. */
export interface AnalysisOrder {
  readonly source: AnalysedSource;
  readonly question: Analysis;
  readonly form: 'table' | 'json' | 'csv';
}

const DEFAULT_ITEMS = 10;

/** An instant; a day alone is its midnight in UTC. */
function instantOf(values: Values, name: string): number | null {
  const text = values.get(name)?.at(-1);
  if (text === undefined) return null;
  const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
  if (at !== null) return at;
  throw new UsageError(
    `--${name} ${text} is not a time: give a day such as 2024-01-31, or an instant such as 2024-01-31T08:30:00Z.`,
  );
}

function spanOf(values: Values, from: string, to: string): Span {
  const [start, end] = [instantOf(values, from), instantOf(values, to)];
  if (start === null || end === null) throw new UsageError(`Give the time: --${from} and --${to}.`);
  if (start < end) return { start, end };
  throw new UsageError(`--${to} must be after --${from}.`);
}

function limitOf(values: Values): number {
  const text = values.get('limit')?.at(-1) ?? String(DEFAULT_ITEMS);
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_ITEMS) return limit;
  throw new UsageError(`--limit ${text} is not a number from 1 to ${MOST_ITEMS}.`);
}

function orderOf(values: Values, question: Analysis): AnalysisOrder {
  const [json, csv] = [values.has('json'), values.has('csv')];
  if (json && csv) throw new UsageError('Give --json or --csv, not both.');
  const source = choiceOf(values, 'source', ['posts', 'sample']) ?? 'posts';
  return { source, question, form: json ? 'json' : csv ? 'csv' : 'table' };
}

/** The options of `groundswell breakdown`. @throws {@link UsageError} */
export function breakdownOf(positionals: readonly string[], values: Values): AnalysisOrder {
  const [query = null, extra] = positionals;
  if (extra !== undefined) {
    throw new UsageError(
      'Give one query, in quotes if it has spaces: groundswell breakdown QUERY.',
    );
  }
  if (query !== null) {
    const parsed = parse(query, { own: values.get('source')?.[0] !== 'sample' });
    if (!parsed.ok) throw new UsageError(`The query has a mistake: ${message(parsed.diagnostics)}`);
  }
  const span = spanOf(values, 'from', 'to');
  const isCompared = values.has('compare-from') || values.has('compare-to');
  const compared = isCompared
    ? spanOf(values, 'compare-from', 'compare-to')
    : { start: span.start - (span.end - span.start), end: span.start };
  const limit = limitOf(values);
  return orderOf(values, { what: 'breakdown', query, span, compared, limit });
}

/** The options of `groundswell rising`. @throws {@link UsageError} */
export function risingOf([extra]: readonly string[], values: Values): AnalysisOrder {
  if (extra !== undefined) {
    throw new UsageError(`Unexpected ${extra}: see groundswell rising --help.`);
  }
  const span = spanOf(values, 'from', 'to');
  if (span.end - span.start > MOST_RISING_DAYS * DAY_MS) {
    throw new UsageError(`--to must be at most ${MOST_RISING_DAYS} days after --from.`);
  }
  return orderOf(values, { what: 'rising', span, limit: limitOf(values) });
}
