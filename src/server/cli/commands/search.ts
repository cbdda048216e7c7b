import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import type { SORT_ORDERS } from '#contract/posts/search.ts';
import { command } from '#server/cli/command.ts';
import { choiceOf, UsageError, type Values } from '#server/cli/options.ts';
import type { SearchOrder } from '#server/cli/search-pages.ts';
import {
  EXIT_NOTES,
  outputForm,
  validQuery,
  RANGE_OPTIONS,
  rangeOrder,
} from '#server/cli/counting/series-options.ts';

/** Written out, so that `--help` does not load the schemas of search. */
const SORTS = ['recency', 'relevancy'] as const satisfies typeof SORT_ORDERS;

const DEFAULT_LIMIT = 100;
const MOST_POSTS = 1_000_000;

function limitOf(values: Values): number {
  const text = values.last('limit') ?? String(DEFAULT_LIMIT);
  const limit = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MOST_POSTS) return limit;
  throw new UsageError(`--limit ${text} is not a number from 1 to ${MOST_POSTS}.`);
}

function searchOf([text, extra]: readonly string[], values: Values): SearchOrder {
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
    query: validQuery(text, source),
    range: rangeOrder(values),
    limit: limitOf(values),
    sort: choiceOf(values, 'sort', SORTS) ?? 'recency',
    form: outputForm(values),
    yes,
  };
}

export const searchCommand = command({
  name: 'search',
  summary: {
    'groundswell search QUERY [--source NAME] [--from TIME] [--to TIME] [--limit N]':
      'prints the Posts that match a query, newest first',
  },
  about: `groundswell search QUERY [options]
Prints the Posts that match a query, newest first, as the platform's search returns them. Counts include reposts;
search leaves them out unless the query names them. The command also works while a service is running.`,
  column: 17,
  options: {
    '--source NAME': `${SOURCE_IDS.join(', ')} (default: posts). The platform's Posts cost money: their highest price
      comes first, and the caps in the settings apply`,
    ...RANGE_OPTIONS,
    '--zone ZONE': `${RANGE_OPTIONS['--zone ZONE']}
      Without --from and --to: everything; on the platform the last 30 days`,
    '--limit N': `maximum number of Posts, 1 to ${MOST_POSTS} (default: ${DEFAULT_LIMIT})`,
    '--sort ORDER': `${SORTS.join(' or ')} (default: recency); they differ on the platform only`,
    '--csv, --json, --table': `form of the answer: JSON has a Post per line in the platform's shape (default: a table on a
      terminal, else JSON)`,
    '--yes': 'spend what the Posts may cost without asking; platform only',
  },
  notes: EXIT_NOTES,
  posts: 'cluster',
  read: (words, values) => ({ search: searchOf(words, values) }),
  needsPosts: ({ search }) => search.source === 'posts',
  run: async (deps, order) => await (await import('#server/cli/search.ts')).runSearch(deps, order),
});
