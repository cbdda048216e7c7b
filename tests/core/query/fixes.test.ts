import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adviceOf } from '#core/query/advice.ts';
import { applyFix, withFixes } from '#core/query/fixes.ts';
import { parse } from '#core/query/parse.ts';

/** The text after the first fix of each click; stops where there is none. */
function clicked(text: string): string[] {
  const texts: string[] = [];
  for (let now = text; texts.length < 10; now = texts.at(-1) ?? '') {
    const parsed = parse(now);
    const given = parsed.ok ? adviceOf(parsed.ast) : parsed.diagnostics;
    const first = withFixes(given, now).find(({ fix }) => fix !== undefined);
    if (!first) break;
    texts.push(applyFix(now, first));
  }
  return texts;
}

describe('the fix of a query', () => {
  it.each([
    ['cat has:medja', 'cat has:media'],
    ['cat -is:retweeet', 'cat -is:retweet'],
    ['cat lang:english', 'cat lang:en'],
    ['cat lang:Polish dog', 'cat lang:pl dog'],
    ['cat AND dog', 'cat dog'],
    ['cat and dog', 'cat dog'],
    ['cat or dog', 'cat OR dog'],
    ['cat AND (dog OR bird)', 'cat (dog OR bird)'],
    ['cat AND NOT dog', 'cat -dog'],
    ['cat and not "hot dog"', 'cat -"hot dog"'],
    ['cat NOT dog', 'cat -dog'],
    ['cat NOT (dog OR bird)', 'cat -bird -dog'],
    ['cat NOT (dog bird)', 'cat (-bird OR -dog)'],
    ['AND cat', 'cat'],
    ['cat AND', 'cat '],
    ['cat && dog', 'cat dog'],
    ['cat + dog', 'cat dog'],
    ['cat || dog', 'cat OR dog'],
    ['cat||dog', 'cat OR dog'],
    ['cat | dog', 'cat OR dog'],
    ['cat since:2026-05-01', 'cat '],
    ['cat -until:2026-05-01 dog', 'cat dog'],
    ['cat since:2026-05-01 until:2026-06-01 dog', 'cat dog'],
    ['cat since: 2026-05-01', 'cat '],
    ['cat (since:2026-05-01)', 'cat '],
    ['cat OR since:2026-05-01', 'cat '],
    ['since:2026-05-01 OR cat', 'cat'],
    ['cat since_id:12', 'cat '],
    ['“hot dog”', '"hot dog"'],
    ['“hot dog', '"hot dog"'],
    ['hot dog"', 'hot dog'],
    ['hot ”dog', 'hot "dog"'],
    ['hot dog”', 'hot dog'],
    ['don’t', '"don’t"'],
    ['lang:“en” cat', 'lang:en cat'],
    ['from:“nasa”', 'from:nasa'],
    ['url:“example.com/hot dog”', 'url:"example.com/hot dog"'],
    ['from: nasa', 'from:nasa'],
    ['# cat', '#cat'],
    ['cat language:en', 'cat lang:en'],
    ['cat filter:links', 'cat has:links'],
    ['cat -filter:replies', 'cat -is:reply'],
    ['cat exclude:retweets', 'cat -is:retweet'],
    ['cat is:repost', 'cat is:retweet'],
    ['cat has:photos', 'cat has:images'],
    ['cat lang:ger', 'cat lang:de'],
    ['(cat OR dog', '(cat OR dog)'],
    ['cat OR dog)', 'cat OR dog'],
  ])('%s becomes %s by one click', (text, whole) => {
    expect(clicked(text)).toEqual([whole]);
    expect(parse(whole)).toMatchObject({ ok: true });
  });

  it.each([
    ['cat AND (dog or bird) NOT lang:en', 'cat (dog OR bird) -lang:en'],
    ['(cat AND “hot dog', '(cat "hot dog")'],
  ])('%s becomes %s click by click', (text, whole) => {
    expect(clicked(text).at(-1)).toBe(whole);
  });

  it.each([
    'cat is:wonderful',
    'cat lang:klingonish',
    'cat lang:zz',
    'NOT cat',
    '- cat',
    '( cat',
    'cat near:berlin',
  ])('of %s never makes another fault of it', (text) => {
    for (const whole of clicked(text)) expect(parse(whole)).toMatchObject({ ok: true });
  });

  it('leaves fewer faults, and a valid query valid', () => {
    const parts = 'cat|"|“|”|(|)|OR|AND|NOT|and|-|since:2026-05-01|lang:jp|from: x|filter:links|#';
    const texts = fc
      .array(fc.constantFrom(...parts.split('|')), { maxLength: 8 })
      .map((all) => all.join(' '));
    const faults = (text: string): number => {
      const parsed = parse(text);
      return parsed.ok || text.trim() === '' ? 0 : parsed.diagnostics.length;
    };
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parse(text);
        const given = parsed.ok ? adviceOf(parsed.ast) : parsed.diagnostics;
        for (const each of withFixes(given, text)) {
          if (each.fix === undefined) continue;
          expect(faults(applyFix(text, each))).toBeLessThan(Math.max(1, faults(text)));
        }
      }),
    );
  });

  it('names one fault once', () => {
    const parsed = parse('OR');
    const given = parsed.ok ? [] : parsed.diagnostics;
    expect(withFixes(given, 'OR')).toHaveLength(1);
  });
});
