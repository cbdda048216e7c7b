import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import {
  MOST_BODY,
  openDeliveryQueue,
  type NewDelivery,
  type DeliveryQueue,
} from '#server/streams/delivery-queue.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { runs } from '#tests/support/run/runs.ts';

const file = temporaryFolder();
const NOW = Date.UTC(2026, 10, 21, 10, 30);
const NONE: ReadonlySet<string> = new Set();
let files = 0;
const open = (name = `queue-${(files += 1)}`): DeliveryQueue => openDeliveryQueue(file(name));

function delivery(n: number, over: Partial<NewDelivery> = {}): NewDelivery {
  const body = Buffer.from(`{"n":${n}}`);
  return { webhook: '1', subscription: 'a', event: String(n), body, createdAt: NOW, ...over };
}
const from = (cursor: number) => ({ name: 'log', cursor });
const eventsOf = (queue: DeliveryQueue, webhook = '1', now = NOW): string[] => {
  const events: string[] = [];
  for (;;) {
    const next = queue.next(webhook, now, NONE);
    if (!next) return events;
    events.push(next.event);
    queue.delivered([next], now);
  }
};

describe('enqueue', () => {
  it('keeps deliveries and the cursor together over a restart', () => {
    const queue = open('restart');
    queue.enqueue(from(7), [delivery(1), delivery(2)], NOW);
    queue.close();
    const again = open('restart');
    expect([again.cursor('log'), again.cursor('other'), again.webhooks()]).toEqual([7, 0, ['1']]);
    expect(eventsOf(again)).toEqual(['1', '2']);
    expect(again.webhooks()).toEqual([]);
    again.close();
  });

  it('refuses a cursor that does not increase, without a change', () => {
    const queue = open();
    queue.enqueue(from(7), [], NOW);
    for (const cursor of [7, 6]) {
      expect(() => queue.enqueue(from(cursor), [delivery(1)], NOW)).toThrow(
        new RangeError(`expected a cursor of log above 7, got ${cursor}`),
      );
    }
    expect([queue.cursor('log'), queue.webhooks()]).toEqual([7, []]);
    queue.close();
  });

  it('keeps the exact bytes', () => {
    const queue = open();
    const body = Buffer.from([0, 255, 0xc3, 0x28, 10, 13]);
    queue.enqueue(from(1), [delivery(1, { body })], NOW);
    expect(queue.next('1', NOW, NONE)?.body.equals(body)).toBe(true);
    queue.close();
  });

  it('makes a dead letter of what is too large', () => {
    const queue = open();
    const large = delivery(1, { body: Buffer.alloc(MOST_BODY + 1) });
    const largest = delivery(2, { body: Buffer.alloc(MOST_BODY) });
    queue.enqueue(from(1), [large, largest], NOW);
    expect(queue.deadLetters(10)).toMatchObject([
      { event: '1', fault: 'It has 262145 bytes, more than 262144, and was not sent.' },
    ]);
    expect(eventsOf(queue)).toEqual(['2']);
    queue.close();
  });
});

