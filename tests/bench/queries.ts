import type { Condition } from '#core/query/ast.ts';
import { condition } from '#core/query/condition.ts';
import { parse } from '#core/query/parse.ts';
import { authorOf, burstWords, word, wordIn } from './posts.ts';

/** A query in the platform's language, with the kind that it represents. */
export interface Query {
  readonly kind: string;
  readonly text: string;
  readonly condition: Condition;
}

/** Parses queries, each with its kind. */
function queries(texts: readonly (readonly [kind: string, text: string])[]): Query[] {
  return texts.map(([kind, text]) => {
    const parsed = parse(text);
    if (!parsed.ok) throw new Error(`${text}: ${parsed.diagnostics[0]?.message}`);
    return { kind, text, condition: condition(parsed.ast) };
  });
}

/** One query of each kind over generated Posts. */
export function generatedQueries(posts: number): Query[] {
  const [veryFrequent, second] = [word(0), word(1)];
  const frequent = wordIn(0.1);
  const or = [0.019, 0.0195, 0.02, 0.0205, 0.021].map(wordIn).join(' OR ');
  const author = authorOf(0.0083);
  return queries([
    ['rare', wordIn(100 / posts)],
    ['middling', wordIn(10_000 / posts)],
    ['burst', burstWords(0).join(' ')],
    ['frequent', frequent],
    ['very frequent', veryFrequent],
    ['and', `${veryFrequent} ${frequent}`],
    ['or of five', or],
    ['and not', `${frequent} -${wordIn(0.09)}`],
    ['phrase', `"${veryFrequent} ${second}"`],
    ['from', `from:${author}`],
    ['lang and term', `${frequent} lang:en`],
    [
      'complex',
      `(${wordIn(0.08)} OR ${wordIn(0.05)} OR "${veryFrequent} ${second}") lang:en -is:retweet -from:${author}`,
    ],
  ]);
}

/** The same kinds over the real Posts. */
export function realQueries(): Query[] {
  return queries([
    ['rare', 'weiß'],
    ['middling', '#maga'],
    ['frequent', 'trump'],
    ['very frequent', 'https'],
    ['and', 'trump hillary'],
    ['or of five', 'police OR obama OR merkel OR россии OR nuclear'],
    ['and not', 'hillary -clinton'],
    ['phrase', '"white house"'],
    ['from', 'from:TEN_GOP'],
    ['lang and term', 'trump lang:en'],
    [
      'complex',
      '(police (shooting OR shot) -from:todaycleveland) OR "black lives matter" lang:en -is:retweet',
    ],
  ]);
}
