import { createServer } from 'node:http';
import type { DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { AlertInfo, AlertMessageInfo } from '#contract/alerts/alerts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { NETWORK, signedIn } from '#tests/support/browser/board-browsers.ts';
import { startService, type TestPost, type TestService } from '#tests/support/service/service.ts';

/** Within a second: Posts of the present one count. */
const NOON = Date.parse('2026-06-15T12:10:00.500Z');
/** Six Posts an hour that name oat, for five months. */
const POSTS: readonly TestPost[] = Array.from({ length: 150 * 24 * 6 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: NOON - 150 * DAY_MS + i * 10 * MINUTE_MS,
  text: 'an oat latte',
}));

let refuses = false;
const received: { text: string; messages: { kind: string }[] }[] = [];
const receiver = createServer((request, response) => {
  void json(request).then((body) => {
    if (refuses) return response.writeHead(410).end();
    received.push(body as (typeof received)[0]);
    return response.end();
  });
});
await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const ADDRESS = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret`;
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

const opened: TestService[] = [];
afterEach(async () => {
  received.length = 0;
  refuses = false;
  await Promise.all(opened.splice(0).map((service) => service.close()));
});

const SETTINGS = {
  name: 'Oat',
  query: 'oat',
  source: 'posts',
  zone: 'Europe/Berlin',
  direction: 'rise',
  budget: 'week',
  quiet: null,
  channels: [{ kind: 'webhook', address: ADDRESS }],
};

function start() {
  const clock = { at: NOON };
  const service = startService({
    posts: POSTS,
    copied: true,
    posted: true,
    now: () => clock.at,
  });
  opened.push(service);
  const send = async (method: string, path: string, body?: object) => {
    const response = await service.request(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
  let last = 1_000_000n;
  const rise = (posts: number): void =>
    service.add(
      'posts',
      Array.from({ length: posts }, () => ({
        id: (last += 1n),
        createdAt: clock.at,
        text: 'Oat at the harvest fair',
      })),
    );
  return { service, clock, send, rise };
}

describe('/alerts', () => {
  it('watch what the service counts, and send what rises, once, also after a restart', async () => {
    const { service, clock, send, rise } = start();
    const { status, json: added } = await send('POST', '/alerts', SETTINGS);
    expect([status, added.alert]).toEqual([
      200,
      expect.objectContaining({
        id: '1',
        unit: 'hour',
        factor: 1.5,
        weeks: 13,
        channels: [{ kind: 'webhook', to: new URL(ADDRESS).host, fault: null }],
        fault: null,
      }),
    ]);
    await service.tick();
    clock.at += 5 * MINUTE_MS;
    rise(30);
    await service.tick();
    expect(received).toMatchObject([
      {
        text: expect.stringMatching(/^Oat is already at 5\.\d times/),
        messages: [{ kind: 'rise' }],
      },
    ]);
    await service.restart();
    clock.at += MINUTE_MS;
    await service.tick();
    expect(received).toHaveLength(1);
    const { messages, unread, mark } = (await send('GET', '/alerts/messages')).json as {
      messages: AlertMessageInfo[];
      unread: number;
      mark: string;
    };
    const again = new URLSearchParams({ mark }).toString();
    expect((await send('GET', `/alerts/messages?${again}`)).json.messages).toBeNull();
    const before = new URLSearchParams({ mark, before: messages[0]?.id ?? '' }).toString();
    expect((await send('GET', `/alerts/messages?${before}`)).json.messages).toEqual([]);
    expect([messages.map(({ kind, read }) => [kind, read]), unread]).toEqual([
      [['rise', false]],
      1,
    ]);
    const until = messages[0]?.at;
    expect((await send('POST', '/alerts/messages/read', { until })).json).toEqual({ unread: 0 });
    expect((await send('GET', `/alerts/messages?${again}`)).json.messages).toHaveLength(1);
  });

  it('say what would have rung, by the counts as they are', async () => {
    const { clock, send, rise } = start();
    clock.at -= 30 * DAY_MS;
    rise(60);
    clock.at += 30 * DAY_MS;
    const { name: _, quiet: __, channels: ___, ...topic } = SETTINGS;
    const { json } = await send('POST', '/alerts/backtest', topic);
    expect(json).toMatchObject({ unit: 'hour', weeks: 13, budget: 'kept' });
    expect(json.messages).toMatchObject([
      {
        kind: 'rise',
        onset: '2026-05-16T12:00:00.000Z',
        sentence: expect.stringContaining('66 Posts'),
      },
      { kind: 'over' },
    ]);
  });

  it.each([
    ['a query that cannot be read', { query: 'oat (' }, 422, /position/],
    ['no time zone', { zone: 'Mars' }, 400, /zone/],
    [
      'an address that no request may go to',
      { channels: [{ kind: 'slack', address: 'ftp://a.b' }] },
      422,
      /URL/,
    ],
    [
      'an e-mail without a mail server',
      { channels: [{ kind: 'email', address: 'a@b.cd' }] },
      422,
      /GROUNDSWELL_SMTP_URL/,
    ],
    [
      'no e-mail address',
      { channels: [{ kind: 'email', address: 'nobody' }] },
      422,
      /nobody is not/,
    ],
  ])('refuse %s in a sentence', async (_, change, wanted, message) => {
    const { send } = start();
    const { status, json } = await send('POST', '/alerts', { ...SETTINGS, ...change });
    expect([status, JSON.stringify(json)]).toEqual([wanted, expect.stringMatching(message)]);
  });

  it('that cannot be delivered for a day are listed with the dead letters of webhooks', async () => {
    const { service, clock, send } = start();
    refuses = true;
    await send('POST', '/alerts', SETTINGS);
    await send('POST', '/alerts/1/test');
    await service.tick();
    for (let hour = 0; hour <= 26; hour += 1) {
      clock.at += HOUR_MS;
      await service.tick();
    }
    const { dead_letters: letters } = (await send('GET', '/webhooks')).json as DeliveriesAnswer;
    expect(letters).toEqual([
      {
        webhook_id: null,
        to: new URL(ADDRESS).host,
        subscription: '1',
        event: 'Test of “Oat”',
        created_at: new Date(NOON).toISOString(),
        given_up_at: expect.any(String),
        fault: 'The server answered with status 410.',
      },
    ]);
  });

  it('are tested, removed and brought back', async () => {
    const { service, clock, send } = start();
    await send('POST', '/alerts', SETTINGS);
    await send('POST', '/alerts/1/test');
    await service.tick();
    expect(received).toEqual([
      { text: expect.stringContaining('test'), alert: expect.anything(), messages: [] },
    ]);
    expect((await send('DELETE', '/alerts/1')).json).toEqual({ removed: true });
    expect((await send('GET', '/alerts')).json).toEqual({
      alerts: [],
      kinds: ['webhook', 'slack', 'teams', 'discord'],
    });
    expect((await send('POST', '/alerts/1/restore')).json).toEqual({ restored: true });
    const { alerts } = (await send('GET', '/alerts')).json as { alerts: AlertInfo[] };
    expect(alerts.map(({ name }) => name)).toEqual(['Oat']);
    clock.at += HOUR_MS;
    await service.tick();
  });

  it('belong to a login: members have their own, without channels', async () => {
    const service = startService({ posts: POSTS, copied: true, now: () => NOON, network: NETWORK });
    opened.push(service);
    const [member, administrator] = await Promise.all([
      signedIn(service, 'ann', 'member'),
      signedIn(service, 'bob', 'administrator'),
    ]);
    const add = (send: typeof member, settings: object) =>
      send('/alerts', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(settings),
      });
    const refused = await add(member, SETTINGS);
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining('Only an administrator may send alerts to channels; ann is a member'),
    ]);
    expect((await add(member, { ...SETTINGS, channels: [] })).status).toBe(200);
    expect((await add(administrator, SETTINGS)).status).toBe(200);
    const [seen, others] = await Promise.all(
      [member, administrator].map(
        async (send) =>
          (await (await send('/alerts')).json()) as { alerts: AlertInfo[]; kinds: string[] },
      ),
    );
    expect([seen?.alerts.map(({ id }) => id), seen?.kinds]).toEqual([['1'], []]);
    expect([others?.alerts.map(({ id }) => id), others?.kinds.length]).toEqual([['2'], 4]);
    expect((await member('/alerts/2', { method: 'DELETE' })).status).toBe(200);
    expect((await (await administrator('/alerts')).json()).alerts).toHaveLength(1);
  });
});
