import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_REQUESTS, readRequestedNote } from '#core/notes/requested.ts';
import { long } from '#tests/support/run/long.ts';

const A = 'https://a.com/1';
const B = 'http://b.org/2?x=1';

describe('requests for a note in a row', () => {
  it.each<[string, unknown, unknown, object | null]>([
    ['nothing', undefined, undefined, null],
    ['an empty cell', '', '', null],
    ['a flag of CSV', 'yes', '', { count: 1, links: [] }],
    ['a flag of JSON', true, undefined, { count: 1, links: [] }],
    ['a number', '12', '', { count: 12, links: [] }],
    ['a number of JSON', 12, null, { count: 12, links: [] }],
    ['no, despite sources', 'no', A, null],
    ['false, despite sources', false, [A], null],
    ['zero', 0, undefined, null],
    ['a source alone', '', A, { count: 1, links: [{ url: A, count: 1 }] }],
    [
      'sources with counts after them',
      'true',
      ` ${A} 3  ${B}`,
      {
        count: 3,
        links: [
          { url: A, count: 3 },
          { url: B, count: 1 },
        ],
      },
    ],
    ['a source twice', '9', `${A} ${A} 2`, { count: 9, links: [{ url: A, count: 3 }] }],
    [
      "the platform's list",
      undefined,
      [{ url: A, count: 4 }, B],
      {
        count: 4,
        links: [
          { url: A, count: 4 },
          { url: B, count: 1 },
        ],
      },
    ],
  ])('%s', (_, requested, links, expected) => {
    expect(readRequestedNote(requested, links)).toEqual(expected);
  });

  it.each<[unknown, unknown, string]>([
    ['maybe', '', 'notes_requested is "maybe", not true, false or a number'],
    [-1, '', 'notes_requested is "-1"'],
    [1.5, '', 'notes_requested is "1.5"'],
    [String(MOST_REQUESTS + 1), '', 'notes_requested is "1000001"'],
    [{ a: 1 }, '', 'notes_requested is "{"a":1}"'],
    ['1', 'ftp://a.com', 'note_links has "ftp://a.com", not an address'],
    ['1', '3', 'note_links has "3", not an address'],
    ['1', `${A} 0`, 'note_links has the count "0"'],
    ['1', [{ url: A, count: 'x' }], 'note_links has the count "x"'],
    ['1', { url: A }, 'not a list of addresses'],
    ['1', `https://${'a'.repeat(5000)}`, 'not an address'],
    ['1', Array.from({ length: 101 }, (_, i) => `${A}${i}`), 'has 101 addresses; the limit is 100'],
  ])('refuses %j with %j', (requested, links, reason) => {
    expect(readRequestedNote(requested, links)).toContain(reason);
  });

  it('a list and its text say the same', () => {
    const count = fc.integer({ min: 1, max: 1000 });
    // An arbitrary of any paths and queries takes a second to make, so the short form has one.
    const url = long() ? fc.webUrl() : fc.webAuthority().map((site) => `https://${site}/a?b=1,2`);
    const link = fc.record({ url, count });
    fc.assert(
      fc.property(fc.uniqueArray(link, { maxLength: 8, selector: ({ url }) => url }), (links) => {
        const text = links.map(({ url, count: n }) => `${url} ${n}`).join('  ');
        expect(readRequestedNote('', text)).toEqual(readRequestedNote(undefined, links));
      }),
    );
  });
});
