import { describe, expect, it } from 'vitest';
import { linkedBy } from '#core/text/linked.ts';

describe('what an address leads to', () => {
  it.each([
    ['https://www.example.com/a?b=1', 'example.com', 'example.com/a?b=1'],
    ['http://example.com/', 'example.com', 'example.com'],
    ['example.com', 'example.com', 'example.com'],
    ['https://news.example.co.uk:8080/x/', 'news.example.co.uk', 'news.example.co.uk:8080/x'],
    ['https://example.com/a),', 'example.com', 'example.com/a'],
    ['https://example.com.', 'example.com', 'example.com'],
    [`https://example.com/${'a'.repeat(400)}`, 'example.com', null],
  ])('%s is %s and %s', (given, domain, address) => {
    expect(linkedBy(given)).toEqual({ domain, address });
  });

  it.each([
    'https://t.co/abc',
    'pic.twitter.com/abc',
    'https://',
    'https://user@example.com/a',
    'https://localhost/a',
    'https://t.co.',
  ])('%s says nothing of it', (given) => {
    expect(linkedBy(given)).toBeNull();
  });
});
