import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { readSettings } from '#server/platform/settings.ts';
import { openDb } from '#server/db/driver.ts';
import { openPlatform } from '#server/platform/store.ts';
import { closeAfterEach, CLOSED, HEAD, relayed, outcomeOf, type Relayed } from './relayed.ts';

closeAfterEach();
const D = DEFAULT_PLATFORM_SETTINGS;
const CAPS = { day: { requests: null, money: 1 }, month: { requests: 7, money: 2 } };
const PRICES = { recent: 0.1, all: 0.2, post: 0.3, user: 0.4 };
const STORED = { ...D, settleHours: 48, prices: PRICES, caps: CAPS };

const fileOf = ({ service }: Relayed): string => join(service.folder, 'platform.sqlite');

/** Stores settings as another version might. */
function put(relay: Relayed, settings: unknown): void {
  const store = openPlatform(fileOf(relay));
  store.putSettings(settings);
  store.close();
}

describe('stored settings', () => {
  it('default to the public figures', () => {
    expect(readSettings(undefined)).toEqual({ settings: D, capsRead: true });
  });

  const { settleHours: _, ...renamed } = STORED;
  it.each<[string, unknown, unknown]>([
    ['complete', STORED, STORED],
    ['with an unknown member', { ...STORED, later: 1 }, STORED],
    ['with a member renamed', { ...renamed, settlesAfter: 48 }, { ...STORED, settleHours: 24 }],
    ['with an unknown access', { ...STORED, access: 'royal' }, STORED],
    [
      'with an invalid price',
      { ...STORED, prices: { ...PRICES, recent: -1 } },
      { ...STORED, prices: { ...PRICES, recent: 0.005 } },
    ],
    [
      'from before search had prices',
      { ...STORED, prices: { recent: 0.1, all: 0.2 } },
      { ...STORED, prices: { ...D.prices, recent: 0.1, all: 0.2 } },
    ],
    [
      'with an unknown member of a limit',
      { ...STORED, limits: { ...D.limits, all: { requests: 5, windowSeconds: 9, burst: 1 } } },
      { ...STORED, limits: { ...D.limits, all: { requests: 5, windowSeconds: 9 } } },
    ],
    [
      'with prices that are not an object',
      { ...STORED, prices: 3 },
      { ...STORED, prices: D.prices },
    ],
    ['from before there were caps', { settleHours: 48 }, { ...D, settleHours: 48 }],
  ])('%s are read member by member, and the caps stay', (_name, stored, settings) => {
    expect(readSettings(stored)).toEqual({ settings, capsRead: true });
  });

  const none = { requests: 0, money: 0 };
  it.each<[string, unknown, unknown]>([
    ['null', null, { day: none, month: none }],
    ['a number', 5, { day: none, month: none }],
    ['renamed scopes', { daily: CAPS.day, monthly: CAPS.month }, { day: none, month: none }],
    ['a missing scope', { day: CAPS.day }, { day: CAPS.day, month: none }],
    ['an unknown scope', { ...CAPS, week: CAPS.day }, CAPS],
    [
      'a missing figure',
      { ...CAPS, day: { money: 1 } },
      { ...CAPS, day: { requests: 0, money: 1 } },
    ],
    [
      'an invalid figure',
      { ...CAPS, month: { requests: 7, money: '2' } },
      { ...CAPS, month: { requests: 7, money: 0 } },
    ],
    ['an unknown figure', { ...CAPS, day: { ...CAPS.day, posts: 9 } }, CAPS],
  ])('whose caps are %s are not read, and show no higher cap', (_name, caps, shown) => {
    expect(readSettings({ ...STORED, caps })).toEqual({
      settings: { ...STORED, caps: shown },
      capsRead: false,
    });
  });

  it.each([[null], ['text'], [[]], [3]])('that are %j have no readable caps', (stored) => {
    expect(readSettings(stored).capsRead).toBe(false);
  });
});

describe('a relay with settings stored by another version', () => {
  it('respects the caps in them', async () => {
    const relay = await relayed();
    put(relay, { ...STORED, later: 1, caps: { ...CAPS, month: { requests: 1, money: null } } });
    expect(outcomeOf(await relay.ask(HEAD))).toBe('200 bought 0.2');
    const answer = await relay.ask(HEAD);
    expect([answer.status, await answer.json()]).toMatchObject([429, { scope: 'month', cap: 1 }]);
  });

  it('buys nothing if the caps are unreadable, says so, returns stored pages, and recovers when settings are saved', async () => {
    const relay = await relayed();
    await relay.ask(CLOSED);
    put(relay, { ...STORED, caps: { daily: 1 } });
    for (const endpoint of ['recent', 'all'] as const) {
      const answer = await relay.ask(HEAD, { endpoint });
      expect(answer.status).toBe(503);
      const { detail, type } = await answer.json();
      expect(type).toBe('about:blank');
      expect(detail).toMatch(/caps cannot be read.*save the platform settings/);
    }
    expect(relay.platform.sent).toHaveLength(1);
    expect(outcomeOf(await relay.ask(CLOSED))).toBe('200 held 0');

    const { settings } = await relay.settings();
    expect(settings.prices).toEqual(STORED.prices);
    // Saving other settings along with unreadable caps allows no purchase.
    await relay.change({ settleHours: 24 });
    expect((await relay.ask(HEAD)).status).toBe(429);
    await relay.change({ caps: CAPS });
    expect(outcomeOf(await relay.ask(HEAD))).toBe('200 bought 0.2');
  });

  it('recovers by saving even if they are not JSON', async () => {
    const relay = await relayed();
    await relay.change({});
    const db = openDb(fileOf(relay));
    db.exec(`UPDATE setting SET value = '{"caps":'`);
    db.close();
    expect((await relay.ask(HEAD)).status).toBe(503);
    await relay.change({ caps: CAPS });
    expect(outcomeOf(await relay.ask(HEAD))).toBe('200 bought 0.01');
  });
});
