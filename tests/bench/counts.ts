import { join } from 'node:path';
import { CELL_MS, DAY_MS } from '#core/time/span.ts';
import { openSource, type Source } from '#server/posts/index/source.ts';
import { expectStatus } from './client.ts';
import { shown, table, time, type Timing } from './measure.ts';
import { realQueries } from './queries.ts';
import { countsPath, serve, tokenFor } from './service.ts';

const random = (n: number): Uint8Array => new Uint8Array(n);

/** Times the first read of a query's terms, with a newly opened source for each round. */
async function firstReads(
  data: string,
  rounds: number,
  ask: (index: Source['index']) => unknown,
): Promise<Timing> {
  const opened: Source[] = [];
  try {
    // One more, because `time` has a warm-up round.
    for (let i = 0; i <= rounds; i++)
      opened.push(openSource(join(data, 'posts.sqlite'), { random }));
    let next = 0;
    return await time(rounds, () => ask(opened[next++]!.index));
  } finally {
    for (const source of opened) source.close();
  }
}

/** Times counting over imported real Posts: in the index alone, and as a page of minutes over HTTP. */
export async function benchCounts(data: string, rounds: number): Promise<void> {
  const source = openSource(join(data, 'posts.sqlite'), { random });
  const { index } = source;
  const start = Math.floor((index.first ?? 0) / DAY_MS) * DAY_MS;
  const end = Math.ceil(((index.last ?? 0) + 1) / DAY_MS) * DAY_MS;
  const middle = end - Math.floor((end - start) / 2 / DAY_MS) * DAY_MS;
  const span = { start, end };
  const page = { start: middle, end: middle + CELL_MS };

  const served = await serve(data, await tokenFor(data, 'app'));
  const rows = [
    [
      'kind',
      'query',
      'hits',
      'first read ms',
      'whole span by day ms',
      'page of minutes ms',
      'over HTTP, gzip ms',
    ],
  ];
  for (const { kind, text, condition } of realQueries()) {
    const days = index.histogram(condition, span, 'day');
    const path = countsPath(text, page, 'minute');
    rows.push([
      kind,
      text,
      days.reduce((sum, n) => sum + n, 0).toLocaleString('en'),
      shown(await firstReads(data, rounds, (first) => first.histogram(condition, span, 'day'))),
      shown(await time(rounds, () => index.histogram(condition, span, 'day'))),
      shown(await time(rounds, () => index.histogram(condition, page, 'minute'))),
      shown(await time(rounds, async () => expectStatus(await served.client.get(path), 200, path))),
    ]);
  }
  const { posts } = index;
  source.close();
  await served.stop();
  table(`Counting over ${posts.toLocaleString('en')} real Posts`, rows);
}
