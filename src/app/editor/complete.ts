import { inValue } from './collection-faults.ts';
import { OPERATORS } from '#core/query/operators.ts';

/** One possible completion at the caret. */
export interface Choice {
  /** Shown in the list, and inserted unless `text` differs. */
  readonly label: string;
  /** Its purpose, in a line. */
  readonly help: string;
  readonly text?: string;
  /** Position of the caret in the inserted text; its end by default. */
  readonly caret?: number;
  /** True if its value is chosen from a list as well. */
  readonly leadsOn?: boolean;
}

export interface Choices {
  /** The range that a choice replaces, in UTF-16 units of the text. */
  readonly from: number;
  readonly to: number;
  readonly list: readonly Choice[];
}

/** The position of choices in a text, without the choices. */
interface Spot {
  readonly from: number;
  readonly to: number;
  /** The part already typed, in lower case. */
  readonly typed: string;
  readonly negated: boolean;
  /** The operator whose value is typed. */
  readonly operator: string | null;
}

const OPERATOR_HELP: Readonly<Record<string, string>> = {
  from: 'Posts by this account',
  to: 'Replies to this account',
  retweets_of: 'Reposts of this account',
  url: 'A word or address in a link',
  lang: 'In this language',
  is: 'Reposts, replies, quotes',
  has: 'With links, media, hashtags',
  place: 'From a place, by name',
  place_country: 'From a country, by two letters',
  point_radius: 'Around a point of the map',
  bounding_box: 'In a box on the map',
  min_likes: 'At least this many likes',
  min_replies: 'At least this many replies',
  min_reposts: 'At least this many reposts',
  conversation_id: 'In the thread of this Post',
  in_reply_to_tweet_id: 'Replies to this Post',
  retweets_of_tweet_id: 'Reposts of this Post',
  quotes_of_tweet_id: 'Quotes of this Post',
  list: 'By the members of a list',
  in: 'Of one of your collections',
  context: 'About a topic, by its id',
};

const SIGNS: readonly Choice[] = [
  { label: '"…"', help: 'These words in this order', text: '""', caret: 1 },
  { label: '#', help: 'A hashtag' },
  { label: '@', help: 'Mentions this account' },
  { label: '$', help: 'A cashtag, such as $TSLA' },
  { label: 'OR', help: 'Either what comes before or after', text: 'OR ' },
  { label: '-', help: 'Excludes what follows' },
  { label: '(…)', help: 'A group', text: '()', caret: 1 },
];

const VALUES: Readonly<Record<string, readonly Choice[]>> = {
  is: [
    { label: 'retweet', help: 'Reposts' },
    { label: 'reply', help: 'Replies' },
    { label: 'quote', help: 'Quotes' },
    { label: 'verified', help: 'By verified accounts' },
    { label: 'nullcast', help: 'Shown only as advertisements' },
  ],
  has: [
    { label: 'links', help: 'A link' },
    { label: 'media', help: 'A picture, GIF or video' },
    { label: 'images', help: 'A picture' },
    { label: 'videos', help: 'A video' },
    { label: 'hashtags', help: 'A hashtag' },
    { label: 'mentions', help: 'Mentions an account' },
    { label: 'cashtags', help: 'A cashtag' },
    { label: 'geo', help: 'A place' },
  ],
};

/** Codes that the platform lists for `lang:` (platform-facts 2.1, newest page). */
const LANGUAGES: readonly string[] = (
  'am ar hy eu bn bg ca hr cs da nl en et fi fr de ka el gu iw hi hu in it ja kn ko lv lt ml mr no fa pl ' +
  'pt pa ro ru sr zh-CN sk sl es sv ta te th zh-TW tr uk ur vi und'
).split(' ');

/** Number of letters after which operators are offered automatically: nearly every word begins like one. */
const MIN_TYPED = 2;

