import type { DeliveriesAnswer } from '#contract/streams/deliveries.ts';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import type { AlertInfo, AlertMessageInfo } from '#contract/alerts/alerts.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#core/time/span.ts';
import { NETWORK, signedIn } from '#tests/support/browser/board-browsers.ts';
import { callerOf } from '#tests/support/service/callers.ts';
import { localHost } from '#tests/support/service/local-host.ts';
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
const host = await localHost((request, response) => {
  void json(request).then((body) => {
    if (refuses) return response.writeHead(410).end();
    received.push(body as (typeof received)[0]);
    return response.end();
  });
});
const ADDRESS = `${host}/secret`;

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
  return { service, clock, ...callerOf(service), rise };
}

describe('/alerts', () => {
  it('watch what the service counts, and send what rises, once, also after a restart', async () => {
    const { service, clock, rise, get, post } = start();
    const { status, body: added } = await post('/alerts', SETTINGS);
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
    const { messages, unread, mark } = (await get('/alerts/messages')).body as {
      messages: AlertMessageInfo[];
      unread: number;
      mark: string;
    };
    const again = new URLSearchParams({ mark }).toString();
    expect((await get(`/alerts/messages?${again}`)).body.messages).toBeNull();
    const before = new URLSearchParams({ mark, before: messages[0]?.id ?? '' }).toString();
    expect((await get(`/alerts/messages?${before}`)).body.messages).toEqual([]);
    expect([messages.map(({ kind, read }) => [kind, read]), unread]).toEqual([
      [['rise', false]],
      1,
    ]);
    const until = messages[0]?.at;
    expect((await post('/alerts/messages/read', { until })).body).toEqual({ unread: 0 });
    expect((await get(`/alerts/messages?${again}`)).body.messages).toHaveLength(1);
  });

  it('say what would have rung, by the counts as they are', async () => {
    const { clock, rise, post } = start();
    clock.at -= 30 * DAY_MS;
    rise(60);
    clock.at += 30 * DAY_MS;
    const { name: _, quiet: __, channels: ___, ...topic } = SETTINGS;
    const { body } = await post('/alerts/backtest', topic);
    expect(body).toMatchObject({ unit: 'hour', weeks: 13, budget: 'kept' });
    expect(body.messages).toMatchObject([
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
    const { post } = start();
    const { status, body } = await post('/alerts', { ...SETTINGS, ...change });
    expect([status, JSON.stringify(body)]).toEqual([wanted, expect.stringMatching(message)]);
  });

  it('that cannot be delivered for a day are listed with the dead letters of webhooks', async () => {
    const { service, clock, get, post } = start();
    refuses = true;
    await post('/alerts', SETTINGS);
    await post('/alerts/1/test');
    await service.tick();
    for (let hour = 0; hour <= 26; hour += 1) {
      clock.at += HOUR_MS;
      await service.tick();
    }
    const { dead_letters: letters } = (await get('/webhooks')).body as DeliveriesAnswer;
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
    const { service, clock, get, post, send } = start();
    await post('/alerts', SETTINGS);
    await post('/alerts/1/test');
    await service.tick();
    expect(received).toEqual([
      { text: expect.stringContaining('test'), alert: expect.anything(), messages: [] },
    ]);
    expect((await send('DELETE', '/alerts/1')).body).toEqual({ removed: true });
    expect((await get('/alerts')).body).toEqual({
      alerts: [],
      kinds: ['webhook', 'slack', 'teams', 'discord'],
    });
    expect((await post('/alerts/1/restore')).body).toEqual({ restored: true });
    const { alerts } = (await get('/alerts')).body as { alerts: AlertInfo[] };
    expect(alerts.map(({ name }) => name)).toEqual(['Oat']);
    clock.at += HOUR_MS;
    await service.tick();
  });

  it('belong to a login: members have their own, without channels', async () => {
    const service = startService({ posts: POSTS, copied: true, now: () => NOON, network: NETWORK });
    opened.push(service);
    const member = callerOf({ request: await signedIn(service, 'ann', 'member') });
    const administrator = callerOf({ request: await signedIn(service, 'bob', 'administrator') });
    const refused = await member.post('/alerts', SETTINGS);
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      expect.stringContaining('Only an administrator may send alerts to channels; ann is a member'),
    ]);
    expect((await member.post('/alerts', { ...SETTINGS, channels: [] })).status).toBe(200);
    expect((await administrator.post('/alerts', SETTINGS)).status).toBe(200);
    const alertsOf = async ({ get }: typeof member) =>
      (await get('/alerts')).body as { alerts: AlertInfo[]; kinds: string[] };
    const [seen, others] = [await alertsOf(member), await alertsOf(administrator)];
    expect([seen.alerts.map(({ id }) => id), seen.kinds]).toEqual([['1'], []]);
    expect([others.alerts.map(({ id }) => id), others.kinds.length]).toEqual([['2'], 4]);
    expect((await member.send('DELETE', '/alerts/2')).status).toBe(200);
    expect((await alertsOf(administrator)).alerts).toHaveLength(1);
  });
});
