import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { AlertSettings } from '#contract/alerts/alerts.ts';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import type { PlatformSettings } from '#contract/counts/platform.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#core/time/span.ts';
import { messageInfos } from '#server/alerts/alert-info.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openPlatformWatch } from '#server/alerts/platform-watch.ts';
import { openService } from '#server/auth/store.ts';
import { readCall } from '#server/platform/request.ts';
import { Relay } from '#server/platform/relay.ts';
import { openPlatform } from '#server/platform/store.ts';
import { temporaryFolder } from '#tests/server/db/folder.ts';
import { isCounts } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS, startPlatform } from '#tests/support/service/platform.ts';
import type { TestPost } from '#tests/support/service/service.ts';

const file = temporaryFolder();
const START = Date.parse('2026-06-15T12:10:00Z');
/** Six Posts an hour, for half a year. */
const POSTS: readonly TestPost[] = Array.from({ length: 170 * 24 * 6 }, (_, i) => ({
  id: BigInt(i + 1),
  createdAt: START - 170 * DAY_MS + i * 10 * MINUTE_MS,
  text: 'an oat latte',
}));
const SETTINGS: AlertSettings = {
  name: 'Oat milk',
  query: 'oat',
  source: 'platform',
  zone: 'UTC',
  direction: 'rise',
  budget: 'week',
  quiet: null,
  channels: [],
  agreed: 3.6,
};
const { name: _, quiet: __, channels: ___, agreed: ____, ...TOPIC } = SETTINGS;

const closings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) await close();
});

let worlds = 0;

/** A service with alerts that is connected to a platform; a test moves the clock of both. */
async function world() {
  const state = { now: START, connected: true, budget: null as number | null };
  const name = `world-${(worlds += 1)}`;
  const platform = await startPlatform({ posts: POSTS, now: () => state.now, limited: false });
  closings.push(() => platform.close());
  let last = 10_000_000n;
  const open = () => {
    const random = (n: number): Uint8Array => randomBytes(n);
    const sleep = async (ms: number): Promise<void> => void (state.now += ms);
    const now = (): number => state.now;
    const store = openPlatform(file(`${name}-platform.sqlite`));
    const relay = new Relay({
      now,
      random,
      sleep,
      access: { base: platform.url, host: 'platform', token: platform.token },
      store,
      fetch,
      timeout: (ms) => AbortSignal.timeout(ms),
      agent: 'groundswell/test',
      log: () => undefined,
    });
    const change = (over: Partial<PlatformSettings>): void =>
      void relay.change({ ...DEFAULT_PLATFORM_SETTINGS, archiveSpacingMs: 0, ...over });
    if (store.settings() === undefined) change({});
    const service = openService(file(`${name}.sqlite`), { random });
    const watch = openPlatformWatch({
      relay: () => (state.connected ? relay : null),
      login: (id) => (id === 'ann' ? { id, budget: state.budget } : undefined),
      now,
      random,
      sleep,
    });
    let look = async (): Promise<void> => undefined;
    const alerts = openAlerts({
      table: service.alerts,
      count: (_, questions, stop) => watch.count(questions, stop),
      platform: watch,
      isLogin: () => true,
      site: () => 'http://127.0.0.1',
      revision: () => null,
      channels: { kinds: [], check: () => undefined, send: () => Promise.resolve() },
      causes: () => Promise.resolve([]),
      every: (_, task) => {
        look = async () => void (await task());
        return () => undefined;
      },
      now,
      log: () => undefined,
    });
    const close = async (): Promise<void> => {
      await alerts.close();
      await relay.close(0);
      service.close();
      store.close();
    };
    closings.push(close);
    /** Judges, buys what is due, and judges that. */
    const tick = async (): Promise<void> => {
      for (let i = 0; i < 3; i += 1) {
        await look();
        await watch.idle();
      }
    };
    return { alerts, relay, change, tick, look: () => look(), watch, service, close };
  };
  return {
    state,
    platform,
    open,
    /** Moves the clock to a time after the start. */
    at: (ms: number): void => void (state.now = START + ms),
    /** The Posts of the hour before now. */
    burst: (posts: number): void =>
      platform.service.add(
        'posts',
        Array.from({ length: posts }, (_, i) => ({
          id: (last += 1n),
          createdAt: state.now - 30 * MINUTE_MS - i,
          text: 'oat harvest',
        })),
      ),
    /** The requests for counts that reached the platform. */
    sent: (): number => platform.sent.filter(isCounts).length,
  };
}

