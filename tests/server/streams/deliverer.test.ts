import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '#core/time/span.ts';
import { FetchError } from '#server/fetcher/fetch-error.ts';
import type { FetchAnswer, OutgoingRequest } from '#server/fetcher/fetcher.ts';
import { Deliverer, signatureOf, type Receiver } from '#server/streams/deliverer.ts';
import { openDeliveryQueue, type NewDelivery } from '#server/streams/delivery-queue.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { FakeClock } from '#tests/support/timers.ts';

const file = temporaryFolder();
const NOW = Date.UTC(2026, 10, 21, 10, 30);
let files = 0;

/** The answer of a receiver to the request with a body; `hang` never answers. */
type Answer = 'ok' | 'fail' | 'hang';

/** A deliverer whose requests a test answers. */
function rig(answer: (webhook: string, body: string) => Answer = () => 'ok') {
  const clock = new FakeClock(NOW);
  const name = `rig-${(files += 1)}`;
  const queue = openDeliveryQueue(file(name));
  const sent: { webhook: string; body: string; at: number }[] = [];
  const receivers = new Map<string, Receiver>();
  let most = 0;
  let running = 0;
  const log: string[] = [];
  const send = async ({ url, body, signal }: OutgoingRequest): Promise<FetchAnswer> => {
    const webhook = new URL(url).pathname.slice(1);
    const text = Buffer.from(body!).toString();
    sent.push({ webhook, body: text, at: clock.at });
    running += 1;
    most = Math.max(most, running);
    try {
      const what = answer(webhook, text);
      if (what === 'hang') {
        await new Promise<void>((resolve, reject) => {
          const late = clock.timer(10_000, resolve);
          const end = AbortSignal.any(signal ? [signal] : []);
          end.addEventListener('abort', () => {
            late();
            reject(end.reason as Error);
          });
        });
        throw new FetchError('timeout', 'There was no answer within 10 seconds.');
      }
      if (what === 'fail') throw new FetchError('status', 'The server answered with status 500.');
      return { status: 200, body: Buffer.alloc(0) };
    } finally {
      running -= 1;
    }
  };
  const deliverer = new Deliverer({
    queue,
    receiver: (id) => receivers.get(id) ?? null,
    send,
    now: clock.now,
    elapsed: clock.now,
    random: (n) => new Uint8Array(n),
    timer: clock.timer,
    log: (line) => void log.push(line),
  });
  const add = (id: string, valid = true): void => {
    receivers.set(id, { url: `https://receiver.test/${id}`, secret: 'secret', valid });
  };
  let cursor = 0;
  const enqueue = (...deliveries: (Partial<NewDelivery> & { event: string })[]): void => {
    const all = deliveries.map((delivery) => ({
      webhook: '1',
      subscription: 'a',
      body: Buffer.from(delivery.event),
      createdAt: clock.at,
      ...delivery,
    }));
    queue.enqueue({ name: 'log', cursor: (cursor += 1) }, all, clock.at);
    deliverer.wake(all.map(({ webhook }) => webhook));
  };
  /** Lets work that waits for no timer finish. */
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 6; i++) await setImmediate();
  };
  const bodies = (webhook = '1'): string[] =>
    sent.filter((each) => each.webhook === webhook).map(({ body }) => body);
  return {
    clock,
    queue,
    deliverer,
    receivers,
    sent,
    log,
    add,
    enqueue,
    bodies,
    settle,
    most: () => most,
    move: (ms: number) => clock.move(ms, settle),
  };
}

it('signs the exact bytes', () => {
  // RFC 4231, test case 2.
  expect(signatureOf('Jefe', 'what do ya want for nothing?')).toBe(
    `sha256=${Buffer.from('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843', 'hex').toString('base64')}`,
  );
});

it('sends each subscription in order', async () => {
  const on = rig();
  on.add('1');
  on.enqueue({ event: 'a1' }, { event: 'b1', subscription: 'b' }, { event: 'a2' });
  await on.move(0);
  expect(on.bodies().filter((body) => body.startsWith('a'))).toEqual(['a1', 'a2']);
  expect(on.bodies()).toHaveLength(3);
  expect(on.queue.webhooks()).toEqual([]);
});

