import { performance } from 'node:perf_hooks';
import { CELL_MS } from '#core/time/span.ts';
import { expectStatus } from './client.ts';
import { digits, goal, shown, table, timing } from './measure.ts';
import { SPAN, word } from './posts.ts';
import { countsPath, serve, tokenFor } from './service.ts';

/**
 * Times the service from the start of its process to its first answer, 31 days by day. The file was read
 * before, so the system's page cache holds as much of it as fits.
 *
 * @param open - Posts not yet sealed into a chunk.
 * @returns The median until the first answer, ms.
 */
export async function benchStart(
  data: string,
  { posts, open }: { posts: number; open: number },
  rounds: number,
): Promise<number> {
  const token = await tokenFor(data, 'app');
  const path = countsPath(word(0), { start: SPAN.start, end: SPAN.start + CELL_MS }, 'day');
  const listening: number[] = [];
  const answered: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    const served = await serve(data, token);
    listening.push(performance.now() - start);
    expectStatus(await served.client.get(path), 200, path);
    answered.push(performance.now() - start);
    await served.stop();
  }
  const first = timing(answered);
  table(
    `Start over ${posts.toLocaleString('en')} Posts, ${open.toLocaleString('en')} of them open`,
    [
      ['says its address ms', 'first answer ms', 'p95'],
      [shown(timing(listening)), shown(first), digits(first.p95)],
    ],
  );
  goal('first answer', first.median, '≤', 1000, ' ms');
  return first.median;
}
