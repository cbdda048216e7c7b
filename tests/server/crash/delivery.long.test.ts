import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import type { DeliveryJob } from './delivery-child.ts';
import { killPoints, TIMES } from './kill-points.ts';
import { EVENTS, openSending, REPLAY, subscriptionOf } from './sending.ts';

const folder = mkdtempSync(join(tmpdir(), 'groundswell-delivery-'));
/** Bodies in the order in which they came. */
const received: string[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(body);
    response.end();
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  received.length = 0;
});

let files = 0;
/** Delivers in another process, which kills itself. */
async function killed(kill: DeliveryJob['kill']) {
  const job: DeliveryJob = { file: join(folder, `${(files += 1)}.sqlite`), url, kill };
  const args = [join(inject('programs'), 'delivery-child.js'), JSON.stringify(job)];
  const { signal, out } = await new Promise<{ signal: string | null; out: string }>((resolve) => {
    const child = execFile(process.execPath, args, (_error, printed) =>
      resolve({ signal: child.signalCode, out: printed }),
    );
  });
  return { file: job.file, signal, begun: out.includes('begun') };
}

const LOG = Array.from({ length: EVENTS }, (_, i) => i + 1);

/** Events of a subscription in the order in which each came first. */
function firstOf(bodies: readonly string[], subscription: string): number[] {
  const events = bodies.map(Number).filter((event) => !Number.isNaN(event));
  return [...new Set(events)].filter((event) => subscriptionOf(event) === subscription);
}

/** The log of a subscription. */
const logOf = (subscription: string): number[] =>
  LOG.filter((event) => subscriptionOf(event) === subscription);

it('without a kill, each event arrives once, and again in the replay', async () => {
  const { signal, begun } = await killed(null);
  expect([signal, begun]).toEqual([null, true]);
  expect(received.slice(EVENTS, -1).map(Number)).toEqual(LOG);
  expect(
    received
      .slice(0, EVENTS)
      .map(Number)
      .sort((a, b) => a - b),
  ).toEqual(LOG);
  expect(JSON.parse(received.at(-1) ?? '')).toMatchObject({
    replay_job_status: { job_id: REPLAY.id, job_state: 'Complete' },
  });
});

/** Writes of the life of an queue: of the log, of accepted deliveries, and of the replay and its deliveries. */
const WRITES = [
  ['enqueue', 1],
  ['enqueue', 2],
  ['enqueue', 6],
  ['delivered', 1],
  ['delivered', 2],
  ['delivered', 5],
  ['replay', 1],
  ['delivered', 14],
  ['delivered', 18],
] as const;

it.each(killPoints(WRITES, TIMES).map(([[step, n], at]) => ({ step, n, at })))(
  'killed in write $n of $step at $at, nothing is lost, and nothing is sent that was not there',
  async (kill) => {
    const { file, signal, begun } = await killed(kill);
    expect(signal).toBe('SIGKILL');
    const sending = openSending(file, url);
    await sending.readLog();
    const [replay] = sending.queue.replays.all(1);
    // An acknowledged replay is there, and ends.
    if (begun) expect(replay).toMatchObject({ id: REPLAY.id });
    await sending.sent();
    if (replay) expect(sending.queue.replays.all(1)[0]?.state).toBe('complete');
    await sending.close();

    const events = received.filter((body) => !body.startsWith('{')).map(Number);
    expect(events.every((event) => LOG.includes(event))).toBe(true);
    // In order per subscription, and each at least once.
    for (const subscription of ['a', 'b']) {
      expect(firstOf(received, subscription)).toEqual(logOf(subscription));
    }
    const ends = received.length - events.length;
    expect(ends).toBe(replay ? Math.max(1, ends) : 0);
    // The kill repeats at most what was being sent: one delivery of each subscription, or the end of the replay.
    const repeated = events.length - EVENTS * (replay ? 2 : 1) + Math.max(0, ends - 1);
    expect(repeated).toBeGreaterThanOrEqual(0);
    expect(repeated).toBeLessThanOrEqual(2);
    // An entry of the log is not queued twice.
    if (kill.step === 'enqueue') expect(repeated).toBe(0);
  },
);
