import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '#core/time/span.ts';
import type { FetchFault } from '#server/fetcher/fetch-error.ts';
import { checked } from '#server/webhooks/checks.ts';

/** platform-facts, 6.4. */
describe('a fault of a check', () => {
  const webhook = {
    id: '1',
    app: '1',
    url: 'https://receiver.test/',
    valid: true,
    createdAt: 0,
    checkedAt: 0,
    validatedAt: 0,
    fault: null,
  };

  it.each<[fault: FetchFault | 'response', hours: number]>([
    ['response', 0],
    ['redirect', 0],
    ['certificate', 0],
    ['address', 0],
    ['answer', 0],
    ['timeout', 28],
    ['status', 28],
    ['connection', 28],
  ])('of the kind %s invalidates after %i hours', (fault, hours) => {
    const validAfter = (ms: number): boolean => checked(webhook, { fault, message: 'x' }, ms).valid;
    expect(validAfter(hours * HOUR_MS)).toBe(false);
    if (hours > 0) expect(validAfter(hours * HOUR_MS - 1)).toBe(true);
  });
});
