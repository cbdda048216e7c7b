import { randomBytes } from 'node:crypto';
import { cpSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DAY_MS } from '#core/time/span.ts';
import { openService } from '#server/auth/store.ts';
import { openAuth } from '#server/auth/tokens.ts';
import { openConnections } from '#server/streams/connections.ts';
import { MOST_WAITING } from '#server/streams/line-stream.ts';
import { memoryHeld } from '#tests/support/memory.ts';
import { Client, expectStatus } from './client.ts';
import { digits, fact, goal, milliseconds, shown, table, timing } from './measure.ts';
import { SPAN, word } from './posts.ts';
import { countsPath, memoryOf, serve, tokenFor } from './service.ts';

const POSTS_PER_SECOND = 200;
const APPS = 25;
/** Connections of each app, the most that enterprise access allows. */
const CONNECTIONS = 2;
const TICK_MS = 20;
/** Pause between two counts, ms. */
const PAUSE_MS = 50;
/** Seconds at the beginning that are not timed, in which code is compiled. */
const WARM_UP = 2;
/** Part of the text of each Post, before its number. */
const MARK = 'benchmark';

/** Readers that read nothing, and the size of the lines that wait for them. */
const READERS = 40;
const LINE = 200;

const STREAM = '/2/tweets/search/stream';
const random = (n: number): Uint8Array => randomBytes(n);

/** Adds enterprise apps to a data folder that no service runs on. @returns Their tokens. */
function addApps(data: string): string[] {
  const service = openService(join(data, 'service.sqlite'), { random });
  const auth = openAuth(service, { now: Date.now, random });
  const tokens = Array.from({ length: APPS }, (_, i) => {
    const settings = { access: 'enterprise', limited: false } as const;
    const { secrets } = auth.apps({ action: 'add', name: `Stream ${i}`, settings });
    return secrets?.bearer_token ?? '';
  });
  service.close();
  return tokens;
}

/** Connects to the stream. */
async function connect(url: string, token: string): Promise<IncomingMessage> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(new URL(STREAM, url), { headers, agent: false }, resolve).once('error', reject);
  });
  if (answer.statusCode !== 200) throw new Error(`expected 200, got ${answer.statusCode}`);
  return answer;
}

/** Calls back with each number of a Post that a stream sends. */
function readNumbers(stream: IncomingMessage, onNumber: (n: number) => void): void {
  const number = new RegExp(`${MARK} (\\d+)\\b`);
  let rest = '';
  stream.setEncoding('utf8').on('data', (part: string) => {
    const lines = (rest + part).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const found = number.exec(line)?.[1];
      if (found !== undefined) onNumber(Number(found));
    }
  });
}

/** Requests counts one after another until a signal. @returns The time of each, ms. */
async function countUntil(client: Client, ended: AbortSignal): Promise<number[]> {
  const week = { start: SPAN.start, end: SPAN.start + 7 * DAY_MS };
  const path = countsPath(word(0), week, 'day');
  const times: number[] = [];
  while (!ended.aborted) {
    times.push(await milliseconds(async () => expectStatus(await client.get(path), 200, path)));
    await setTimeout(PAUSE_MS);
  }
  return times;
}

/** Fills the queues of readers that read nothing with short lines, and measures what they take. */
async function measureQueues(folder: string): Promise<void> {
  const service = openService(join(folder, 'service.sqlite'), { random });
  let tick = (): void => {};
  const connections = openConnections({
    log: console.error,
    table: service.connections,
    random,
    now: Date.now,
    elapsed: () => performance.now(),
    every: (_, run) => {
      tick = run;
      return () => {};
    },
  });
  const open = () =>
    connections.open({
      app: '1',
      source: 'posts',
      stream: 'filtered_stream',
      ip: null,
      most: READERS,
    });
  const line = 'x'.repeat(LINE);
  const megabytes = async (): Promise<number> => (await memoryHeld()) / 2 ** 20;
  const before = await megabytes();
  const slow = open();
  let sent = 0;
  // Stops just before the reader is disconnected.
  while (slow.waiting() + LINE + 2 <= MOST_WAITING) {
    slow.send(line);
    sent += 1;
  }
  const one = (await megabytes()) - before;
  const all = Array.from({ length: READERS - 1 }, open);
  for (const connection of all) {
    for (let i = 0; i < sent; i++) connection.send(line);
  }
  tick();
  const most = (await megabytes()) - before;
  const { length: left } = connections.of('1');
  connections.close();
  service.close();
  table(`Lines of ${LINE} characters for readers that read none`, [
    ['readers', 'not disconnected', 'memory MB'],
    ['1', '1', digits(one)],
    [String(READERS), String(left), digits(most)],
  ]);
  goal('a slow reader', one, '≤', 8, ' MB');
  goal('all queues', most, '≤', 128, ' MB');
}

