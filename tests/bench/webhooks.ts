import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openFetcher } from '#server/fetcher/fetcher.ts';
import { ANYWHERE } from '#server/fetcher/target.ts';
import { Deliverer } from '#server/streams/deliverer.ts';
import { openDeliveryQueue } from '#server/streams/delivery-queue.ts';
import { RECEIVER, startReceiver, testNames } from '#tests/support/service/receiver.ts';
import { machineTimer } from '#tests/support/timers.ts';
import { digits, fact, goal, table, timing } from './measure.ts';

const EVENTS_PER_SECOND = 500;
/** Receivers, of which the first answers 500 and the second never. */
const RECEIVERS = 20;
const SUBSCRIPTIONS = 5;
/** Size of a body, about that of a Post with its author. */
const BODY_BYTES = 2000;
/** Seconds at the beginning, in which the connections are made; they are timed apart. */
const OPENING = 2;
/** Time between two commits of events, ms. */
const TICK_MS = 20;

interface Event {
  readonly webhook: number;
  /** Of `performance.now()`, ms. */
  readonly at: number;
}

/**
 * Delivers events to receivers behind TLS, and times each from its commit to the first byte at its receiver. One receiver
 * in twenty fails, and one hangs. Receivers and deliverer share this process.
 *
 * @param folder - Folder for the file of deliveries.
 */
export async function benchWebhooks(folder: string, seconds: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const nameOf = (webhook: number): string => `r${webhook}.${RECEIVER}`;
  const names = Array.from({ length: RECEIVERS }, (_, i) => nameOf(i));
  const receiver = await startReceiver(names);
  const events: Event[] = [];
  const times: number[] = [];
  const opening: number[] = [];
  const seen = new Set<number>();
  let began = 0;
  receiver.deliver = ({ body }, response) => {
    const { n } = JSON.parse(body.toString()) as { n: number };
    const { webhook, at } = events[n]!;
    if (webhook === 1) return;
    if (webhook === 0) return void response.writeHead(500).end();
    const timed = at - began < OPENING * 1000 ? opening : times;
    if (!seen.has(n)) timed.push(performance.now() - at);
    seen.add(n);
    response.end();
  };
  const queue = openDeliveryQueue(join(folder, 'deliveries.sqlite'));
  const fetcher = openFetcher({
    resolve: testNames,
    timeout: (ms) => AbortSignal.timeout(ms),
    agent: 'groundswell/bench',
    rules: ANYWHERE,
    ca: receiver.ca,
  });
  const deliverer = new Deliverer({
    queue,
    receiver: (id) => ({
      url: receiver.url().replace(RECEIVER, nameOf(Number(id))),
      secret: 'secret',
      valid: true,
    }),
    send: (request) => fetcher.send(request),
    now: Date.now,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    timer: machineTimer,
    log: fact,
  });
  const filler = 'x'.repeat(BODY_BYTES);
  const memory = process.memoryUsage.rss();
  let most = memory;
  began = performance.now();
  for (let tick = 0; tick * TICK_MS < seconds * 1000; tick++) {
    await setTimeout(Math.max(0, began + tick * TICK_MS - performance.now()));
    const at = performance.now();
    const deliveries = Array.from({ length: (EVENTS_PER_SECOND * TICK_MS) / 1000 }, () => {
      const n = events.length;
      const webhook = n % RECEIVERS;
      events.push({ webhook, at });
      const subscription = String(Math.floor(n / RECEIVERS) % SUBSCRIPTIONS);
      const body = Buffer.from(JSON.stringify({ n, filler }));
      const createdAt = Date.now();
      return { webhook: String(webhook), subscription, event: String(n), body, createdAt };
    });
    queue.enqueue({ name: 'bench', cursor: tick + 1 }, deliveries, Date.now());
    deliverer.wake(deliveries.map(({ webhook }) => webhook));
    if (tick % 25 === 0) most = Math.max(most, process.memoryUsage.rss());
  }
  const wanted = events.filter(({ webhook }) => webhook > 1).length;
  const until = performance.now() + 30_000;
  while (seen.size < wanted && performance.now() < until) await setTimeout(TICK_MS);
  await deliverer.close();
  await fetcher.close();
  const { pending } = queue.backlog('1');
  queue.close();
  await receiver.close();
  const { median, p95, p99, max } = timing(times);
  table(
    `${EVENTS_PER_SECOND} events/s for ${seconds} s to ${RECEIVERS} receivers, one failing and one hanging: ms from commit to first byte at the others`,
    [
      ['delivered', 'median', 'p95', 'p99', 'max', 'memory + MiB', 'waiting for the hanging one'],
      [
        `${seen.size} of ${wanted}`,
        ...[median, p95, p99, max].map(digits),
        Math.round((most - memory) / 2 ** 20).toString(),
        pending.toString(),
      ],
    ],
  );
  fact(
    `the first ${OPENING} s, in which the connections are made, apart: p99 ${digits(timing(opening).p99)} ms`,
  );
  goal('p99 from creation to the first byte', p99, '≤', 1000, ' ms');
  goal('not delivered', wanted - seen.size, '≤', 0);
}
