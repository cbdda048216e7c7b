import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condition } from '#core/query/condition.ts';
import { conditionWords, failureWords } from '#core/query/draft-words.ts';
import { draftOf, draftVerdict } from '#core/query/draft.ts';
import { match } from '#core/query/match.ts';
import { OPERATORS } from '#core/query/operators.ts';
import { parse } from '#core/query/parse.ts';
import type { Ast } from '#core/query/ast.ts';
import type { IndexablePost } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { fold } from '#core/text/fold.ts';
import { tokens } from '#core/text/tokens.ts';
import { runs } from '#tests/support/run/runs.ts';
import { queries } from './queries.ts';

const NAMES = { language: (code: string) => code, country: (code: string) => code };

function astOf(query: string): Ast {
  const parsed = parse(query, { product: 'recent', own: true });
  if (!parsed.ok) throw new Error(`${query}: ${parsed.diagnostics[0]?.message}`);
  return parsed.ast;
}

/** The verdict in words, with the marked parts of the text in brackets. */
function verdictOf(query: string, text: string): string {
  const verdict = draftVerdict(astOf(query), draftOf(text));
  const parts = verdict.counted === 'no' ? verdict.excluded : verdict.met;
  const words = parts.flatMap(({ spans }) =>
    spans.map(({ start, end }) => `[${text.slice(start, end)}]`),
  );
  const why = {
    yes: () => 'yes',
    if: () =>
      verdict.counted === 'if' ? `if it ${conditionWords(verdict.open, NAMES)}` : undefined,
    no: () =>
      verdict.counted === 'no'
        ? `no: it ${failureWords(
            verdict.excluded.map(({ clause }) => clause),
            verdict.missing,
            NAMES,
          )}`
        : undefined,
  };
  return [why[verdict.counted](), ...words].join(' ');
}

const ROWS: readonly (readonly [query: string, text: string, verdict: string])[] = [
  ['matcha', 'Matcha, mätcha!', 'yes [Matcha] [mätcha]'],
  ['matcha', 'coffee', 'no: it does not say matcha'],
  ['matcha -recipe', 'a matcha Recipe', 'no: it says recipe [Recipe]'],
  ['matcha -recipe', 'matcha', 'yes [matcha]'],
  ['"iced latte"', 'iced, iced — LATTE', 'yes [iced] [LATTE]'],
  ['matcha OR latte', 'latte', 'yes [latte]'],
  ['matcha OR latte', 'tea', 'no: it does not say matcha or latte'],
  ['(a1 OR b1 OR c1 OR d1 OR e1)', 'x', 'no: it does not say a1, b1, c1 or 2 more'],
  ['東京', '新東京タワー', 'yes [東] [京]'],
  ['한국', '한국 사람', 'yes [한국]'],
  ['straße', 'STRASSE und Straße', 'yes [STRASSE] [Straße]'],
  ['שלום', 'שלום עולם', 'yes [שלום]'],
  ['#tea @ann', '＃Tea for @Ann', 'yes [＃Tea] [@Ann]'],
  ['$aapl', 'buy $AAPL now', 'yes [$AAPL]'],
  ['👍🏽', 'good 👍🏽!', 'yes [👍🏽]'],
  ['1', '1️⃣ or 1', 'yes [1]'],
  ['url:example', 'https://www.example.com/a', 'yes [example]'],
  ['url:"example.com"', 'example at https://example.com', 'yes [example] [com]'],
  ['url:shop', 'https://example.com', 'no: it has no “shop” in a link'],
  ['url:shop', 'https://t.co/abc', 'if it has “shop” in a link'],
  ['url:shop', 'shop.com', 'if it has “shop” in a link'],
  ['tea has:hashtags', '#tea', 'yes [tea]'],
  ['tea has:mentions', 'tea', 'no: it has no mentions'],
  ['tea has:cashtags', 'tea', 'no: it has no cashtags'],
  ['tea has:links', 'tea https://a.com', 'yes [tea]'],
  ['tea has:links', 'tea', 'if it has a link or media [tea]'],
  ['tea -has:links', 'tea', 'if it has neither link nor media [tea]'],
  ['tea has:media', 'tea', 'if it has media [tea]'],
  ['tea -has:images', 'tea', 'if it has no images [tea]'],
  ['tea has:video_link', 'tea', 'if it has videos [tea]'],
  ['tea has:geo', 'tea', 'if it has a place [tea]'],
  ['tea is:retweet', 'tea', 'no: it is not a repost'],
  ['tea is:reply', '@ann tea', 'no: it is not a reply'],
  ['tea -is:quote', 'tea', 'yes [tea]'],
  ['tea -is:nullcast', 'tea', 'yes [tea]'],
  ['tea is:verified', 'tea', 'if it is by a verified account [tea]'],
  ['tea lang:en', 'tea', 'if it is detected as en [tea]'],
  ['tea -lang:en', 'tea', 'if it is not detected as en [tea]'],
  ['from:ann', 'tea', 'if it is by @ann'],
  ['to:ann', '@ann tea', 'no: it does not reply to @ann'],
  ['retweets_of:ann', 'tea', 'no: it does not repost @ann'],
  ['conversation_id:5', 'tea', 'no: it is not in the conversation 5'],
  ['in_reply_to_tweet_id:5', 'tea', 'no: it does not reply to the Post 5'],
  ['retweets_of_tweet_id:5', 'tea', 'no: it does not repost the Post 5'],
  ['quotes_of_tweet_id:5', 'tea', 'no: it does not quote the Post 5'],
  ['list:5', 'tea', 'if it is by members of the list 5'],
  ['in:spring', 'tea', 'if it is in the collection “spring”'],
  ['context:1.2', 'tea', 'if it is about the topic 1.2'],
  ['entity:"Ann"', 'tea', 'if it names “Ann”'],
  ['place:Rome', 'tea', 'if it is from the place “Rome”'],
  ['place_country:IT', 'tea', 'if it is from IT'],
  ['point_radius:[0 0 1km]', 'tea', 'if it is within 1km of longitude 0, latitude 0'],
  ['bounding_box:[0 0 0.1 0.1]', 'tea', 'if it is within longitude 0 to 0.1, latitude 0 to 0.1'],
  ['min_likes:0', 'tea', 'yes'],
  ['min_likes:5', 'tea', 'if it has at least 5 likes'],
  ['tea -min_replies:5', 'tea', 'if it has fewer than 5 replies [tea]'],
  ['min_reposts:5', 'tea', 'if it has at least 5 reposts'],
  ['tea lang:en', 'coffee', 'no: it does not say tea'],
  ['tea OR from:ann', 'tea', 'yes [tea]'],
  ['tea OR from:ann', 'coffee', 'if it is by @ann'],
  [
    'tea (lang:en OR (from:ann has:media))',
    'tea',
    'if it is detected as en or (is by @ann and has media) [tea]',
  ],
];

