import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client as Assistant } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { View } from '#app/board/state/view.ts';
import { DAY_MS } from '#core/time/span.ts';
import { hashOf } from '#server/auth/hash.ts';
import { openService } from '#server/auth/store.ts';
import { randomText } from '#server/random.ts';
import { boardVersion } from '#tests/support/service/data-links.ts';
import { expectStatus } from './client.ts';
import { goal, milliseconds, shown, table, timing, type Timing } from './measure.ts';
import { SPAN } from './posts.ts';
import type { Query } from './queries.ts';
import { countsPath, serve, tokenFor } from './service.ts';

const TOPICS = 10;
const READERS = 20;
/** Requests of a link in a minute. */
const MOST = 60;

/** Times data links of a board over generated Posts, and counts while many are read. */
export async function benchLinks(
  data: string,
  queries: readonly Query[],
  rounds: number,
): Promise<void> {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const view: View = {
    source: 'posts',
    zone: 'UTC',
    weekStart: 1,
    range: { from: day(SPAN.end - 365 * DAY_MS), to: day(SPAN.end - DAY_MS) },
    resolution: 'day',
    series: queries.slice(0, TOPICS).map(({ text }) => ({ query: text, label: '', hidden: false })),
  };
  const token = await tokenFor(data, 'app');
  const random = (n: number): Uint8Array => randomBytes(n);
  const service = openService(join(data, 'service.sqlite'), { random });
  const linkTo = (board: string): string => {
    const secret = randomText(random, 20);
    const times = { createdAt: Date.now(), endsAt: Date.now() + DAY_MS };
    const link = { kind: 'data', login: '', board, name: 'bench', settings: '{}' } as const;
    service.boardLinks.add({ ...link, ...times }, hashOf(secret), 0);
    return secret;
  };
  const store = async (board: string): Promise<void> => {
    const revision = randomText(random, 9);
    const version = await boardVersion(board, view);
    service.boards.store('', board, { revision, version }, null, () => true);
  };
  // Another board for each reading that is timed: a second answer of one comes from memory.
  const fresh: string[] = [];
  for (let i = 0; i < 3 * (3 + rounds); i += 1) {
    await store(`bench ${i}`);
    fresh.push(linkTo(`bench ${i}`));
  }
  await store('bench');
  // More than the hundred of a login.
  const secrets = Array.from({ length: 260 }, () => linkTo('bench'));
  service.close();

  const served = await serve(data, token);
  const { client } = served;
  let next = 0;
  let used = 0;
  /** The path of a link's file, of another link before one would be refused. */
  const path = (file: string): string =>
    `/data/${secrets[Math.floor(used++ / MOST)] ?? ''}/${file}`;
  const read = (of: string): Promise<number> =>
    milliseconds(async () => expectStatus(await client.get(of, 'identity'), 200, of));
  const timed = async (pathOf: () => string): Promise<Timing> => {
    const values: number[] = [];
    for (let i = 0; i < 3 + rounds; i += 1) {
      const ms = await read(pathOf());
      if (i >= 3) values.push(ms);
    }
    return timing(values);
  };
  const rows = [['file', 'ms', 'p95 ms']];
  const measure = async (what: string, file: string, most: number): Promise<void> => {
    const found = await timed(() => `/data/${fresh[next++] ?? ''}/${file}`);
    rows.push([what, shown(found), found.p95.toFixed(1)]);
    goal(what, found.median, '≤', most, ' ms');
  };
  await measure(`a year of days × ${TOPICS} topics`, 'wide.csv', 10);
  await measure(`a year of hours × ${TOPICS} topics`, 'wide.csv?by=hour', 60);
  await measure('chart.svg', 'chart.svg', 150);
  const again = await timed(() => path('wide.csv'));
  rows.push(['days again, by any link', shown(again), again.p95.toFixed(1)]);
  const { headers } = await client.get(`/data/${secrets.at(-1)}/wide.csv`, 'identity');
  const same: number[] = [];
  for (let i = 0; i < Math.min(rounds, MOST - 2); i += 1) {
    same.push(
      await milliseconds(async () =>
        expectStatus(
          await client.get(`/data/${secrets.at(-1)}/wide.csv`, 'identity', {
            'if-none-match': headers.etag ?? '',
          }),
          304,
          'an unchanged file',
        ),
      ),
    );
  }
  rows.push(['304', shown(timing(same)), timing(same).p95.toFixed(1)]);
  goal('304', timing(same).median, '≤', 1, ' ms');
  table(`Data links of ${TOPICS} topics`, rows);

  const counts = countsPath(
    queries[3]?.text ?? '',
    { ...SPAN, start: SPAN.end - 31 * DAY_MS },
    'minute',
  );
  const count = (): Promise<number> =>
    milliseconds(async () => expectStatus(await client.get(counts), 200, 'counts'));
  await count();
  await read(path('long.csv'));
  const alone: number[] = [];
  const busy: number[] = [];
  // In turns, as a machine is slower at times.
  for (let turn = 0; turn < 6; turn += 1) {
    for (let i = 0; i < rounds; i += 1) alone.push(await count());
    const ended = new AbortController();
    const readers = Array.from({ length: READERS }, async () => {
      while (!ended.signal.aborted) await read(path('long.csv'));
    });
    for (let i = 0; i < rounds; i += 1) busy.push(await count());
    ended.abort();
    await Promise.all(readers);
  }
  await served.stop();
  const [before, during] = [timing(alone), timing(busy)];
  table(`Counts of a month of minutes while ${READERS} readers read without a pause`, [
    ['', 'ms', 'p95 ms'],
    ['alone', shown(before), before.p95.toFixed(1)],
    ['with readers', shown(during), during.p95.toFixed(1)],
  ]);
  goal('counts with readers, times those alone', during.median / before.median, '≤', 1.3);
  await benchAssistant(data, queries.slice(0, 1), view.range);
}

/** Times `groundswell mcp` from the start of its process to its first answer, a year by days. */
async function benchAssistant(
  data: string,
  queries: readonly Query[],
  range: View['range'],
): Promise<void> {
  const question = { queries: queries.map(({ text }) => text), ...range, by: 'day' };
  const answered: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    const client = new Assistant({ name: 'bench', version: '1' });
    const args = ['bin/groundswell.js', 'mcp', '--data', data];
    const ms = await milliseconds(async () => {
      await client.connect(new StdioClientTransport({ command: process.execPath, args }));
      const { isError, content } = await client.callTool({ name: 'counts', arguments: question });
      if (isError) throw new Error(`mcp: ${JSON.stringify(content)}`);
    });
    await client.close();
    // Files are in memory after the first.
    if (i > 0) answered.push(ms);
  }
  const first = timing(answered);
  table('Start of groundswell mcp', [
    ['first answer ms', 'p95'],
    [shown(first), first.p95.toFixed(0)],
  ]);
  goal('first answer of mcp', first.median, '≤', 1000, ' ms');
}
