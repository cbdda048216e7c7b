import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { termsOf } from '#core/text/terms.ts';
import { composePost, PostIds } from '#server/posts/editor/compose.ts';
import { ClockError, instantOf } from '#core/import/id.ts';
import { flagsOf } from '#server/posts/json/facts.ts';
import { storedPost } from '#server/posts/store/stored-post.ts';

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

  it('are refused for a time that no id contains, and continue once the clock is right', () => {
    const ids = new PostIds();
    const first = ids.next(NOW);
    for (const at of ['1970-01-01T00:00:00Z', '2080-07-10T17:30:30.209Z', '2106-02-07T00:00:00Z']) {
      expect(() => ids.next(Date.parse(at)), at).toThrow(ClockError);
    }
    expect(ids.next(NOW)).toBe(first + 1n);
    expect(ids.next(Date.parse('2080-07-10T17:30:30.208Z'))).toBeLessThan(2n ** 63n);
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
