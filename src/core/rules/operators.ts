import { box, circle } from '#core/query/area-value.ts';
import {
  operatorOf,
  OPERATORS,
  type Operator,
  type Operators,
  type Predicate,
} from '#core/query/operators.ts';
import {
  amount,
  annotation,
  choice,
  invalidOperator,
  user,
  wording,
  type Verdict,
} from '#core/query/values.ts';
import { tokens } from '#core/text/tokens.ts';

/** Words of a Post or of its author's profile that an operator of rules searches. */
export const SEARCHED_FIELDS = [
  'bio',
  'bio_name',
  'bio_location',
  'url_title',
  'url_description',
] as const;
export type SearchedField = (typeof SEARCHED_FIELDS)[number];

/** Numbers of a Post's author that an operator of rules compares. */
export const AMOUNTS = [
  'followers_count',
  'tweets_count',
  'following_count',
  'listed_count',
] as const;
export type AmountName = (typeof AMOUNTS)[number];

/** A range of whole numbers, both ends included. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** The characters that the lexeme of a proximity search has in place of an operator's name. */
export const NEAR = '~';

/** Most tokens between two words of a proximity search, and most of its words (platform-facts, section 5). */
const MOST_APART = 6;
const MOST_NEAR = 20;

/** Operators of search and counts that a stream does not have (docs, filtered-stream/integrate/operators). */
const ABSENT: ReadonlySet<string> = new Set([
  'in',
  'list',
  'min_likes',
  'min_replies',
  'min_reposts',
  'quotes_of_tweet_id',
]);

const RANGE = /^([0-9]{1,12})(?:\.\.([0-9]{1,12}))?$/;

/** The range of a checked value: `1000..10000`, or one number for that number and more. */
export function numberRange(value: string): Range {
  const [, least = '', most] = RANGE.exec(value) ?? [];
  return { min: Number(least), max: most === undefined ? Infinity : Number(most) };
}

function range(value: string): Verdict {
  const message = `Invalid range '${value}': expected whole numbers such as 1000 or 1000..10000`;
  if (!RANGE.test(value)) return { ok: false, message };
  const { min, max } = numberRange(value);
  if (min <= max) return { ok: true, value };
  const fix = `${max}..${min}`;
  return { ok: false, message: `Invalid range '${value}': ${min} is above ${max}`, fix };
}

function percent(value: string): Verdict {
  const n = /^[0-9]{1,3}$/.test(value) ? Number(value) : 0;
  if (n >= 1 && n <= 100) return { ok: true, value: String(n) };
  return { ok: false, message: `Invalid sample '${value}': expected a percentage from 1 to 100` };
}

/** The words and the distance of a proximity search. */
export function nearOf(value: string): { readonly words: string; readonly apart: number } {
  const at = value.lastIndexOf(NEAR);
  return { words: value.slice(0, at), apart: Number(value.slice(at + 1)) };
}

function near(value: string): Verdict {
  const { words, apart } = nearOf(value);
  const { length } = tokens(words, 'stream');
  if (length < 2 || length > MOST_NEAR) {
    const message = `Invalid proximity '${words}': expected 2 to ${MOST_NEAR} words in quotes`;
    return { ok: false, message };
  }
  if (apart >= 1 && apart <= MOST_APART) return { ok: true, value };
  return { ok: false, message: `Invalid distance '${apart}': expected 1 to ${MOST_APART}` };
}

/** Literal text, which needs no quotes unless the grammar gives a character a meaning. */
function literal(name: string, expected: string) {
  return (value: string): Verdict => {
    if (value.trim() !== '') return { ok: true, value };
    return { ok: false, message: `Invalid ${name} '${value}': expected ${expected}` };
  };
}

/** A domain with an entity, or with all entities. */
function anyAnnotation(value: string): Verdict {
  return /^[0-9]{1,19}\.\*$/.test(value) ? { ok: true, value } : annotation(value);
}

function row(name: string, check: Operator['check']): Operator {
  const describe = (value: string): Predicate => ({ verb: 'match', object: `${name}:${value}` });
  return operatorOf({ name, check, describe });
}

/** An operator that the platform has and this service does not. */
function refused(name: string): Operator {
  return row(name, () => ({ ok: false, message: invalidOperator(name) }));
}

const ROWS: readonly Operator[] = [
  ...SEARCHED_FIELDS.map((name) => row(name, wording(name, 'a word, or several in quotes'))),
  ...AMOUNTS.map((name) => row(name, range)),
  row('min_followers', amount),
  row('url_contains', literal('url_contains', 'a part of an address')),
  row('context', anyAnnotation),
  row('from_affiliate_of', user),
  row('to_affiliate_of', user),
  row('sample', percent),
  refused('source'),
  refused('embedding'),
  refused('embedding_threshold'),
];

/** Every operator of rules, by the name before the colon, or by {@link NEAR}. */
export const RULE_OPERATORS: Operators = new Map([
  ...[...OPERATORS].filter(([name]) => !ABSENT.has(name)),
  ...ROWS.map((each): [string, Operator] => [each.name, each]),
  [NEAR, row('near', near)],
]);

/** Values of `has:` in rules of powerstream, with the names of the same things elsewhere. */
const POWER_HAS: Readonly<Record<string, string>> = {
  mentions: 'mentions',
  geo: 'geo',
  links: 'links',
  media: 'media',
  lang: 'lang',
  symbols: 'cashtags',
  images: 'images',
  videos: 'video_link',
};
const POWER_IS: Readonly<Record<string, string>> = { retweet: 'retweet', reply: 'reply' };

/** Operators of powerstream that other rules have too, by their names there. */
const SHARED: readonly (readonly [name: string, of: string])[] = [
  ['from', 'from'],
  ['to', 'to'],
  ['retweets_of', 'retweets_of'],
  ['url_contains', 'url_contains'],
  ['lang', 'lang'],
  ['place', 'place'],
  ['bio', 'bio'],
  ['bio_name', 'bio_name'],
  ['retweets_of_status_id', 'retweets_of_tweet_id'],
  ['in_reply_to_status_id', 'in_reply_to_tweet_id'],
];

/**
 * Every operator of powerstream, by the name before the colon (docs, powerstream/operators). All may be the whole rule,
 * as in the example `has:images lang:en` there.
 */
export const POWER_OPERATORS: Operators = new Map([
  ...SHARED.flatMap(([name, of]): [string, Operator][] => {
    const operator = RULE_OPERATORS.get(of);
    return operator ? [[name, { ...operator, standalone: true }]] : [];
  }),
  // No limit of their size is documented, and the examples are larger than what search allows.
  ['bounding_box', row('bounding_box', (value, quoted) => box(value, quoted, Infinity))],
  ['point_radius', row('point_radius', (value, quoted) => circle(value, quoted, Infinity))],
  ['contains', row('contains', literal('contains', 'a part of a text'))],
  ['has', row('has', choice('has', POWER_HAS))],
  ['is', row('is', choice('is', POWER_IS))],
]);
