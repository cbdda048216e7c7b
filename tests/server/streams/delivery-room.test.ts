import { statSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time/span.ts';
import {
  openDeliveryQueue,
  SPENT,
  type DeliveryQueue,
  type NewDelivery,
} from '#server/streams/delivery-queue.ts';
import { noRoomFault } from '#server/streams/delivery-room.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const NOW = Date.UTC(2026, 10, 21, 10, 30);
const NONE: ReadonlySet<string> = new Set();
const MOST = 512 * 1024;
const BODY = 4000;

const file = temporaryFolder();
let files = 0;
function open(mostBytes = MOST) {
  const name = file(`room-${(files += 1)}`);
  return { name, queue: openDeliveryQueue(name, { mostBytes }) };
}

let cursor = 0;
function enqueue(queue: DeliveryQueue, more: Partial<NewDelivery> & { event: string }): number {
  const body = Buffer.alloc(BODY, more.event);
  const one = { webhook: '1', subscription: 'a', body, createdAt: NOW, ...more };
  return queue.enqueue({ name: 'log', cursor: (cursor += 1) }, [one], NOW);
}
/** Delivers what is pending. @returns The events. */
function deliver(queue: DeliveryQueue, webhook = '1'): string[] {
  const events: string[] = [];
  for (;;) {
    const next = queue.next(webhook, NOW, NONE);
    if (!next) return events;
    events.push(next.event);
    queue.delivered([next], NOW);
  }
}
const numbers = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, i) => String(from + i));

describe('a file of deliveries that has too much', () => {
  it('removes what arrived, the oldest first, and none that waits', () => {
    const { name, queue } = open();
    for (const event of numbers(0, 40)) enqueue(queue, { event });
    expect(deliver(queue)).toHaveLength(40);
    for (const event of numbers(40, 120)) {
      expect(enqueue(queue, { event, createdAt: NOW + 60_000 })).toBe(0);
    }
    expect(deliver(queue)).toEqual(numbers(40, 120));
    for (const event of numbers(120, 400)) {
      expect(enqueue(queue, { event, createdAt: NOW + 60_000 })).toBe(0);
      expect(deliver(queue)).toEqual([event]);
    }
    expect(queue.deadLetters(10)).toEqual([]);
    queue.close();
    expect(statSync(name).size).toBeLessThan(MOST * 1.5);
  });

  it('gives up the oldest that wait, says so, and delivers the rest in order', () => {
    const { name, queue } = open();
    let givenUp = 0;
    for (const event of numbers(0, 400)) givenUp += enqueue(queue, { event });
    expect(givenUp).toBeGreaterThan(200);
    expect(queue.deadLetters(10)).toMatchObject([
      { event: String(givenUp - 1), fault: noRoomFault(MOST), more: givenUp - 1 },
    ]);
    expect(deliver(queue)).toEqual(numbers(givenUp, 400));
    expect(queue.webhooks()).toEqual([]);
    queue.close();
    expect(statSync(name).size).toBeLessThan(MOST * 1.5);
  });

  it('a lane whose deliveries were all given up is gone, and comes back with the next one', () => {
    const { queue } = open();
    enqueue(queue, { event: 'old' });
    for (const event of numbers(0, 400)) enqueue(queue, { event, subscription: 'b' });
    const first = queue.next('1', NOW, new Set(['b']));
    expect(first).toBeNull();
    enqueue(queue, { event: 'new' });
    expect(queue.next('1', NOW, new Set(['b']))?.event).toBe('new');
    queue.close();
  });

  it('a lane keeps the wait of its receiver', () => {
    const { queue } = open();
    enqueue(queue, { event: 'first' });
    queue.failed(queue.next('1', NOW, NONE)!, 'away', NOW + 1000);
    for (const event of numbers(0, 400)) enqueue(queue, { event });
    expect([queue.next('1', NOW, NONE), queue.nextAt('1', NONE)]).toEqual([null, NOW + 1000]);
    queue.close();
  });

  it.each([
    ['removed', numbers(0, 400), 'incomplete'],
    ['still there', numbers(0, 20), 'complete'],
  ])('a replay of what is %s ends as such', (_, events, state) => {
    const { queue } = open();
    for (const event of events) {
      enqueue(queue, { event });
      deliver(queue);
    }
    const replay = { id: '9', webhook: '1', from: NOW, to: NOW + 1, createdAt: NOW };
    expect(queue.replays.begin(replay)).toEqual([]);
    const repeated = deliver(queue).slice(0, -1);
    expect(events.slice(-repeated.length)).toEqual(repeated);
    expect(queue.replays.all(1)[0]?.state).toBe(state);
    queue.close();
  });

  it('a replay whose deliveries were given up ends as incomplete', () => {
    const { queue } = open();
    for (const event of numbers(0, 20)) enqueue(queue, { event });
    deliver(queue);
    queue.replays.begin({ id: '9', webhook: '1', from: NOW, to: NOW + 1, createdAt: NOW });
    for (const event of numbers(20, 400)) enqueue(queue, { event, webhook: '2' });
    deliver(queue);
    expect(queue.replays.all(1)[0]?.state).toBe('incomplete');
    queue.close();
  });
});

it('every delivery arrives, waits, or is counted as a dead letter', () => {
  const step = fc.record({
    webhook: fc.constantFrom('1', '2', '3'),
    subscription: fc.constantFrom('a', 'b'),
    size: fc.integer({ min: 1, max: 20_000 }),
    delivers: fc.constantFrom<string | null>(null, null, '1', '2'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const { queue } = open(256 * 1024);
      let arrived = 0;
      for (const [i, { webhook, subscription, size, delivers }] of steps.entries()) {
        enqueue(queue, { event: String(i), webhook, subscription, body: Buffer.alloc(size) });
        if (delivers !== null) arrived += deliver(queue, delivers).length;
      }
      const waiting = ['1', '2', '3'].reduce((sum, id) => sum + queue.backlog(id).pending, 0);
      const dead = queue.deadLetters(1000).reduce((sum, { more }) => sum + more + 1, 0);
      expect(arrived + waiting + dead).toBe(steps.length);
      queue.close();
    }),
    { numRuns: runs(40) },
  );
});

describe('dead letters without a body', () => {
  it('are one for each subscription, reason and hour', () => {
    const { queue } = open();
    const spend = (event: string, subscription: string, now: number): void => {
      const one = { webhook: '1', subscription, event, body: Buffer.alloc(9), createdAt: now };
      queue.enqueue({ name: 'log', cursor: (cursor += 1) }, [{ ...one, fault: SPENT }], now);
    };
    for (const event of ['1', '2', '3']) spend(event, 'a', NOW);
    spend('4', 'b', NOW);
    spend('5', 'a', NOW + HOUR_MS);
    expect(queue.deadLetters(10)).toMatchObject([
      { event: '5', subscription: 'a', more: 0 },
      { event: '4', subscription: 'b', more: 0 },
      { event: '3', subscription: 'a', more: 2, fault: SPENT },
    ]);
    expect(queue.webhooks()).toEqual([]);
    queue.close();
  });
});