/** The spot at the caret: null inside a phrase, or if nothing can be offered. */
function spotAt(text: string, at: number): Spot | null {
  const before = text.slice(0, at);
  const collection = /(?:^|[\s()])(-?)in:"([^"]*)$/iu.exec(before);
  if (collection) {
    const [, sign, typed = ''] = collection;
    const after = /^[^"]*"/.exec(text.slice(at))?.[0] ?? '';
    return {
      from: at - typed.length - 1,
      to: at + after.length,
      typed: typed.toLowerCase(),
      negated: sign === '-',
      operator: 'in',
    };
  }
  // An escaped quotation mark belongs to its phrase.
  if ((before.replaceAll('\\"', '').match(/"/g) ?? []).length % 2 === 1) return null;
  const found = /(?:^|[\s()"])(-?)(?:([a-z_]+):)?([\p{L}\p{N}_-]*)$/iu.exec(before);
  if (!found) return null;
  const [, sign, name, typed = ''] = found;
  const after = /^[\p{L}\p{N}_-]*:?/u.exec(text.slice(at))?.[0] ?? '';
  return {
    from: at - typed.length,
    to: at + after.length,
    typed: typed.toLowerCase(),
    negated: sign === '-',
    operator: name?.toLowerCase() ?? null,
  };
}

/** The languages whose code or name begins with the typed text, by name; an exact code comes first. */
function languages(typed: string, nameOf: (code: string) => string | undefined): Choice[] {
  return LANGUAGES.map((code) => ({ label: code, help: nameOf(code) ?? code }))
    .filter(({ label, help }) => [label, help].some((name) => name.toLowerCase().startsWith(typed)))
    .sort(
      (a, b) =>
        Number(b.label.toLowerCase() === typed) - Number(a.label.toLowerCase() === typed) ||
        a.help.localeCompare(b.help, 'en'),
    );
}

/** The collections with a word that begins with the typed text, in quotes unless the name is one word. */
function named(collections: readonly string[], typed: string): Choice[] {
  return collections
    .filter((name) => {
      const plain = name.toLowerCase();
      return (
        plain.startsWith(typed) ||
        plain.split(/[^\p{L}\p{N}_]+/u).some((word) => word.startsWith(typed))
      );
    })
    .map((name) => ({
      label: inValue(name),
      help: 'Posts of this collection',
    }));
}

/**
 * The completions at a position of a query: operators, signs, and the values of operators with a list.
 *
 * @param at - The caret, in UTF-16 units.
 * @param explicit - Whether the user requested choices; otherwise they appear only for a partly typed
 *   operator.
 * @param nameOf - Name of a language, by which it is found too.
 * @param collections - Names for `in:`; without any, it is not offered.
 * @returns The choices in the order to list them, or null if there are none.
 */
export function complete(
  text: string,
  at: number,
  explicit: boolean,
  nameOf: (code: string) => string | undefined,
  collections: readonly string[] = [],
): Choices | null {
  const spot = spotAt(text, at);
  if (!spot) return null;
  const { from, to, typed, negated, operator } = spot;
  const offer = (all: readonly Choice[]): Choices | null => {
    // Text that is already there is not a choice.
    const list = all.filter(({ label }) => label !== text.slice(from, to));
    return list.length > 0 ? { from, to, list } : null;
  };
  const begins = ({ label }: Choice): boolean => label.toLowerCase().startsWith(typed);
  if (operator === 'lang') return offer(languages(typed, nameOf));
  if (operator === 'in') return offer(named(collections, typed));
  if (operator !== null) {
    const fits = (VALUES[operator] ?? []).filter(begins);
    return offer(fits.filter(({ label }) => label !== 'nullcast' || negated));
  }
  if (!explicit && typed.length < MIN_TYPED) return null;
  const operators = Object.entries(OPERATOR_HELP)
    .filter(([name]) => OPERATORS.get(name)?.products.includes('all') === true)
    .filter(([name]) => name !== 'in' || collections.length > 0)
    .map(([name, help]): Choice => {
      const leadsOn = name === 'lang' || name === 'in' || Object.hasOwn(VALUES, name);
      return { label: `${name}:`, help, leadsOn };
    });
  const signs = negated ? SIGNS.filter(({ label }) => !/^(?:OR|-|\()/.test(label)) : SIGNS;
  return offer([...(typed === '' || !negated ? signs : []), ...operators].filter(begins));
}

/** True if a typed word may be meant literally, although an operator begins with it: `place`, `list`. */
export function isWholeWord(text: string, { from, list }: Choices, at: number): boolean {
  const typed = text.slice(from, at).toLowerCase();
  return list.some(({ label }) => label.toLowerCase().replace(':', '') === typed);
}
