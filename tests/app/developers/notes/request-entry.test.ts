import { describe, expect, it } from 'vitest';
import { EMPTY, readRequest } from '#app/developers/notes/request-entry.ts';

const read = (values: Partial<typeof EMPTY>) => readRequest({ ...EMPTY, ...values });

describe('the form that requests notes', () => {
  it.each([
    ['12', ['12']],
    [' 12, 13\n14;15 ', ['12', '13', '14', '15']],
    ['12 12', ['12']],
    ['https://x.com/ann/status/19?s=20', ['19']],
    ['twitter.com/ann/statuses/19', ['19']],
    ['https://x.com/i/web/status/19#m', ['19']],
  ])('reads the Posts of %j', (posts, ids) => {
    const order = { posts: ids, link: null, suggestion: null };
    expect(read({ posts })).toEqual({ order, wrong: {} });
  });

  it('reads a source and a suggestion', () => {
    const values = { posts: '1', link: ' https://a.com/1 ', suggestion: ' It was May ' };
    const order = { posts: ['1'], link: 'https://a.com/1', suggestion: 'It was May' };
    expect(read(values)).toEqual({ order, wrong: {} });
  });

  it.each([
    [{}, { posts: 'Enter the ID or the address of a Post.' }],
    [{ posts: '1 ann' }, { posts: '“ann” is not the ID or the address of a Post.' }],
    [{ posts: 'https://x.com/ann' }, { posts: expect.stringContaining('is not the ID') }],
    [{ posts: '1'.repeat(20) }, { posts: expect.stringContaining('is not the ID') }],
    [
      { posts: Array.from({ length: 1001 }, (_, i) => i + 1).join(' ') },
      { posts: 'Request notes for at most 1000 Posts at once.' },
    ],
    [
      { posts: '1', link: 'a.com' },
      { link: 'Enter an address that begins with http:// or https://.' },
    ],
    [{ posts: '1', suggestion: 'x'.repeat(1001) }, { suggestion: 'Use at most 1000 characters.' }],
  ])('refuses %j', (values, wrong) => {
    expect(read(values)).toEqual({ order: null, wrong });
  });
});
