import { CountsRequest } from '#contract/counts.ts';
import type { CountsEndpoint } from '#contract/counts.ts';
import { invalidParameters } from '#contract/fault.ts';
import { parseInstant } from '#contract/instant.ts';
import { format, RULES_VERSION } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import type { KeptParts, VaultWindow } from '#server/store/platform.ts';

/** A request for counts as it goes to the platform, which judges its values. */
export interface CountsCall {
  readonly endpoint: CountsEndpoint;
  /** The parameters as they came, with `?` before them where there are any. */
  readonly search: string;
  readonly query: string;
  readonly parts: KeptParts;
  /** The whole request as text, equal for equal ones. */
  readonly key: string;
  /** What its page is kept by for others; null where it names no closed bounds, or more than those. */
  readonly window: VaultWindow | null;
}

const NAMES = Object.keys(CountsRequest.entries);
const FIELDS = CountsRequest.entries['search_count.fields'].default as string;

/** The members of a bucket in one order, however they were asked for. */
function fieldsOf(text: string | null): string {
  if (text === null) return FIELDS;
  return [...new Set(text.split(','))].sort().join(',');
}

/**
 * What a query asks for, however it is written: its canonical text under the rules of now; one that cannot be
 * read stands for itself.
 */
export function meaningOf(query: string): string {
  for (const product of ['all', 'recent'] as const) {
    const parsed = parse(query, { product });
    if (parsed.ok) return `${RULES_VERSION} ${format(parsed.ast)}`;
  }
  return query;
}

/** Members of a bucket where none are named. */
export const ALL_FIELDS = fieldsOf(null);

/**
 * Reads a request for counts as far as the relay must know it.
 *
 * @throws {@link Fault} 400 that names every parameter which counts do not have, or which is repeated.
 */
export function readCall(endpoint: CountsEndpoint, url: string): CountsCall {
  const { search, searchParams: given } = new URL(url);
  const names = [...new Set(given.keys())];
  const wrong = names.flatMap((parameter) => {
    const values = given.getAll(parameter);
    const value = values.join(',');
    if (!NAMES.includes(parameter)) {
      const message = `The query parameter [${parameter}] is not one of [${NAMES.join(',')}]`;
      return [{ parameter, value, message }];
    }
    if (values.length === 1) return [];
    const message = `The \`${parameter}\` query parameter may be given only once`;
    return [{ parameter, value, message }];
  });
  if (wrong.length > 0) throw invalidParameters(wrong);

  const instant = (name: string): number | null => parseInstant(given.get(name) ?? '');
  const query = given.get('query') ?? '';
  const meaning = meaningOf(query);
  const parts: KeptParts = {
    meaning,
    granularity: given.get('granularity') ?? 'hour',
    fields: fieldsOf(given.get('search_count.fields')),
    start: instant('start_time'),
    end: instant('end_time'),
    token: given.get('next_token') ?? given.get('pagination_token'),
  };
  const { granularity, fields, start, end, token } = parts;
  const bounded = !given.has('since_id') && !given.has('until_id') && token === null;
  return {
    endpoint,
    search,
    query,
    parts: bounded || token !== null ? parts : { ...parts, start: null, end: null },
    key: JSON.stringify([endpoint, ...[...given].sort(([a], [b]) => (a < b ? -1 : 1))]),
    window:
      bounded && start !== null && end !== null
        ? { meaning, granularity: granularity ?? 'hour', fields: fields ?? ALL_FIELDS, start, end }
        : null,
  };
}

/** The platform's Date from which on the counts of a window that ends so are settled: its last UTC day is over that long. */
export function settledFrom(end: number, settleHours: number): number {
  return Math.ceil(end / DAY_MS) * DAY_MS + settleHours * HOUR_MS;
}
