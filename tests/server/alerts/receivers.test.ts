import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlert } from '#core/alerts/state.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '#core/time/span.ts';
import { alertDeliveries } from '#server/alerts/deliveries.ts';
import { openService } from '#server/auth/store.ts';
import { openChannels } from '#server/channels/channels.ts';
import { testFetcher } from '#tests/support/service/fetcher.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { startReceiver, testNames, type TestReceiver } from '#tests/support/service/receiver.ts';

const file = temporaryFolder();
const START = Date.parse('2026-06-15T12:00:00Z');
const RULE = { zone: 'UTC', unit: 'hour', direction: 'quiet', weeks: 13 } as const;

let receiver: TestReceiver;
beforeAll(async () => {
  receiver = await startReceiver(['receiver.test', 'other.receiver.test']);
});
afterAll(() => receiver.close());

let files = 0;
/** Deliveries of alerts to addresses, by a client whose requests take at most some ms. */
function sending(addresses: readonly string[], { ms = 10_000, trusts = true } = {}) {
  const service = openService(file(`${(files += 1)}.sqlite`), { random: (n) => randomBytes(n) });
  const state = { now: START };
  const { alerts: table } = service;
  for (const address of addresses) {
    const settings = {
      name: 'Oat',
      query: 'oat',
      source: 'posts',
      zone: 'UTC',
      direction: 'quiet',
      budget: 'week',
      quiet: null,
      channels: [{ kind: 'webhook', address }],
    } as const;
    const begun = { login: '', settings, rule: RULE, state: startAlert(RULE, START, null) };
    const id = table.add({ ...begun, createdAt: START });
    const alert = table.find(id);
    if (alert) table.test(alert, START);
  }
  const stopping = new AbortController();
  const fetcher = testFetcher({
    resolve: testNames,
    timeout: () => AbortSignal.timeout(ms),
    ...(trusts && { ca: receiver.ca }),
  });
  const deliveries = alertDeliveries({
    table,
    channels: openChannels({ fetcher, mail: null }),
    alertOf: table.find,
    causes: () => Promise.resolve([]),
    site: () => '',
    stopping: stopping.signal,
    now: () => state.now,
    log: () => undefined,
  });
  return {
    state,
    table,
    deliveries,
    fault: (n = 0): string | null =>
      table.channelFault(String(n + 1), { kind: 'webhook', address: addresses[n] ?? '' }),
    close: async (): Promise<void> => {
      stopping.abort();
      await deliveries.idle();
      await fetcher.close();
      service.close();
    },
  };
}

const OK = (response: ServerResponse): void => void response.end();
/** Ways in which a receiver fails. */
const FAILS: readonly {
  readonly name: string;
  readonly answer?: (response: ServerResponse) => void;
  readonly url?: string;
  readonly with?: { readonly ms?: number; readonly trusts?: boolean };
  readonly fault: string;
}[] = [
  { name: 'answers nothing', answer: () => {}, with: { ms: 20 }, fault: 'no answer within' },
  { name: 'breaks off', answer: (to) => void to.socket?.destroy(), fault: 'The connection failed' },
  { name: 'answers 500', answer: (to) => void to.writeHead(500).end(), fault: 'status 500' },
  { name: 'is gone', answer: (to) => void to.writeHead(410).end(), fault: 'status 410' },
  {
    name: 'redirects',
    answer: (to) => void to.writeHead(302, { location: 'https://receiver.test/' }).end(),
    fault: 'redirected the request (status 302)',
  },
  { name: 'has a certificate of its own', with: { trusts: false }, fault: 'certificate' },
  { name: 'has no address', url: 'https://nowhere.test/', fault: 'the name does not resolve' },
  { name: 'does not listen', url: 'https://receiver.test:1/', fault: 'nothing listens' },
];

describe('a receiver', () => {
  it.each(FAILS)('that $name is tried again for a day, with its reason', async (row) => {
    receiver.deliver = (_, response) => (row.answer ?? OK)(response);
    const { state, table, deliveries, fault, close } = sending(
      [row.url ?? receiver.url()],
      row.with,
    );
    const attempt = async (): Promise<void> => {
      deliveries.send();
      await deliveries.idle();
    };
    await attempt();
    expect(fault()).toContain(row.fault);
    state.now += 5 * SECOND_MS - 1;
    expect(table.due(state.now, 9, [])).toEqual([]);
    while (state.now < START + DAY_MS + 3 * HOUR_MS) {
      state.now += HOUR_MS;
      await attempt();
    }
    expect(table.due(Infinity, 9, [])).toEqual([]);
    expect(fault()).toContain(row.fault);
    await close();
  });

  it('that hangs delays no other one, and is not sent to twice at once', async () => {
    const bodies: string[] = [];
    let free = (): void => undefined;
    receiver.deliver = ({ path }, response) => {
      bodies.push(path);
      if (path === '/hangs') free = () => void response.end();
      else response.end();
    };
    const other = receiver.url('/other').replace('receiver.test', 'other.receiver.test');
    const { table, deliveries, fault, close } = sending([receiver.url('/hangs'), other]);
    deliveries.send();
    await expect.poll(() => [...bodies].sort()).toEqual(['/hangs', '/other']);
    await expect.poll(() => table.due(START, 9, []).length).toBe(1);
    deliveries.send();
    free();
    await deliveries.idle();
    expect([bodies.length, fault(0), fault(1)]).toEqual([2, null, null]);
    await close();
  });

  it('that took a message is not sent it again while the file cannot store that', async () => {
    const bodies: Buffer[] = [];
    receiver.deliver = ({ body }, response) => {
      bodies.push(body);
      response.end();
    };
    const { table, deliveries, close } = sending([receiver.url()]);
    const { settle } = table;
    table.settle = () => {
      throw new Error('The disk is full.');
    };
    deliveries.send();
    await deliveries.idle();
    expect(() => deliveries.send()).toThrow('The disk is full.');
    table.settle = settle;
    deliveries.send();
    await deliveries.idle();
    expect([bodies.length, table.due(START, 9, [])]).toEqual([1, []]);
    await close();
  });
});
