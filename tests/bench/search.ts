import { join } from 'node:path';
import * as v from 'valibot';
import { SearchRequest } from '#contract/posts/search.ts';
import type { Span } from '#core/time/span.ts';
import { searchPage } from '#server/api/search/search.ts';
import { openSource, type PostFinder } from '#server/posts/index/source.ts';
import { digits, goal, shown, table, time } from './measure.ts';
import type { Query } from './queries.ts';

const PAGE = '100';

/**
 * Times the first page of a search and the page 50 pages later, in process. The lower bound is reading the rows
 * of the first page's Posts by id.
 */
export async function benchSearch(
  data: string,
  queries: readonly Query[],
  span: Span,
  rounds: number,
): Promise<void> {
  const file = join(data, 'posts.sqlite');
  const source = {
    id: 'posts' as const,
    ...openSource(file, { random: (n) => new Uint8Array(n) }),
  };
  const page = (query: string, next?: string) => {
    const params = {
      query,
      max_results: PAGE,
      start_time: new Date(span.start).toISOString(),
      end_time: new Date(span.end).toISOString(),
      'tweet.fields': 'created_at,author_id,lang,public_metrics',
      expansions: 'author_id',
      ...(next !== undefined && { next_token: next }),
    };
    const request = v.parse(SearchRequest.all, params);
    const [access, now, key] = ['enterprise' as const, Date.now(), new Uint8Array(32)];
    const asked = { endpoint: 'all' as const, request, texts: params, own: false };
    const given = { ...asked, access, now, key };
    const question = { ...given, people: (finder: PostFinder) => finder };
    const step = source.over((state, due) => searchPage(state, question, due))(() => false);
    if (!step.done) throw new Error('expected a whole page');
    return step.value;
  };
  const rows = [['query', 'Posts', 'newest page ms', '50 pages on ms', 'rows alone ms']];
  let slowest = 0;
  for (const { kind, text } of queries) {
    const first = page(text);
    let token = first.meta.next_token;
    for (let i = 1; i < 50 && token !== undefined; i++) token = page(text, token).meta.next_token;
    const newest = await time(rounds, () => page(text));
    const far = token === undefined ? null : await time(rounds, () => page(text, token));
    const ids = (first.data ?? []).map(({ id }) => BigInt(String(id)));
    const limit = await time(rounds, () => source.posts.rows(ids));
    slowest = Math.max(slowest, newest.median, far?.median ?? 0);
    rows.push([
      kind,
      String(ids.length),
      shown(newest),
      far ? shown(far) : '-',
      digits(limit.median),
    ]);
  }
  table(`Search, a page of ${PAGE} of ${source.index.posts.toLocaleString('en')} Posts`, rows);
  goal('the slowest page', slowest, '≤', 20, ' ms');
  source.close();
}
