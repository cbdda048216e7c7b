import fc from 'fast-check';
import { expect, it } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { explain } from '#core/query/explain.ts';
import { format } from '#core/query/format.ts';
import { parse } from '#core/query/parse.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { long } from '#tests/support/run/long.ts';

const MARKS = [
  '(',
  ')',
  '-',
  '"',
  "'",
  '“',
  '”',
  '#',
  '@',
  '$',
  ':',
  ' ',
  '\\',
  '*',
  '[',
  ']',
  ',',
];
const PIECES = [
  'OR',
  ' OR ',
  'and',
  'cat',
  'the',
  'http://x',
  '❤️',
  '1️⃣',
  '👍🏽',
  '東京',
  '\\"',
  '\u0000',
  '\ud83d',
  'from:',
  'from:a',
  'is:retweet',
  '-is:nullcast',
  'has:',
  'lang:en',
  'url:',
  'list:1',
  'list:2',
  'place:"',
  'place:x',
  'context:1.2',
  'entity:"a b"',
  'min_likes:9',
  'min_faves:9',
  'min_replies:',
  'point_radius:[',
  'point_radius:[1 2 3mi]',
  'bounding_box:[0 0 0.1 0.1]',
  'geo_bounding_box:',
  '2mi]',
  ' 2',
  ' 0.5',
  '-',
  'constructor:',
  '__proto__:',
  'toString:x',
  'quotes_of_tweet_id:1',
];

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...MARKS, ...PIECES) },
  { weight: 1, arbitrary: fc.constantFrom(...PIECES).map((text) => ` ${text} `) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
  { weight: 1, arbitrary: unicodeText({ maxLength: 3 }) },
);
const anything = fc.array(piece, { maxLength: 30, size: 'max' }).map((parts) => parts.join(''));

it('any text is parsed without an exception: to a query with canonical text, or to faults inside the text', () => {
  fc.assert(
    fc.property(anything, fc.constantFrom('recent' as const, 'all' as const), (text, product) => {
      const parsed = parse(text, { product });
      if (parsed.ok) {
        const canonical = format(parsed.ast);
        const again = parse(canonical, { product });
        if (!again.ok) throw new Error(`${canonical}: ${JSON.stringify(again.diagnostics)}`);
        if (format(again.ast) !== canonical) throw new Error(`${canonical} changes`);
        condition(parsed.ast);
        if (explain(parsed.ast) === '') throw new Error('no words');
        return;
      }
      expect(parsed.diagnostics.length).toBeGreaterThan(0);
      for (const { at, length, column = at, message } of parsed.diagnostics) {
        if (Math.min(at, length, column) < 0 || Math.max(at + length, column) > text.length) {
          throw new Error(`place outside: ${at} ${length} ${column}`);
        }
        if (message === '') throw new Error('no message');
      }
    }),
    { numRuns: long() ? 1_000_000 : 4000 },
  );
});