/** The facts that a draft does not have; that of an original Post, which reposts and answers nothing. */
const outside: fc.Arbitrary<Partial<IndexablePost>> = fc.record(
  {
    username: fc.constantFrom('ann', 'bob', 'carl'),
    lang: fc.constantFrom('en', 'de', 'fr'),
    isVerified: fc.boolean(),
    hasMedia: fc.boolean(),
    likes: fc.nat(6),
    country: fc.constantFrom('GB', 'US'),
  },
  { requiredKeys: [] },
);
const texts = fc
  .array(
    fc.constantFrom('cat', 'Dog', 'fóx', 'cow', '#cat', '#fox', '@ann', '😀', 'https://a.com/x'),
    { maxLength: 5 },
  )
  .map((pieces) => pieces.join(' '));

describe('a draft', () => {
  test.each(ROWS)('%s of “%s”: %s', (query, text, verdict) => {
    expect(verdictOf(query, text)).toBe(verdict);
  });

  test('meets, lacks or leaves open every operator in a row above', () => {
    const tried = ROWS.map(([query]) => query).join(' ');
    const missing = [...OPERATORS.keys()].filter((name) => !tried.includes(`${name}:`));
    expect(missing).toEqual([]);
  });

  test('is decided only if every Post with its text is', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(queries, texts, outside, (query, text, facts) => {
        const ast = astOf(query);
        const { counted } = draftVerdict(ast, draftOf(text));
        seen.add(counted);
        const isFound = match(condition(ast), termsOf({ text, ...facts }));
        if (counted !== 'if') expect(isFound).toBe(counted === 'yes');
      }),
      { numRuns: runs(5_000) },
    );
    expect([...seen].toSorted()).toEqual(['if', 'no', 'yes']);
  });

  test('is marked at words of the query, in order, without overlap', () => {
    fc.assert(
      fc.property(queries, texts, (query, text) => {
        const verdict = draftVerdict(astOf(query), draftOf(text));
        for (const { clause, spans } of verdict.counted === 'no' ? verdict.excluded : verdict.met) {
          let last = 0;
          const value = fold(clause.value);
          for (const { start, end } of spans) {
            expect(start).toBeGreaterThanOrEqual(last);
            expect(end).toBeGreaterThan(start);
            last = end;
            const marked = fold(text.slice(start, end));
            const words = tokens(marked);
            if (words.length === 0) expect(value).toBe(marked);
            else expect(tokens(value)).toEqual(expect.arrayContaining(words));
          }
          expect(last).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: runs(3_000) },
    );
  });
});