/**
 * Creates Posts over HTTP at a steady pace while 50 connections receive each of them, and times each from the request
 * that creates it to its line. Client and service share the machine.
 *
 * @param data - Data folder; only a copy of it is written to.
 * @param copy - Folder for the copy, removed at the end.
 */
export async function benchStream(data: string, copy: string, seconds: number): Promise<void> {
  cpSync(data, copy, { recursive: true });
  const user = await tokenFor(copy, 'user');
  const token = await tokenFor(copy, 'app');
  const apps = addApps(copy);
  const served = await serve(copy, token);
  const author = new Client(served.url, user);
  const streams: IncomingMessage[] = [];
  try {
    for (const app of apps) {
      const client = new Client(served.url, app);
      const rule = { add: [{ value: MARK, tag: 'all' }] };
      expectStatus(await client.post(`${STREAM}/rules`, rule), 201, 'a rule');
      client.close();
      for (let i = 0; i < CONNECTIONS; i++) streams.push(await connect(served.url, app));
    }
    const alone = await countUntil(served.client, AbortSignal.timeout(5000));

    const sent: number[] = [];
    const times: number[] = [];
    const received = { lines: 0 };
    let began = 0;
    for (const stream of streams) {
      readNumbers(stream, (n) => {
        received.lines += 1;
        const at = sent[n]!;
        if (at - began >= WARM_UP * 1000) times.push(performance.now() - at);
      });
    }
    const before = memoryOf(served.pid)?.own ?? NaN;
    let most = before;
    const ended = new AbortController();
    const counting = countUntil(served.client, ended.signal);
    const creating: Promise<unknown>[] = [];
    began = performance.now();
    for (let tick = 0; tick * TICK_MS < seconds * 1000; tick++) {
      await setTimeout(Math.max(0, began + tick * TICK_MS - performance.now()));
      for (let i = 0; i < (POSTS_PER_SECOND * TICK_MS) / 1000; i++) {
        const text = `${MARK} ${sent.length}`;
        sent.push(performance.now());
        creating.push(
          author.post('/2/tweets', { text }).then((answer) => expectStatus(answer, 201, text)),
        );
      }
      if (tick % 25 === 0) most = Math.max(most, memoryOf(served.pid)?.own ?? NaN);
    }
    await Promise.all(creating);
    const rate = (sent.length / (performance.now() - began)) * 1000;
    ended.abort();
    const counted = await counting;
    const wanted = sent.length * streams.length;
    const until = performance.now() + 10_000;
    while (received.lines < wanted && performance.now() < until) await setTimeout(TICK_MS);

    const { median, p95, p99, max } = timing(times);
    table(
      `${digits(rate)} Posts/s created for ${seconds} s, ${streams.length} connections: ms from the request to the line`,
      [
        ['lines', 'median', 'p95', 'p99', 'max', 'memory + MB'],
        [
          `${received.lines} of ${wanted}`,
          ...[median, p95, p99, max].map(digits),
          digits(Math.max(0, most - before)),
        ],
      ],
    );
    fact(`a count takes ${shown(timing(alone))} ms alone, ${shown(timing(counted))} ms meanwhile`);
    goal('from creation to the line, p50', median, '≤', 50, ' ms');
    goal('from creation to the line, p99', p99, '≤', 250, ' ms');
    goal('lines not received', wanted - received.lines, '≤', 0);
    goal(
      'count meanwhile, of its time alone',
      timing(counted).median / timing(alone).median,
      '≤',
      1.3,
    );
  } finally {
    for (const stream of streams) stream.destroy();
    author.close();
    await served.stop();
    await measureQueues(copy);
    rmSync(copy, { recursive: true, force: true });
  }
}
