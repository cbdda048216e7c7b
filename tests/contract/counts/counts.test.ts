import { describe, expect, it } from 'vitest';
import { queryLength, queryLengthLimit } from '#contract/counts/counts.ts';

describe('the length of a query', () => {
  // The first is the example in the platform's documentation (platform-facts 2.4).
  it.each([
    ['(happy OR happiness) place_country:GB -birthday -is:retweet', 59],
    ['', 0],
    ['größe', 5],
    ['東京', 2],
    ['🎉🎉', 2],
  ])('%s has %i characters', (query, length) => {
    expect(queryLength(query)).toBe(length);
  });

  // platform-facts section 0.
  it.each([
    ['recent', 'self-service', 512],
    ['recent', 'enterprise', 512],
    ['all', 'pay-per-use', 1024],
    ['all', 'enterprise', 4096],
  ] as const)('of %s with %s access is at most %i', (endpoint, access, limit) => {
    expect(queryLengthLimit(endpoint, access)).toBe(limit);
  });
});
