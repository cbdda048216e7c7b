import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { composePost, PostIds } from '#server/posts/compose.ts';
import { instantOf } from '#core/import/id.ts';
import { flagsOf } from '#server/posts/facts.ts';
import { storedPost } from '#server/posts/stored-post.ts';

const NOW = Date.parse('2026-11-21T10:30:20Z');

describe('ids of new Posts', () => {
  it('contain their creation time', () => {
    const ids = new PostIds();
    expect(instantOf(ids.next(NOW))).toBe(NOW);
    expect(instantOf(ids.next(NOW))).toBe(NOW);
    expect(instantOf(ids.next(NOW + 1))).toBe(NOW + 1);
  });

  it('ascend, whatever the clock does', () => {
    const step = fc.integer({ min: -100_000, max: 100_000 });
    fc.assert(
      fc.property(fc.array(step, { minLength: 2 }), (steps) => {
        const ids = new PostIds();
        let now = NOW;
        let last = 0n;
        for (const ms of steps) {
          now += ms;
          const id = ids.next(now);
          expect(id).toBeGreaterThan(last);
          expect(id).toBeLessThan(2n ** 63n);
          last = id;
        }
      }),
    );
  });

  it('are refused for a time before snowflakes', () => {
    expect(() => new PostIds().next(0)).toThrow(RangeError);
  });
});

describe('a Post of a text', () => {
  const author = { id: '12', username: 'Alice' };

  it('has its author, its time, its language and a new conversation', () => {
    const { terms, facts, ...post } = composePost(
      author,
      { text: 'Tea at #five', lang: 'en' },
      99n,
      NOW,
    );
    expect(post).toEqual({
      id: 99n,
      createdAt: NOW,
      authorId: '12',
      username: 'Alice',
      text: 'Tea at #five',
      lang: 'en',
      rest: '{"conversation_id":"99","edit_controls":{"edits_remaining":5,"is_edit_eligible":true,"editable_until":"2026-11-21T11:30:20.000Z"}}',
    });
    expect(JSON.parse(facts ?? '')).toEqual({ conversationId: '99' });
    expect(terms.words).toEqual(['tea', 'at', 'five']);
    expect([...terms.flags].sort()).toEqual(
      ['#five', 'conversation_id:99', 'from:12', 'from:alice', 'has:hashtags', 'lang:en'].sort(),
    );
  });

  it('has terms that can be restored from its row', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('RT @bob: no', 'a https://t.co/x pic.x.com/1', '$AAPL @bob #a'),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { terms, ...row } = composePost(author, { text: given, lang: 'und' }, 99n, NOW);
        const again = storedPost({ ...row, flags: flagsOf(terms), collections: null }, () => null);
        expect(termsOf(again)).toEqual(terms);
      }),
    );
  });
});
