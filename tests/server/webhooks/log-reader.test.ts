import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDeliveryQueue, type DeliveryQueue } from '#server/streams/delivery-queue.ts';
import type { LogSession } from '#server/streams/log.ts';
import { startReading, type DeliveryPart } from '#server/webhooks/log-reader.ts';
import { freshFolder } from '#tests/server/db/folder.ts';
import { FakeClock } from '#tests/support/timers.ts';

/** Entries of a part. */
const PART = 2;
const NAME = 'test';

const file = freshFolder();
let queue: DeliveryQueue;
let length: number;
let listeners: Set<() => void>;
let settled: boolean[];
let lines: string[];
let clock: FakeClock;
beforeEach(() => {
  queue = openDeliveryQueue(file('deliveries.sqlite'));
  length = 0;
  sessions = [];
  listeners = new Set();
  settled = [];
  lines = [];
  clock = new FakeClock(0);
});
afterEach(() => queue.close());

let sessions: LogSession[];
const log = {
  last: () => length,
  sessions: () => sessions,
  onAppend: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
function append(entries: number): void {
  length += entries;
  for (const listener of listeners) listener();
}

/** A log whose entries are their numbers, each a delivery. */
async function read(number: number): Promise<DeliveryPart> {
  const last = Math.min(length, number + PART);
  const numbers = Array.from({ length: last - number }, (_, i) => number + i + 1);
  return {
    last,
    deliveries: numbers.map((n) => ({
      webhook: '1',
      subscription: String(n),
      event: String(n),
      body: Buffer.from(String(n)),
      createdAt: n,
    })),
    settled: (isQueued) => void settled.push(isQueued),
  };
}

function start(fails: () => boolean = () => false, onRewind: (number: number) => void = () => {}) {
  return startReading(
    { name: NAME, log, read, onRewind },
    {
      queue,
      enqueue: (from, deliveries) => {
        if (fails()) throw new Error('the disk is full');
        queue.enqueue(from, deliveries, 0);
      },
      log: (line) => void lines.push(line),
      timer: clock.timer,
    },
  );
}

/** The events that wait, each as often as it was queued. */
const queued = (): number => queue.backlog('1').pending;

it('queues what is there and what comes, in parts', async () => {
  length = 5;
  const reader = start();
  await reader.rest();
  expect([queue.cursor(NAME), queued()]).toEqual([5, 5]);
  append(3);
  await reader.rest();
  expect([queue.cursor(NAME), queued(), lines]).toEqual([8, 8, []]);
  await reader.close();
  append(1);
  expect([queue.cursor(NAME), listeners.size]).toEqual([8, 0]);
});

it('continues with another reader where the cursor is, without a loss or a repetition', async () => {
  length = 3;
  const first = start();
  await first.rest();
  await first.close();
  length = 7;
  const second = start();
  await second.rest();
  expect([queue.cursor(NAME), queued()]).toEqual([7, 7]);
  await second.close();
});

it.each([
  ['with the next entry', async () => append(1), 3],
  ['after five seconds', async () => await clock.move(5000), 2],
])('tries again after an error, %s', async (_, happens, expected) => {
  let isFull = true;
  length = 2;
  const reader = start(() => isFull);
  await reader.rest();
  expect([queue.cursor(NAME), queued(), settled]).toEqual([0, 0, [false]]);
  expect(lines).toEqual(['Events were not queued for webhooks yet: the disk is full']);
  isFull = false;
  await happens();
  await reader.rest();
  expect([queue.cursor(NAME), queued(), settled[1]]).toEqual([expected, expected, true]);
  await reader.close();
});

it('continues where a log differs that was restored from a backup', async () => {
  sessions = [{ id: 'a', first: 1 }];
  length = 7;
  const first = start();
  await first.rest();
  await first.close();
  // Two entries that were read are gone, and three others have come.
  sessions = [...sessions, { id: 'b', first: 6 }];
  length = 8;
  const rewound: number[] = [];
  const second = start(
    () => false,
    (number) => void rewound.push(number),
  );
  await second.rest();
  expect([rewound, queue.cursor(NAME), queued()]).toEqual([[5], 8, 7 + 3]);
  expect([...queue.sessions(NAME)]).toEqual(['a', 'b']);
  expect(lines).toEqual([
    'The log test is not the one that was read up to 7: it was restored from a backup. It is read on from 5.',
  ]);
  await second.close();
});
