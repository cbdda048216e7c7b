import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openService } from '#server/auth/store.ts';
import { RateLimiter } from '#server/http/rate-limit.ts';

describe('a rate limit', () => {
  it('begins a window with the first request, and a new one after its end', () => {
    // 1632770024 is the reset of a recorded response, 900 s after its Date (platform-facts 1.4).
    let now = 1_632_769_124_600;
    const limiter = new RateLimiter({ requests: 300, windowSeconds: 900 }, () => now, null);
    expect(limiter.take('a')).toEqual({
      limit: 300,
      remaining: 299,
      reset: 1_632_770_024,
      exceeded: false,
    });
    now += 600_000;
    for (let remaining = 298; remaining >= 0; remaining--) {
      expect(limiter.take('a')).toMatchObject({ remaining, exceeded: false });
    }
    expect(limiter.take('a')).toMatchObject({ remaining: 0, reset: 1_632_770_024, exceeded: true });
    now = 1_632_770_023_999;
    expect(limiter.take('a').exceeded).toBe(true);
    now = 1_632_770_024_000;
    expect(limiter.take('a')).toMatchObject({
      remaining: 299,
      reset: 1_632_770_924,
      exceeded: false,
    });
  });

  it.each([7200, 20 * 365 * 86_400])('ends no later when the clock is set back by %i s', (back) => {
    let now = 1_632_769_124_000;
    const limiter = new RateLimiter({ requests: 1, windowSeconds: 900 }, () => now, null);
    limiter.take('a');
    now += 300_000;
    expect(limiter.take('a').exceeded).toBe(true);
    now -= back * 1000;
    expect(limiter.take('a')).toMatchObject({ reset: now / 1000 + 600, exceeded: true });
    now += 600_000;
    expect(limiter.take('a').exceeded).toBe(false);
  });

  it('counts every pool separately, however many there are', () => {
    let now = 0;
    const limiter = new RateLimiter({ requests: 1, windowSeconds: 10 }, () => now, null);
    for (let i = 0; i < 3000; i++) expect(limiter.take(`pool ${i}`).exceeded).toBe(false);
    for (let i = 0; i < 3000; i++) expect(limiter.take(`pool ${i}`).exceeded).toBe(true);
    now = 10_000;
    for (let i = 0; i < 3000; i++) expect(limiter.take(`pool ${i}`).exceeded).toBe(false);
  });
});

describe('a limit of a day', () => {
  const DAY = { requests: 3, windowSeconds: 86_400 };
  const HOUR = { requests: 3, windowSeconds: 3_600 };

  it('continues after a restart, one of an hour begins again', () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundswell-limits-'));
    const open = () =>
      openService(join(folder, 'service.sqlite'), { random: (n) => randomBytes(n) });
    let now = 1_632_769_124_600;
    const begin = (limit: typeof DAY, name: string) => {
      const service = open();
      const stored = { table: service.limits, name };
      return { service, limiter: new RateLimiter(limit, () => now, stored) };
    };
    const reset = 1_632_769_124 + 86_400;
    for (const remaining of [2, 1, 0]) {
      const { service, limiter } = begin(DAY, 'day');
      expect(limiter.take('a')).toMatchObject({ remaining, reset, exceeded: false });
      service.close();
      now += 1000;
    }
    const { service, limiter } = begin(DAY, 'day');
    expect(limiter.take('a')).toMatchObject({ remaining: 0, reset, exceeded: true });
    expect(limiter.take('b')).toMatchObject({ remaining: 2, exceeded: false });
    const other = new RateLimiter(DAY, () => now, { table: service.limits, name: 'other' });
    expect(other.take('a')).toMatchObject({ remaining: 2, exceeded: false });
    now += 86_400_000;
    expect(limiter.take('a')).toMatchObject({ remaining: 2, exceeded: false });
    service.close();

    for (let i = 0; i < 2; i++) {
      const hour = begin(HOUR, 'hour');
      expect(hour.limiter.take('a')).toMatchObject({ remaining: 2 });
      hour.service.close();
    }
    rmSync(folder, { recursive: true });
  });

  it('stores only windows that have not ended', () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundswell-limits-'));
    const service = openService(join(folder, 'service.sqlite'), { random: (n) => randomBytes(n) });
    let now = 1_632_769_124_600;
    const stored = { table: service.limits, name: 'day' };
    const limiter = new RateLimiter(DAY, () => now, stored);
    for (let i = 0; i < 1_024; i++) limiter.take(`pool ${i}`);
    const known = (): number =>
      Array.from({ length: 1_024 }, (_, i) => service.limits.get('day', `pool ${i}`)).filter(
        (window) => window !== undefined,
      ).length;
    expect(known()).toBe(1_024);
    now += 86_400_000;
    limiter.take('another');
    expect(known()).toBe(0);
    service.close();
    rmSync(folder, { recursive: true });
  });
});
