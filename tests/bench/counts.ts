import { join } from 'node:path';
import { CELL_MS, DAY_MS } from '#core/time/span.ts';
import { openSource } from '#server/store/source.ts';
import { expectStatus } from './client.ts';
import { shown, table, time } from './measure.ts';
import { realQueries } from './queries.ts';
import { countsPath, serve, tokenFor } from './service.ts';

/** Times counting over an imported folder of real Posts: in the index alone, and a page of minutes over HTTP. */
export async function benchCounts(data: string, rounds: number): Promise<void> {
  const source = openSource(join(data, 'posts.sqlite'), { random: (n) => new Uint8Array(n) });
  const { index } = source;
  const start = Math.floor((index.first ?? 0) / DAY_MS) * DAY_MS;
  const end = Math.ceil(((index.last ?? 0) + 1) / DAY_MS) * DAY_MS;
  const middle = end - Math.floor((end - start) / 2 / DAY_MS) * DAY_MS;
  const page = { start: middle, end: middle + CELL_MS };

  const served = await serve(data, tokenFor(data, 'app'));
  const rows = [
    ['kind', 'query', 'hits', 'whole span by day ms', 'page of minutes ms', 'over HTTP, gzip ms'],
  ];
  for (const { kind, text, condition } of realQueries()) {
    const days = index.histogram(condition, { start, end }, 'day');
    const path = countsPath(text, page, 'minute');
    rows.push([
      kind,
      text,
      days.reduce((sum, n) => sum + n, 0).toLocaleString('en'),
      shown(await time(rounds, () => index.histogram(condition, { start, end }, 'day'))),
      shown(await time(rounds, () => index.histogram(condition, page, 'minute'))),
      shown(await time(rounds, async () => expectStatus(await served.client.get(path), 200, path))),
    ]);
  }
  const { posts } = index;
  source.close();
  await served.stop();
  table(`Counting over ${posts.toLocaleString('en')} real Posts`, rows);
}
