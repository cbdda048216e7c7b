import { afterAll, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import type { DeliveryJob } from './delivery-child.ts';
import { killPoints, TIMES } from './kill-points.ts';
import { openReceiver } from './receiver.ts';
import { runChild } from './child-process.ts';
import { EVENTS, openSending, REPLAY, subscriptionOf } from './sending.ts';

const file = temporaryFolder();
/** Bodies in the order in which they came. */
const received: string[] = [];
const { url, close } = await openReceiver((body) => received.push(body) > 0);
afterAll(close);
beforeEach(() => {
  received.length = 0;
});

let files = 0;
/** Delivers in another process, which kills itself. */
async function killed(kill: DeliveryJob['kill']) {
  const name = file(`${(files += 1)}.sqlite`);
  const job: DeliveryJob = { file: name, url, kill };
  const { signal, done } = await runChild('delivery-child', job);
  return { name, signal, begun: done.includes('begun') };
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
    const { name, signal, begun } = await killed(kill);
    expect(signal).toBe('SIGKILL');
    const sending = openSending(name, url);
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
