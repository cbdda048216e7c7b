import { areaSay, box, circle } from './area-value.ts';
import {
  account,
  amount,
  annotation,
  choice,
  country,
  id,
  language,
  quotedText,
  user,
  wording,
} from './values.ts';
import type { Verdict } from './values.ts';

/** The two kinds of counts endpoint; an operator may be known to one alone. */
export type Product = 'recent' | 'all';

/** One named operator. A new operator is one more row of {@link OPERATORS}. */
export interface Operator {
  readonly name: string;
  /** False: needs another clause beside it (conjunction required). */
  readonly standalone: boolean;
  readonly products: readonly Product[];
  /**
   * How its value is compared: `exact` with the Post's own field, folded; `url` by tokens; `least` with a
   * number; `area` on the map; `members` by who is on a list.
   */
  readonly matches: 'exact' | 'url' | 'least' | 'area' | 'members';
  /** Whether its canonical text has quotes; never unless said. */
  readonly quotes?: 'unless-run' | 'always';
  /** Whether a query may have it only once. */
  readonly once?: boolean;
  /** Checks the value and names its one accepted spelling. */
  readonly check: (value: string, quoted: boolean) => Verdict;
  /** Plain words, for `explain`. */
  readonly say: (value: string) => string;
}

const BOTH: readonly Product[] = ['recent', 'all'];
const RECENT: readonly Product[] = ['recent'];

const IS: Readonly<Record<string, string>> = {
  retweet: 'retweet',
  reply: 'reply',
  quote: 'quote',
  verified: 'verified',
  nullcast: 'nullcast',
};

/** Aliases by platform-facts 2.1. */
const HAS: Readonly<Record<string, string>> = {
  hashtags: 'hashtags',
  links: 'links',
  mentions: 'mentions',
  media: 'media',
  media_link: 'media',
  images: 'images',
  video_link: 'video_link',
  videos: 'video_link',
  cashtags: 'cashtags',
  geo: 'geo',
};

const KINDS: Readonly<Record<string, string>> = {
  retweet: 'a repost',
  reply: 'a reply',
  quote: 'a quote',
  verified: 'by a verified account',
  nullcast: 'shown only as an advertisement',
};

const rows: readonly Operator[] = [
  {
    name: 'from',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => `by ${account(value)}`,
  },
  {
    name: 'to',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => `in reply to ${account(value)}`,
  },
  {
    name: 'retweets_of',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => `a repost of ${account(value)}`,
  },
  {
    name: 'url',
    standalone: true,
    products: BOTH,
    matches: 'url',
    check: wording('url', 'a word, or an address in quotes'),
    quotes: 'unless-run',
    say: (value) => `with “${value}” in a link`,
  },
  {
    name: 'conversation_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: (value) => `in the conversation ${value}`,
  },
  {
    name: 'in_reply_to_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: (value) => `in reply to the Post ${value}`,
  },
  {
    name: 'retweets_of_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: (value) => `a repost of the Post ${value}`,
  },
  {
    name: 'quotes_of_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: (value) => `a quote of the Post ${value}`,
  },
  {
    name: 'list',
    standalone: true,
    products: BOTH,
    matches: 'members',
    check: id,
    once: true,
    say: (value) => `by a member of the list ${value}`,
  },
  {
    name: 'context',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: annotation,
    say: (value) => `about the topic ${value}`,
  },
  {
    name: 'entity',
    standalone: true,
    products: RECENT,
    matches: 'exact',
    check: quotedText,
    quotes: 'always',
    say: (value) => `that names “${value}”`,
  },
  {
    name: 'place',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: wording('place', 'a name or id; more than a word in quotes'),
    quotes: 'unless-run',
    say: (value) => `from the place “${value}”`,
  },
  {
    name: 'place_country',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: country,
    say: (value) => `from the country ${value.toUpperCase()}`,
  },
  {
    name: 'point_radius',
    standalone: true,
    products: BOTH,
    matches: 'area',
    check: circle,
    say: areaSay,
  },
  {
    name: 'bounding_box',
    standalone: true,
    products: BOTH,
    matches: 'area',
    check: box,
    say: areaSay,
  },
  {
    name: 'min_likes',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: (value) => `with at least ${value} likes`,
  },
  {
    name: 'min_replies',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: (value) => `with at least ${value} replies`,
  },
  {
    name: 'min_reposts',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: (value) => `with at least ${value} reposts`,
  },
  {
    name: 'lang',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: language,
    say: (value) => `in the language ${value}`,
  },
  {
    name: 'is',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: choice('is', IS),
    say: (value) => KINDS[value] ?? value,
  },
  {
    name: 'has',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: choice('has', HAS),
    say: (value) => `with ${value === 'video_link' ? 'video' : value}`,
  },
];

/** Every named operator that this service answers, by name. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map(rows.map((row) => [row.name, row]));

/** Other names of operators (platform-facts 2.1). */
export const ALIASES: ReadonlyMap<string, string> = new Map([['geo_bounding_box', 'bounding_box']]);

/** Names that only the platform's own website knows, with the operator that is meant. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['min_faves', 'min_likes'],
  ['min_retweets', 'min_reposts'],
]);