const kinds = (alerts: ReturnType<typeof openAlerts>, login = ''): string[] =>
  messageInfos(alerts, login).map(({ kind }) => kind);

/** The first seconds of an hour in which its counts can be bought: hour 1 begins at 13:00. */
const hour = (n: number): number => n * HOUR_MS - 10 * MINUTE_MS + 20 * SECOND_MS;

describe('alerts over the platform', () => {
  it('state the price of the history and of a month, and buy the history only as agreed', async () => {
    const { open, sent } = await world();
    const { alerts } = open();
    const before = await alerts.backTest('', TOPIC);
    expect(before).toMatchObject({ chosen: { weeks: 0 }, price: { month: 0.15, history: 0.05 } });
    const refused = await alerts.backTest('', { ...TOPIC, agreed: 0.04 });
    expect([refused.price?.history, sent()]).toEqual([0.05, 0]);
    const bought = await alerts.backTest('', { ...TOPIC, agreed: 0.05 });
    expect(bought).toMatchObject({
      unit: 'hour',
      chosen: { weeks: 13, budget: 'kept' },
      price: { month: 3.6, history: 0 },
    });
    expect(sent()).toBe(5);
    await alerts.backTest('', { ...TOPIC, agreed: 1 });
    expect(sent()).toBe(5);
  });

  it('are not saved at a higher price than agreed', async () => {
    const { open } = await world();
    const { alerts, change } = open();
    await alerts.backTest('', { ...TOPIC, agreed: 0.05 });
    const { agreed: _, ...silent } = SETTINGS;
    await expect(alerts.add('', silent)).rejects.toThrow(
      'costs up to $3.60 a month. It was not saved',
    );
    await expect(alerts.add('', { ...SETTINGS, agreed: 3.59 })).rejects.toThrow(
      'costs up to $3.60 a month, more than the agreed $3.59',
    );
    change({ prices: { ...DEFAULT_PLATFORM_SETTINGS.prices, recent: 0.02 } });
    await expect(alerts.add('', SETTINGS)).rejects.toThrow('up to $7.20 a month');
    expect(alerts.list('')).toEqual([]);
  });

  it('ask once an hour, see what rose, and cost no more than agreed', async () => {
    const { open, at, burst, sent, state } = await world();
    const { alerts, tick, relay, watch } = open();
    await alerts.backTest('', { ...TOPIC, agreed: 1 });
    const { id } = await alerts.add('', SETTINGS);
    await tick();
    at(49 * MINUTE_MS);
    await tick();
    expect(sent()).toBe(5);
    at(hour(1));
    burst(60);
    for (let minute = 0; minute < 30; minute += 10) {
      await tick();
      state.now += 10 * MINUTE_MS;
    }
    expect([sent(), watch.faultOf(alerts.list('')[0]!)]).toEqual([6, null]);
    expect(messageInfos(alerts, '')).toMatchObject([
      {
        kind: 'rise',
        onset: '2026-06-15T12:00:00.000Z',
        sentence: expect.stringContaining('61 Posts'),
      },
    ]);
    for (let n = 2; n <= 9; n += 1) {
      at(hour(n));
      await tick();
    }
    expect([sent(), kinds(alerts)]).toEqual([14, ['over', 'rise']]);
    expect(relay.spentBy(`alert-${id}`, 0)).toBe(0.045);
  });

  it('use what a board or another alert of the query has bought', async () => {
    const { open, at, burst, sent } = await world();
    const { alerts, relay, tick } = open();
    await alerts.backTest('', { ...TOPIC, agreed: 1 });
    await alerts.add('', SETTINGS);
    await alerts.add('ann', { ...SETTINGS, query: '(oat)' });
    at(hour(1));
    burst(60);
    await tick();
    expect([sent(), kinds(alerts), kinds(alerts, 'ann')]).toEqual([6, ['rise'], ['rise']]);
    at(hour(2) + 5 * MINUTE_MS);
    const query = 'granularity=hour&query=oat&start_time=2026-06-10T00:00:00Z';
    const call = readCall('recent', `http://relay/?${query}`);
    await relay.answer({ call, ask: 'of-a-board', buy: null });
    await tick();
    expect(sent()).toBe(7);
    const open2 = alerts.list('').map(({ state }) => state.open);
    expect(open2).toEqual([Date.parse('2026-06-15T14:00:00Z')]);
  });

  it('wait where a cap is reached, say so, and then buy what is missing in one request', async () => {
    const { open, at, burst, sent } = await world();
    const { alerts, change, tick } = open();
    await alerts.backTest('', { ...TOPIC, agreed: 1 });
    await alerts.add('', SETTINGS);
    const { month } = DEFAULT_PLATFORM_SETTINGS.caps;
    change({ caps: { day: { requests: 6, money: null }, month } });
    for (let n = 1; n <= 11; n += 1) {
      at(hour(n));
      if (n === 5) burst(60);
      await tick();
    }
    expect(sent()).toBe(6);
    expect([alerts.list('')[0]?.fault, kinds(alerts)]).toEqual([
      'Your cap of 6 requests per day does not allow this request: 6 requests are spent.',
      ['cannot-see'],
    ]);
    at(hour(12));
    await tick();
    at(hour(12) + 20 * MINUTE_MS);
    await tick();
    expect([sent(), alerts.list('')[0]?.fault]).toEqual([7, null]);
    expect(messageInfos(alerts, '')).toMatchObject([
      { kind: 'found-later', onset: '2026-06-15T16:00:00.000Z' },
      { kind: 'cannot-see', onset: '2026-06-15T13:00:00.000Z' },
    ]);
  });

  it.each([
    ['answers 503', PLATFORM_FAULTS.unavailable, 'The platform refused the request.', 0],
    // A request on a connection that breaks may have been billed.
    ['cannot be reached', null, 'No connection to', 0.005],
  ])(
    'buy nothing twice and lose nothing while the platform %s for a day',
    async (_, fault, why, lost) => {
      const { open, at, burst, platform, sent } = await world();
      const first = open();
      await first.alerts.backTest('', { ...TOPIC, agreed: 1 });
      await first.alerts.add('', SETTINGS);
      if (fault) platform.inject(isCounts, fault);
      else await platform.refuse();
      for (let n = 1; n <= 24; n += 1) {
        at(hour(n));
        if (n === 3) burst(60);
        await first.tick();
      }
      expect([first.alerts.list('')[0]?.fault, kinds(first.alerts)]).toEqual([
        expect.stringContaining(why),
        ['cannot-see'],
      ]);
      expect(first.relay.spentBy('alert-1', 0)).toBe(lost);
      await first.close();
      const before = sent();
      if (fault) platform.repair();
      else await platform.accept();
      const second = open();
      at(hour(25));
      burst(60);
      await second.tick();
      at(hour(25) + 30 * MINUTE_MS);
      await second.tick();
      expect([sent() - before, second.relay.spentBy('alert-1', 0)]).toEqual([1, lost + 0.005]);
      expect(kinds(second.alerts)).toEqual(['rise', 'found-later', 'cannot-see']);
      expect(second.alerts.list('')[0]?.fault).toBeNull();
    },
  );

  it('judge what was bought before a restart, without buying it again', async () => {
    const { open, at, burst, platform, sent } = await world();
    const first = open();
    await first.alerts.backTest('', { ...TOPIC, agreed: 1 });
    await first.alerts.add('', SETTINGS);
    await first.tick();
    at(hour(1));
    burst(60);
    await first.look();
    await first.watch.idle();
    expect([sent(), kinds(first.alerts)]).toEqual([6, []]);
    await first.close();
    const second = open();
    await second.tick();
    expect([sent(), kinds(second.alerts)]).toEqual([6, ['rise']]);
    // An answer that is lost may have been billed: it is asked for once more.
    at(hour(2) + MINUTE_MS);
    platform.inject(isCounts, PLATFORM_FAULTS.reset, 1);
    await second.tick();
    expect([sent(), second.relay.spentBy('alert-1', 0)]).toEqual([8, 0.015]);
    expect(second.alerts.list('')[0]?.state.open).toBe(Date.parse('2026-06-15T14:00:00Z'));
  });

  it('buy nothing when the price has risen, or the agreed sum is used up', async () => {
    const { open, at, sent } = await world();
    const { alerts, change, tick } = open();
    await alerts.backTest('', { ...TOPIC, agreed: 1 });
    await alerts.add('', SETTINGS);
    const { prices } = DEFAULT_PLATFORM_SETTINGS;
    change({ prices: { ...prices, recent: 0.02, all: 0.01 } });
    at(hour(1));
    await tick();
    expect([sent(), alerts.list('')[0]?.fault]).toEqual([
      5,
      expect.stringContaining('would cost up to $7.20 a month, and $3.60 was agreed'),
    ]);
    change({ prices });
    at(hour(2));
    await tick();
    expect([sent(), alerts.list('')[0]?.fault]).toEqual([6, null]);
  });

  it('keep to the sum of a month although answers are lost', async () => {
    const { open, at, platform, sent } = await world();
    const { alerts, change, tick, relay } = open();
    const { prices } = DEFAULT_PLATFORM_SETTINGS;
    change({ prices: { ...prices, recent: 0.01, all: 0.01 } });
    const { id } = await alerts.add('', { ...SETTINGS, agreed: 0.3 });
    platform.inject(isCounts, PLATFORM_FAULTS.reset);
    for (let day = 1; day <= 15; day += 1) {
      at(day * DAY_MS);
      await tick();
    }
    expect([sent(), relay.spentBy(`alert-${id}`, 0)]).toEqual([30, 0.3]);
    expect(alerts.list('')[0]?.fault).toBe('The agreed $0.30 are used up until 2026-07-15.');
    platform.repair();
    at(30 * DAY_MS);
    await tick();
    expect([sent(), alerts.list('')[0]?.fault]).toEqual([31, null]);
  });

  it('are paid by their login, within its own budget', async () => {
    const { open, at, state, sent } = await world();
    const { alerts, tick } = open();
    state.budget = 60_000;
    await alerts.backTest('ann', { ...TOPIC, agreed: 1 });
    await alerts.add('ann', SETTINGS);
    for (let n = 1; n <= 4; n += 1) {
      at(hour(n));
      await tick();
    }
    const [ann] = alerts.list('ann');
    expect([sent(), ann?.fault]).toEqual([7, expect.stringContaining('own budget of $0.06')]);
  });

  it('wait while the platform is not connected', async () => {
    const { open, at, state, sent } = await world();
    const { alerts, tick } = open();
    state.connected = false;
    await expect(alerts.add('', SETTINGS)).rejects.toThrow('The platform is not connected.');
    state.connected = true;
    await alerts.add('', SETTINGS);
    state.connected = false;
    at(12 * HOUR_MS);
    await tick();
    expect(alerts.list('')[0]?.fault).toBe('The platform is not connected.');
    state.connected = true;
    state.now += 2 * MINUTE_MS;
    await tick();
    expect([sent(), alerts.list('')[0]?.fault]).toEqual([1, null]);
  });
});