describe('order', () => {
  it('a failed delivery blocks its own subscription until it is due, and no other', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1), delivery(2), delivery(3, { subscription: 'b' })], NOW);
    const first = queue.next('1', NOW, NONE)!;
    queue.failed(first, 'late', NOW + 1000);
    expect(queue.next('1', NOW, NONE)?.event).toBe('3');
    expect(queue.nextAt('1', new Set(['b']))).toBe(NOW + 1000);
    expect(eventsOf(queue)).toEqual(['3']);
    expect(queue.backlog('1')).toEqual({ pending: 2, since: NOW, fault: 'late' });
    const again = queue.next('1', NOW + 1000, NONE)!;
    expect([again.event, again.attempts]).toEqual(['1', 1]);
    expect(eventsOf(queue, '1', NOW + 1000)).toEqual(['1', '2']);
    queue.close();
  });

  it('a subscription is not sent twice at once', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1), delivery(2, { subscription: 'b' })], NOW);
    expect(queue.next('1', NOW, new Set(['a']))?.event).toBe('2');
    expect(queue.next('1', NOW, new Set(['a', 'b']))).toBeNull();
    expect(queue.nextAt('1', new Set(['a', 'b']))).toBeNull();
    queue.close();
  });

  it('law: each subscription is sent in order and once, whatever fails in between', () => {
    const queue = open();
    let cursor = 0;
    const some = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 });
    fc.assert(
      fc.property(some, fc.array(fc.boolean(), { maxLength: 60 }), (subscriptions, fails) => {
        const webhook = `w${cursor}`;
        const all = subscriptions.map((subscription, n) => delivery(n, { webhook, subscription }));
        for (const each of all) queue.enqueue(from((cursor += 1)), [each], NOW);
        cursor += 1;
        const sent: NewDelivery[] = [];
        let now = NOW;
        for (let step = 0; ; step++) {
          const next = queue.next(webhook, now, NONE);
          const due = next ? now : queue.nextAt(webhook, NONE);
          if (due === null) break;
          now = due;
          if (!next) continue;
          if (fails[step]) queue.failed(next, 'failed', now + 1000);
          else {
            sent.push(all[Number(next.event)]!);
            queue.delivered([next], now);
          }
        }
        for (const name of ['a', 'b', 'c']) {
          const of = (list: readonly NewDelivery[]) =>
            list.filter(({ subscription }) => subscription === name);
          expect(of(sent)).toEqual(of(all));
        }
      }),
      { numRuns: runs(50) },
    );
    queue.close();
  });

  it('a clock that was set back makes nothing wait longer', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1)], NOW);
    queue.failed(queue.next('1', NOW, NONE)!, 'late', NOW + 1000);
    const earlier = NOW - 10 * DAY_MS;
    queue.hurry('1', earlier + HOUR_MS, earlier);
    expect(queue.next('1', earlier, NONE)?.event).toBe('1');
    queue.close();
  });
});

describe('dead letters', () => {
  it('are listed with their reason, newest first, and let the next one through', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1), delivery(2)], NOW);
    queue.giveUp(queue.next('1', NOW, NONE)!, 'one', NOW + 1);
    queue.giveUp(queue.next('1', NOW + 1, NONE)!, 'two', NOW + 2);
    const letter = { webhook: '1', subscription: 'a', createdAt: NOW, more: 0 };
    expect(queue.deadLetters(10)).toEqual([
      { ...letter, event: '2', settledAt: NOW + 2, fault: 'two' },
      { ...letter, event: '1', settledAt: NOW + 1, fault: 'one' },
    ]);
    expect(queue.webhooks()).toEqual([]);
    queue.close();
  });

  it('are made of all that waited too long', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1), delivery(2, { subscription: 'b' })], NOW);
    queue.enqueue(from(2), [delivery(3)], NOW + DAY_MS);
    expect(queue.expire('1', NOW + 1, 'old', NOW + DAY_MS)).toBe(2);
    expect(queue.deadLetters(10)).toHaveLength(2);
    expect(eventsOf(queue, '1', NOW + DAY_MS)).toEqual(['3']);
    queue.close();
  });
});

it('what is too old is removed', () => {
  const queue = open();
  queue.enqueue(from(1), [delivery(1), delivery(2)], NOW);
  queue.delivered([queue.next('1', NOW, NONE)!], NOW);
  queue.giveUp(queue.next('1', NOW, NONE)!, 'failed', NOW);
  const replayed = (id: string, now: number): string[] => {
    queue.replays.begin({ id, webhook: '1', from: NOW, to: NOW + 1, createdAt: now });
    return eventsOf(queue, '1', now);
  };
  queue.sweep(NOW + DAY_MS);
  expect(replayed('11', NOW + DAY_MS)).toEqual(['1', '2', 'replay 11 complete']);
  queue.sweep(NOW + DAY_MS + 60_001);
  expect(replayed('12', NOW + DAY_MS + 60_001)).toEqual(['2', 'replay 12 complete']);
  queue.sweep(NOW + 9 * DAY_MS);
  expect([queue.deadLetters(10), queue.replays.all(10)]).toEqual([[], []]);
  queue.close();
});

it('what belongs to a removed webhook goes with it', () => {
  const queue = open();
  const other = delivery(3, { webhook: '2' });
  queue.enqueue(from(1), [delivery(1), delivery(2), other], NOW);
  queue.delivered([queue.next('1', NOW, NONE)!], NOW);
  while (queue.forget('1'));
  expect(queue.webhooks()).toEqual(['2']);
  expect(queue.backlog('1')).toEqual({ pending: 0, since: null, fault: null });
  queue.close();
});

