import type { SORT_ORDERS } from '#contract/posts/search.ts';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { formOf, FORM_OPTIONS, queryOf, type Form } from './counts-options.ts';
import { choiceOf, UsageError, type Option, type Values } from './options.ts';
import { rangeOf, TIME_HELP, TIME_OPTIONS, type RangeOrder } from './time-options.ts';

/** A search of a command line. */
export interface SearchOrder {
  readonly source: SourceId;
  readonly query: string;
  readonly range: RangeOrder;
  /** Most Posts. */
  readonly limit: number;
  readonly sort: (typeof SORT_ORDERS)[number];
  /** Null: a table on a terminal, else JSON lines. */
  readonly form: Form | null;
  /** Whether to spend what the pages may cost without asking. */
  readonly yes: boolean;
}

/** Written out, so that `--help` does not load the schemas of search. */
const SORTS = ['recency', 'relevancy'] as const satisfies typeof SORT_ORDERS;

const DEFAULT_LIMIT = 100;
const MOST_POSTS = 1_000_000;

export const SEARCH_OPTIONS = {
  source: { type: 'string' },
  limit: { type: 'string' },
  sort: { type: 'string' },
  yes: { type: 'boolean' },
  ...TIME_OPTIONS,
  ...FORM_OPTIONS,
} as const satisfies Readonly<Record<string, Option>>;

export const SEARCH_HELP = `groundswell search QUERY [options]
Prints the Posts that match a query, newest first, as the platform's search returns them. Counts include reposts;
search leaves them out unless the query names them. The command also works while a service is running.

  --source NAME  ${SOURCE_IDS.join(', ')} (default: posts). The platform's Posts cost money: their highest price
                 comes first, and the caps in the settings apply
${TIME_HELP}
                 Without --from and --to: everything; on the platform the last 30 days
  --limit N      maximum number of Posts, 1 to ${MOST_POSTS} (default: ${DEFAULT_LIMIT})
  --sort ORDER   ${SORTS.join(' or ')} (default: recency); they differ on the platform only
  --csv, --json, --table
                 form of the answer: JSON has a Post per line in the platform's shape (default: a table on a
                 terminal, else JSON)
  --yes          spend what the Posts may cost without asking; platform only
`;

function limitOf(values: Values): number {
  const text = values.get('limit')?.at(-1) ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_POSTS) return limit;
  throw new UsageError(`--limit ${text} is not a number from 1 to ${MOST_POSTS}.`);
}

/** Reads `groundswell search …`. @throws {@link UsageError} for a query, option or value that is wrong. */
export function searchOf([text, extra]: readonly string[], values: Values): SearchOrder {
  const source = choiceOf(values, 'source', SOURCE_IDS) ?? 'posts';
  if (text === undefined || extra !== undefined) {
    throw new UsageError('Give one query, in quotes if it has spaces: groundswell search QUERY.');
  }
  const yes = values.has('yes');
  if (yes && source !== 'platform') {
    throw new UsageError('--yes belongs to --source platform: other Posts cost nothing.');
  }
  return {
    source,
    query: queryOf(text, source),
    range: rangeOf(values),
    limit: limitOf(values),
    sort: choiceOf(values, 'sort', SORTS) ?? 'recency',
    form: formOf(values),
    yes,
  };
}
