import { describe, expect, it } from 'vitest';
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
