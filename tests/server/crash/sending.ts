import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { StepAt } from '#server/db/driver.ts';
import { Deliverer } from '#server/streams/deliverer.ts';
import { openDeliveryQueue, type NewDelivery } from '#server/streams/delivery-queue.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { machineTimer } from '#tests/support/timers.ts';

/** The log of the test: events 1 to 12, of two subscriptions, which happened in this order. */
export const EVENTS = 12;
export const WEBHOOK = '1';
const HAPPENED = Date.UTC(2026, 10, 21, 10, 30);
/** A replay of all of them. */
export const REPLAY = {
  id: '99',
  webhook: WEBHOOK,
  from: HAPPENED,
  to: HAPPENED + EVENTS + 1,
  createdAt: HAPPENED,
};

export function subscriptionOf(event: number): string {
  return event % 3 === 0 ? 'b' : 'a';
}

function deliveryOf(event: number): NewDelivery {
  return {
    webhook: WEBHOOK,
    subscription: subscriptionOf(event),
    event: String(event),
    body: Buffer.from(String(event)),
    createdAt: HAPPENED + event,
  };
}

/** Delivers from a file to a receiver, from where an earlier process was. */
export function openSending(
  file: string,
  url: string,
  onStep: (step: string, at: StepAt) => void = () => {},
) {
  const queue = openDeliveryQueue(file, { onStep });
  const fetcher = testFetcher({ resolve: async () => [] });
  const deliverer = new Deliverer({
    queue,
    receiver: () => ({ url, secret: 'secret', valid: true }),
    send: (request) => fetcher.send(request),
    now: Date.now,
    elapsed: () => performance.now(),
    random: (n) => randomBytes(n),
    timer: machineTimer,
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  deliverer.start();
  /** Resolves when nothing is pending. */
  const sent = async (): Promise<void> => {
    while (queue.webhooks().length > 0) {
      await deliverer.idle();
      await setImmediate();
    }
  };
  return {
    queue,
    deliverer,
    /** Reads the rest of the log, two entries at a time, and delivers it. */
    async readLog(): Promise<void> {
      for (let read = queue.cursor('log'); read < EVENTS; read = queue.cursor('log')) {
        const next = [read + 1, read + 2].filter((event) => event <= EVENTS);
        queue.enqueue({ name: 'log', cursor: next.at(-1)! }, next.map(deliveryOf), Date.now());
        deliverer.wake([WEBHOOK]);
        await deliverer.idle();
      }
      await sent();
    },
    /** Begins the replay, and reports it before anything else happens. */
    async replay(acknowledge: () => void): Promise<void> {
      queue.replays.begin(REPLAY);
      acknowledge();
      deliverer.wake([WEBHOOK]);
      await sent();
    },
    sent,
    async close(): Promise<void> {
      await deliverer.close();
      await fetcher.close();
      queue.close();
    },
  };
}
