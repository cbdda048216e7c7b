import fc from 'fast-check';
import type { Condition } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { parse } from '#core/query/parse.ts';
import type { PostTerms } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';

const WORDS = ['cat', 'dog', 'fox', 'cow'] as const;

const clause = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.constantFrom('"cat dog"', '#cat', '#fox', '@ann', 'from:ann', 'from:bob', '😀'),
  fc.constantFrom('lang:en', 'lang:de', 'is:retweet', 'is:reply', 'has:links', 'has:media'),
  fc.constantFrom('min_likes:3', 'url:"a.com"', 'place_country:GB'),
);
const signed = fc.tuple(clause, fc.boolean()).map(([text, no]) => (no ? `-${text}` : text));
const { part } = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'part' },
    signed,
    fc.array(tie('part'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' ')})`),
    fc.array(tie('part'), { minLength: 2, maxLength: 3 }).map((of) => `(${of.join(' OR ')})`),
  ),
}));

/** Queries of a small vocabulary that parse: groups, alternatives and negations. */
export const queries: fc.Arbitrary<string> = fc
  .array(part, { minLength: 1, maxLength: 3 })
  .chain((of) => fc.constantFrom(' ', ' OR ').map((join) => of.join(join)))
  .filter((text) => parse(text).ok);

/** Posts of the same vocabulary. */
export const posts: fc.Arbitrary<PostTerms> = fc
  .record({
    pieces: fc.array(fc.constantFrom(...WORDS, '#cat', '#fox', '@ann', '😀', 'https://a.com/x'), {
      maxLength: 5,
    }),
    username: fc.constantFrom('ann', 'bob', 'carl'),
    lang: fc.constantFrom('en', 'de', 'fr'),
    isRetweet: fc.boolean(),
    isReply: fc.boolean(),
    hasMedia: fc.boolean(),
    likes: fc.nat(6),
    country: fc.constantFrom('GB', 'US'),
  })
  .map(({ pieces, ...rest }) => termsOf({ text: pieces.join(' '), ...rest }));

/** True if a Post matches a query that parses. */
export function matcher(text: string): (post: PostTerms) => boolean {
  const parsed = parse(text);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.diagnostics[0]?.message}`);
  const asked: Condition = condition(parsed.ast);
  return (post) => match(asked, post);
}
