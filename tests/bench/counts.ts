import { join } from 'node:path';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { CELL_MS, DAY_MS } from '#core/time/span.ts';
import { openSource } from '#server/store/source.ts';
import { groundswell, startServe } from '#tests/support/process.ts';
import { shown, table, time } from './measure.ts';

/**
 * Times counting over an imported folder: in the index alone, and a page of minutes over HTTP.
 *
 * @param queries - A name and a query of each kind.
 */
export async function benchCounts(
  data: string,
  queries: readonly (readonly [kind: string, query: string])[],
  rounds: number,
): Promise<void> {
  const source = openSource(join(data, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
  const { index } = source;
  const start = Math.floor((index.first ?? 0) / DAY_MS) * DAY_MS;
  const end = Math.ceil(((index.last ?? 0) + 1) / DAY_MS) * DAY_MS;
  const page = { start: end - Math.floor((end - start) / 2 / DAY_MS) * DAY_MS, end: 0 };
  page.end = page.start + CELL_MS;

  const token = groundswell('token', 'app', '--limits', 'off', '--data', data).out.trim();
  const service = await startServe(data);
  const rows = [
    ['kind', 'query', 'hits', 'whole span by day ms', 'page of minutes ms', 'over HTTP ms'],
  ];
  for (const [kind, query] of queries) {
    const parsed = parse(query);
    if (!parsed.ok) throw new Error(`${query}: ${parsed.diagnostics[0]?.message}`);
    const wanted = condition(parsed.ast);
    const days = index.histogram(wanted, { start, end }, 'day');
    const url = new URL('/2/tweets/counts/all', service.url);
    url.search = new URLSearchParams({
      query,
      granularity: 'minute',
      start_time: new Date(page.start).toISOString(),
      end_time: new Date(page.end).toISOString(),
    }).toString();
    const ask = async (): Promise<void> => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      if (!answer.ok) throw new Error(`${answer.status} for ${query}`);
      await answer.arrayBuffer();
    };
    rows.push([
      kind,
      query,
      days.reduce((sum, n) => sum + n, 0).toLocaleString('en'),
      shown(await time(rounds, () => index.histogram(wanted, { start, end }, 'day'))),
      shown(await time(rounds, () => index.histogram(wanted, page, 'minute'))),
      shown(await time(rounds, ask)),
    ]);
  }
  source.close();
  await service.stop();
  table(`Counting over ${index.posts.toLocaleString('en')} posts`, rows);
}