describe('replays', () => {
  /** Sends what is pending. @returns The bodies. */
  const send = (queue: DeliveryQueue, webhook = '1', limit = Infinity): string[] => {
    const bodies: string[] = [];
    while (bodies.length < limit) {
      const next = queue.next(webhook, NOW, NONE);
      if (!next) break;
      bodies.push(next.body.toString());
      queue.delivered([next], NOW);
    }
    return bodies;
  };

  it('law: a replay equals what was sent, each subscription in order, and ends with a message', () => {
    let queue = open('law');
    let run = 0;
    const times = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 250 });
    fc.assert(
      fc.property(times, fc.nat(9), fc.nat(9), fc.nat(300), (minutes, a, b, stop) => {
        const webhook = String((run += 1));
        const at = (minute: number): number => NOW + minute * 60_000;
        const made = minutes.map((minute, n) =>
          delivery(n, { webhook, createdAt: at(minute), subscription: String(n % 3) }),
        );
        queue.enqueue(from(run), made, NOW);
        const sent = send(queue, webhook);
        const bounds = { from: at(Math.min(a, b)), to: at(Math.max(a, b) + 1), createdAt: NOW };
        const id = `${webhook}0`;
        expect(queue.replays.begin({ id, webhook, ...bounds })).toEqual([]);
        const replayed = send(queue, webhook, stop);
        queue.close();
        queue = open('law');
        replayed.push(...send(queue, webhook));
        const within = made
          .filter(({ createdAt }) => createdAt >= bounds.from && createdAt < bounds.to)
          .map(({ body }) => String(body));
        expect(within.every((body) => sent.includes(body))).toBe(true);
        expect(replayed.slice(0, -1)).toEqual(within);
        expect(JSON.parse(replayed.at(-1) ?? '')).toEqual({
          replay_job_status: {
            webhook_id: webhook,
            job_state: 'Complete',
            job_state_description: 'Job completed successfully',
            job_id: id,
          },
        });
        const replay = queue.replays.all(1000).find((each) => each.id === id);
        expect(replay?.state).toBe('complete');
      }),
      { numRuns: runs(20) },
    );
    queue.close();
  });

  it('one of a webhook runs at a time', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1)], NOW);
    send(queue);
    const replay = { webhook: '1', from: NOW, to: NOW + 1, createdAt: NOW };
    expect(queue.replays.begin({ ...replay, id: '1' })).toEqual([]);
    expect(queue.replays.begin({ ...replay, id: '2' })).toBeNull();
    expect(queue.replays.begin({ ...replay, id: '3', webhook: '2' })).toEqual([]);
    send(queue);
    expect(queue.replays.begin({ ...replay, id: '4' })).toEqual([]);
    expect(send(queue)).toHaveLength(2);
    queue.close();
  });

  it('says which deliveries it leaves out: those of subscriptions that were deleted since', () => {
    const deleted = new Set<string>();
    const queue = openDeliveryQueue(file('left-out'), {
      isWanted: (_, subscription) => !deleted.has(subscription),
    });
    const of = (n: number, subscription: string) => delivery(n, { subscription });
    queue.enqueue(from(1), [of(1, 'a'), of(2, 'b'), of(3, 'b'), of(4, 'c')], NOW);
    send(queue);
    deleted.add('b').add('c');
    const replay = { id: '1', webhook: '1', from: NOW, to: NOW + 1, createdAt: NOW };
    expect(queue.replays.begin(replay)).toEqual([
      { subscription: 'b', deliveries: 2 },
      { subscription: 'c', deliveries: 1 },
    ]);
    expect(send(queue)).toHaveLength(2);
    queue.close();
  });

  it('is incomplete if a delivery was given up', () => {
    const queue = open();
    queue.enqueue(from(1), [delivery(1), delivery(2)], NOW);
    send(queue);
    queue.replays.begin({ id: '1', webhook: '1', from: NOW, to: NOW + 1, createdAt: NOW });
    queue.giveUp(queue.next('1', NOW, NONE)!, 'gone', NOW);
    const [, end] = send(queue);
    expect(JSON.parse(end ?? '')).toMatchObject({ replay_job_status: { job_state: 'Incomplete' } });
    expect(queue.replays.all(1)).toMatchObject([{ state: 'incomplete', endedAt: NOW }]);
    queue.close();
  });
});
