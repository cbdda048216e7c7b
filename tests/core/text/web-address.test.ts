import { expect, it } from 'vitest';
import { webAddress } from '#core/text/web-address.ts';

it.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['http://example.com', 'http://example.com/'],
  ['example.com/a', 'https://example.com/a'],
  ['example.com:8080/a', 'https://example.com:8080/a'],
  ['javascript:alert(1)', null],
  ['javascript://example.com/%0aalert(1)', null],
  ['data:text/html,hi', null],
  ['file:///etc/passwd', null],
  ['https://bank.example@evil.example/', null],
  ['localhost', null],
  ['', null],
])('%j is %j', (text, href) => {
  expect(webAddress(text)).toBe(href);
});
