import * as v from 'valibot';
import { Fault } from '#contract/fault.ts';
import { SearchRequest } from '#contract/posts/search.ts';
import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import { searchPage } from '#server/api/search/search.ts';
import { openService } from '#server/auth/store.ts';
import type { StoredSource } from '#server/counting/counter.ts';
import type { ClusterPosts } from '#server/cluster/posts.ts';
import { evaluated, type Evaluated } from '#server/posts/index/evaluation.ts';
import type { StateWork } from '#server/posts/store/posts-state.ts';
import { Slices } from '#server/posts/index/slices.ts';
import { openSource } from '#server/posts/index/source.ts';
import { hiddenFrom, readableBy } from '#server/users/hidden.ts';
import { peopleOf } from '#server/users/people.ts';
import type { CommandDeps } from './command-deps.ts';
import { DataFolder } from '#server/data-folder.ts';
import { foundPage, PostPrinter, type FoundPage } from './found-posts.ts';
import { readingSource } from './readable-source.ts';
import { firstPosts, pageSize, searchParameters, type SearchOrder } from './search-pages.ts';
import { rangeSpan, tableOf } from '#server/cli/counting/range-span.ts';
import { CommandError } from '#server/command-error.ts';

/** Searches a stored source page by page, as `/2/tweets/search/all` answers the dashboard. Ends early if stopped. */
export async function* storedPages(
  deps: CommandDeps,
  folder: DataFolder,
  source: StoredSource,
  order: SearchOrder,
  span: Span,
  cluster: ClusterPosts | null,
): AsyncGenerator<FoundPage> {
  const { random, elapsed, now, stopping } = deps;
  const service = openService(folder.service, deps);
  const store = cluster ? null : openSource(folder[source], deps);
  const slices = new Slices(elapsed);
  const evaluate = <T>(work: StateWork<T>): Promise<Evaluated<T> | null> =>
    cluster
      ? cluster.evaluate(work, stopping, (posts) => hiddenFrom(null, source, service, posts))
      : evaluated(() => store!, readableBy(null, source, service)(work), slices, stopping);
  try {
    const [key, people] = [random(32), peopleOf(source, service, null)];
    const parameters = {
      ...searchParameters(order, span, now()),
      expansions: 'author_id',
      'user.fields': 'name,username',
    };
    let token: string | undefined;
    let missing = order.limit;
    do {
      const texts = {
        ...parameters,
        max_results: String(pageSize(missing, 'all')),
        ...(token !== undefined && { next_token: token }),
      };
      const request = v.parse(SearchRequest.all, texts);
      const own = source === 'posts';
      const asked = { endpoint: 'all', access: 'enterprise', own, now: now() } as const;
      const question = { ...asked, request, texts, key, people };
      const found = await evaluate((state, due) => searchPage(state, question, due));
      if (!found) return;
      const page = firstPosts(foundPage(found.result), missing);
      missing -= page.data.length;
      yield page;
      token = found.result.meta.next_token;
    } while (token !== undefined && missing > 0);
  } finally {
    store?.close();
    service.close();
  }
}

/**
 * `groundswell search`: prints the Posts that match a query, also while a service runs.
 *
 * @returns The exit code: 130 if it was interrupted, after the pages so far.
 * @throws {@link UsageError} for a range that cannot be searched; {@link CommandError} if the source does not exist or
 *   refuses the query; {@link StoreError} if a file cannot be used, {@link ClusterError} if the cluster does not answer.
 */
export async function runSearch(
  deps: CommandDeps,
  { data, search: order }: { readonly data: string; readonly search: SearchOrder },
): Promise<number> {
  const folder = new DataFolder(data);
  const { source, form, range } = order;
  const chosen = form ?? (deps.terminal ? 'table' : 'json');
  const printer = new PostPrinter(deps.out, chosen, tableOf(range.zone, deps.now()));
  if (source === 'platform') {
    return await (
      await import('./platform-search.ts')
    ).runPlatformSearch(deps, folder, order, printer);
  }
  const span = rangeSpan(range, 'all', { first: ARCHIVE_START, last: null }, deps.now());
  try {
    await readingSource(deps, folder, source, async (cluster) => {
      for await (const page of storedPages(deps, folder, source, order, span, cluster)) {
        printer.page(page);
      }
    });
  } catch (error) {
    if (error instanceof Fault) throw new CommandError(error.message);
    throw error;
  }
  if (deps.stopping.aborted) return 130;
  printer.end();
  return 0;
}
