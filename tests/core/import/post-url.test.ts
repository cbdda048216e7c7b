import { expect, it } from 'vitest';
import { snowflake } from '#core/import/id.ts';
import { postUrl } from '#core/import/post-url.ts';
import { DAY_MS } from '#core/time/span.ts';

const AT = Date.UTC(2024, 4, 18);
const ID = snowflake(AT, 7);

it.each([
  ['a snowflake of its time', ID, AT, 'ann', `https://x.com/ann/status/${ID}`],
  ['without an author', ID, AT, null, `https://x.com/i/web/status/${ID}`],
  ['with a display name', ID, AT, 'Ann Tea', `https://x.com/i/web/status/${ID}`],
  ['of a day in another zone', ID, AT + DAY_MS, 'ann', `https://x.com/ann/status/${ID}`],
  ['of another time', ID, AT - 30 * DAY_MS, 'ann', null],
  ['a small number of a later time', 7n, AT, 'ann', null],
  ['from before snowflakes', 20n, Date.UTC(2006, 2, 21), 'jack', 'https://x.com/jack/status/20'],
  ['made by an import', (1n << 62n) | 99n, AT, 'ann', null],
])('an id %s', (_, id, at, username, url) => {
  expect(postUrl(id, at, username)).toBe(url);
});
