import { describe, expect, it } from 'vitest';
import { DEFAULT_PLATFORM_SETTINGS } from '#contract/counts/platform-terms.ts';
import { MAX_WAITING } from '#server/platform/spacing.ts';
import { tooManyRequests } from '#tests/support/service/faults.ts';
import { PLATFORM_FAULTS } from '#tests/support/service/platform.ts';
import { closeAfterEach, HEAD, NOW, relayed } from './relayed.ts';

closeAfterEach();
const always = (): boolean => true;
const recent = { endpoint: 'recent' } as const;
const pool = (requests: number, windowSeconds = 900) => ({
  limits: {
    recent: { requests, windowSeconds },
    all: { requests, windowSeconds },
  },
});
const limitsOf = ({ headers }: Response): (string | null)[] =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-rate-limit-${name}`));

describe('a pool that is empty', () => {
  it('answers in the platform’s form until its reset, and nothing is sent', async () => {
    const relay = await relayed();
    const { ask, platform, settings } = relay;
    platform.inject(
      always,
      PLATFORM_FAULTS.refused(200, {
        'x-rate-limit-limit': '300',
        'x-rate-limit-remaining': '0',
        'x-rate-limit-reset': String(NOW / 1000 + 60),
        date: new Date(NOW).toUTCString(),
      }),
      1,
    );
    expect((await ask(HEAD)).status).toBe(200);
    const refused = await ask(HEAD);
    expect(refused.status).toBe(429);
    expect(limitsOf(refused)).toEqual(['300', '0', String(NOW / 1000 + 60)]);
    expect(await refused.json()).toEqual({
      title: 'Too Many Requests',
      type: 'about:blank',
      status: 429,
      detail: 'Too Many Requests',
    });
    expect(refused.headers.has('retry-after')).toBe(false);
    expect(platform.sent).toHaveLength(1);
    expect((await settings()).pools.all).toEqual({ remaining: 0, reset: NOW / 1000 + 60 });
    expect((await settings()).today.requests).toBe(1);
    // The other endpoint has a separate pool.
    expect((await ask(HEAD, recent)).status).toBe(200);
    relay.now = NOW + 59_999;
    expect((await ask(HEAD)).status).toBe(429);
    relay.now = NOW + 60_000;
    expect((await ask(HEAD)).status).toBe(200);
  });

  it('after a 429 from the platform sends nothing, and passes on the headers', async () => {
    const { ask, platform } = await relayed();
    platform.inject(
      always,
      tooManyRequests(() => NOW, 30),
      1,
    );
    const first = await ask(HEAD);
    expect(first.status).toBe(429);
    expect(limitsOf(first)[2]).toBe(String(NOW / 1000 + 30));
    expect((await ask(HEAD)).status).toBe(429);
    expect(platform.sent).toHaveLength(1);
  });

  it('is not inferred from a 429 without a reset', async () => {
    const { ask, platform } = await relayed();
    platform.inject(always, PLATFORM_FAULTS.limited, 1);
    expect((await ask(HEAD)).status).toBe(429);
    expect((await ask(HEAD)).status).toBe(200);
  });

  it('is not inferred from a 429 with requests remaining, which came too soon after another', async () => {
    const { ask, platform } = await relayed();
    platform.inject(
      always,
      PLATFORM_FAULTS.refused(429, {
        'x-rate-limit-limit': '300',
        'x-rate-limit-remaining': '7',
        'x-rate-limit-reset': String(NOW / 1000 + 60),
      }),
      1,
    );
    expect((await ask(HEAD)).status).toBe(429);
    expect((await ask(HEAD)).status).toBe(200);
  });

  it.each([1, -1])('resets by the platform’s clock, which may be %i day off', async (days) => {
    const relay = await relayed();
    const { ask, platform } = relay;
    const theirs = NOW + days * 86_400_000;
    platform.inject(
      always,
      tooManyRequests(() => theirs, 30),
      1,
    );
    await ask(HEAD);
    relay.now = NOW + 29_000;
    const refused = await ask(HEAD);
    expect([refused.status, limitsOf(refused)[2]]).toEqual([429, String(NOW / 1000 + 30)]);
    relay.now = NOW + 30_000;
    expect((await ask(HEAD)).status).toBe(200);
  });

  it.each(['-1', 'soon', '99999999999999999999', String(NOW / 1000 - 5)])(
    'is not inferred from a reset of %s',
    async (reset) => {
      const { ask, platform } = await relayed();
      platform.inject(always, PLATFORM_FAULTS.refused(429, { 'x-rate-limit-reset': reset }), 1);
      expect((await ask(HEAD)).status).toBe(429);
      expect((await ask(HEAD)).status).toBe(200);
    },
  );

  it('with a reset years in the future stays empty for a day', async () => {
    const relay = await relayed();
    const { ask, platform } = relay;
    const reset = String(NOW / 1000 + 86_400 * 900);
    platform.inject(always, PLATFORM_FAULTS.refused(429, { 'x-rate-limit-reset': reset }), 1);
    await ask(HEAD);
    relay.now = NOW + 86_399_000;
    expect((await ask(HEAD)).status).toBe(429);
    relay.now = NOW + 86_400_000;
    expect((await ask(HEAD)).status).toBe(200);
  });
});

describe('a clock that is set back', () => {
  it.each(['5 hours', '20 years'])(
    'by %s leaves a pool empty no longer than it was',
    async (by) => {
      const back = by === '5 hours' ? 5 * 3_600_000 : 20 * 365 * 86_400_000;
      const relay = await relayed({ limited: false });
      const { ask, change, settings } = relay;
      await change(pool(1));
      expect((await ask(HEAD, recent)).status).toBe(200);
      relay.now += 300_000;
      expect((await ask(HEAD, recent)).status).toBe(429);
      relay.now -= back;
      const refused = await ask(HEAD, recent);
      expect([refused.status, limitsOf(refused)[2]]).toEqual([429, `${relay.now / 1000 + 600}`]);
      expect((await settings()).pools.recent).toEqual({
        remaining: 0,
        reset: relay.now / 1000 + 600,
      });
      relay.now += 600_000;
      expect((await ask({ query: 'tea' }, recent)).status).toBe(200);
    },
  );

  it('has the same effect if the platform reported the reset', async () => {
    const relay = await relayed();
    const { ask, platform } = relay;
    platform.inject(
      always,
      tooManyRequests(() => NOW, 30),
      1,
    );
    expect((await ask(HEAD)).status).toBe(429);
    relay.now -= 86_400_000;
    expect(limitsOf(await ask(HEAD))[2]).toBe(String(relay.now / 1000 + 30));
    relay.now += 30_000;
    expect((await ask({ query: 'tea' })).status).toBe(200);
  });
});

describe('before the platform has reported its limits', () => {
  it('requests count against the figures of the settings', async () => {
    const relay = await relayed({ limited: false });
    const { ask, change, platform, settings } = relay;
    await change(pool(2, 60));
    expect((await settings()).pools.recent).toBeNull();
    await ask(HEAD, recent);
    expect((await settings()).pools.recent).toEqual({ remaining: 1, reset: NOW / 1000 + 60 });
    await ask(HEAD, recent);
    const refused = await ask(HEAD, recent);
    expect([refused.status, ...limitsOf(refused)]).toEqual([429, '2', '0', `${NOW / 1000 + 60}`]);
    expect(platform.sent).toHaveLength(2);
    relay.now += 60_000;
    expect((await ask(HEAD, recent)).status).toBe(200);
  });

  it('its later report replaces that count', async () => {
    const { ask, change } = await relayed();
    await change(pool(1));
    for (let i = 0; i < 3; i += 1) {
      const { status, headers } = await ask(HEAD, recent);
      expect([status, headers.get('x-rate-limit-remaining')]).toEqual([200, String(299 - i)]);
    }
  });

  it('a request that never reached it does not count', async () => {
    const { ask, change, platform, settings } = await relayed({ limited: false });
    await change(pool(2));
    await platform.refuse();
    expect((await ask(HEAD, recent)).status).toBe(502);
    expect((await settings()).pools.recent?.remaining).toBe(2);
  });

  it('the platform’s whole pool can be used, and no request more is sent', async () => {
    const { ask, platform } = await relayed();
    const one = { query: 'tea', granularity: 'day' };
    // Others use most of it, past the relay.
    const headers = { authorization: `Bearer ${platform.token}`, cookie: '' };
    const path = `/2/tweets/counts/recent?${new URLSearchParams(one)}`;
    for (let i = 0; i < 280; i += 1) {
      expect((await platform.service.request(path, { headers })).status).toBe(200);
    }
    for (let i = 0; i < 20; i += 1) {
      const answer = await ask(one, recent);
      expect([answer.status, limitsOf(answer)[1]]).toEqual([200, String(19 - i)]);
    }
    expect((await ask(HEAD, recent)).status).toBe(429);
    expect(platform.sent).toHaveLength(20);
  });
});

describe('archive requests', () => {
  it('are a second apart across all callers; others need not wait', async () => {
    const { ask, slept, service } = await relayed();
    const token = service.auth.issueToken({ access: 'pay-per-use', limited: true });
    const headers = { authorization: `Bearer ${token}` };
    await Promise.all([
      ask(HEAD),
      ask(HEAD),
      ask(HEAD, { init: { headers } }),
      ask(HEAD, recent),
      ask(HEAD, recent),
    ]);
    expect(slept).toEqual([1000, 1000]);
  });

  it('wait only for the remaining time', async () => {
    const relay = await relayed();
    await relay.ask(HEAD);
    relay.now += 400;
    await relay.ask(HEAD);
    relay.now += 1000;
    await relay.ask(HEAD);
    // A clock that is set back delays nothing.
    relay.now -= 3_600_000;
    await relay.ask(HEAD);
    expect(relay.slept).toEqual([600, 1000]);
  });

  it('follow the settings', async () => {
    const { ask, change, slept } = await relayed();
    await change({ archiveSpacingMs: 0 });
    await Promise.all([ask(HEAD), ask(HEAD)]);
    await change({ archiveSpacingMs: 5_000 });
    await ask(HEAD);
    expect(slept).toEqual([5_000]);
  });

  it(`wait in a queue of ${MAX_WAITING}; the next one is refused with a retry time`, async () => {
    let go = (): void => {};
    const blocked = new Promise<void>((resolve) => (go = resolve));
    const { ask, platform, settings } = await relayed({ relay: { sleep: () => blocked } });
    await ask(HEAD);
    const waiting = Array.from({ length: MAX_WAITING }, () => ask(HEAD));
    const refused = await ask(HEAD);
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBe(64);
    expect((await settings()).today.requests).toBe(1);
    go();
    const answers = await Promise.all(waiting);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(platform.sent).toHaveLength(1 + MAX_WAITING);
  });

  it('are refused without being sent if a cap is reached while they wait', async () => {
    const { ask, change, platform, slept } = await relayed();
    const none = { requests: null, money: null };
    await change({ caps: { day: { requests: 2, money: null }, month: none } });
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask(HEAD)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 429, 429, 429]);
    expect(platform.sent).toHaveLength(2);
    expect(slept.length).toBeLessThanOrEqual(2);
    await change({ caps: DEFAULT_PLATFORM_SETTINGS.caps });
    expect((await ask(HEAD)).status).toBe(200);
  });
});