describe('a failure', () => {
  it('is tried again with growing waits for 24 hours, and then is a dead letter', async () => {
    const on = rig((_, body) => (body === 'bad' ? 'fail' : 'ok'));
    on.add('1');
    on.enqueue({ event: 'bad' }, { event: 'good' });
    await on.move(DAY_MS + 3_600_000);
    const waits = on.sent.slice(1, -1).map(({ at }, i) => at - on.sent[i]!.at);
    expect(waits.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16_000]);
    expect(Math.max(...waits)).toBe(1_800_000);
    const last = on.sent.at(-2)!;
    expect([last.body, last.at - NOW >= DAY_MS, last.at - NOW < DAY_MS + 1_800_000]).toEqual([
      'bad',
      true,
      true,
    ]);
    expect(on.bodies().at(-1)).toBe('good');
    expect(on.queue.deadLetters(10)).toMatchObject([
      { event: 'bad', fault: 'The server answered with status 500.' },
    ]);
    expect(on.log).toEqual([
      'Deliveries to the webhook 1 were given up after 24 hours: The server answered with status 500.',
    ]);
  });

  it('does not delay another subscription of the webhook', async () => {
    const on = rig((_, body) => (body === 'bad' ? 'fail' : 'ok'));
    on.add('1');
    on.enqueue({ event: 'bad' }, { event: 'good', subscription: 'b' });
    await on.move(0);
    expect(on.bodies()).toEqual(['bad', 'good']);
  });

  it('continues where it was after a restart', async () => {
    const on = rig(() => 'hang');
    on.add('1');
    on.enqueue({ event: 'x' });
    await on.settle();
    await on.deliverer.close();
    expect(on.queue.next('1', on.clock.at, new Set())).toMatchObject({ event: 'x', attempts: 0 });
  });
});

describe('receivers that hang', () => {
  it.each([
    ['delay no other', 60, 500],
    ['delay others by a second at most, even if many begin to hang at once', 100, 1500],
  ])('%s', async (_, number, ms) => {
    const on = rig((webhook) => (webhook.startsWith('slow') ? 'hang' : 'ok'));
    on.add('fast');
    const slow = Array.from({ length: number }, (_, i) => `slow${i}`);
    for (const id of slow) on.add(id);
    on.enqueue(
      ...slow.flatMap((webhook) =>
        Array.from({ length: 40 }, (_, i) => ({ webhook, event: `${i}`, subscription: `s${i}` })),
      ),
    );
    for (let n = 0; n < 30; n++) {
      on.enqueue({ webhook: 'fast', event: String(n) });
      await on.move(ms);
      expect(on.bodies('fast')).toHaveLength(n + 1);
    }
    expect(on.most()).toBeLessThanOrEqual(512);
    await on.deliverer.close();
  });

  it('get two requests at once', async () => {
    const on = rig(() => 'hang');
    on.add('1');
    on.enqueue(...Array.from({ length: 50 }, (_, i) => ({ event: `${i}`, subscription: `s${i}` })));
    await on.move(10_000);
    const before = on.sent.length;
    expect(before).toBe(6);
    await on.move(9999);
    expect(on.sent.length - before).toBe(0);
    await on.deliverer.close();
  });
});

describe('a webhook', () => {
  it('that is not valid gets nothing, and dead letters after 24 hours', async () => {
    const on = rig();
    on.add('1', false);
    on.enqueue({ event: 'old' });
    await on.move(DAY_MS / 2);
    on.enqueue({ event: 'new' });
    await on.move(DAY_MS / 2 + 60_000);
    expect(on.bodies()).toEqual([]);
    expect(on.queue.deadLetters(10)).toMatchObject([
      { event: 'old', fault: 'The webhook was not valid for 24 hours.' },
    ]);
    on.add('1');
    on.deliverer.wake(['1']);
    await on.move(0);
    expect(on.bodies()).toEqual(['new']);
  });

  it('that was removed gets nothing', async () => {
    const on = rig();
    on.enqueue({ event: 'x' });
    await on.move(1000);
    expect([on.bodies(), on.queue.webhooks()]).toEqual([[], []]);
  });
});

it('waits when the file cannot be written, and loses nothing', async () => {
  const on = rig();
  on.add('1');
  on.enqueue({ event: 'x' });
  on.queue.close();
  await on.settle();
  expect(on.log[0]).toMatch(/^Webhooks wait: /);
  await on.deliverer.close();
});
