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
  readonly say: (value: string, names: Names) => Saying;
}

/** Names in the reader's language; the code itself where there is none. */
export interface Names {
  readonly language: (code: string) => string;
  readonly country: (code: string) => string;
}

/** What Posts do that a clause finds: `are by @nasa`, `have links`, `mention @nasa`. */
export interface Saying {
  /** In the plural. Of `are` and `have` a sentence makes `Posts by @nasa`, `Posts with links`. */
  readonly verb: string;
  /** A word before the object that several objects share: `by @nasa or @esa`. */
  readonly lead?: string;
  readonly object: string;
  /** Of `have`: the object of Posts that do not: `no links`. */
  readonly lack?: string;
}

const are = (lead: string, object: string): Saying => ({ verb: 'are', lead, object });

const BOTH: readonly Product[] = ['recent', 'all'];
const RECENT: readonly Product[] = ['recent'];

/** What may stand after `is:`, each spelling with its one name. */
export const IS: Readonly<Record<string, string>> = {
  retweet: 'retweet',
  reply: 'reply',
  quote: 'quote',
  verified: 'verified',
  nullcast: 'nullcast',
};

/** Aliases by platform-facts 2.1. */
/** What may stand after `has:`. */
export const HAS: Readonly<Record<string, string>> = {
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

/** What `has:` finds, where its value is not the word for it. */
const PARTS: Readonly<Record<string, string>> = { video_link: 'videos', geo: 'a place' };

const KINDS: Readonly<Record<string, Saying>> = {
  retweet: { verb: 'are', object: 'reposts' },
  reply: { verb: 'are', object: 'replies' },
  quote: { verb: 'are', object: 'quotes' },
  verified: are('by', 'verified accounts'),
  nullcast: { verb: 'are', object: 'shown only as advertisements' },
};

const atLeast =
  (what: string) =>
  (value: string): Saying => ({
    verb: 'have',
    object: `at least ${value} ${what}`,
    lack: `fewer than ${value} ${what}`,
  });

const thePost =
  (verb: string) =>
  (value: string): Saying => ({
    verb,
    object: `the Post ${value}`,
  });

const rows: readonly Operator[] = [
  {
    name: 'from',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => are('by', account(value)),
  },
  {
    name: 'to',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => ({ verb: 'reply to', object: account(value) }),
  },
  {
    name: 'retweets_of',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: user,
    say: (value) => ({ verb: 'repost', object: account(value) }),
  },
  {
    name: 'url',
    standalone: true,
    products: BOTH,
    matches: 'url',
    check: wording('url', 'a word, or an address in quotes'),
    quotes: 'unless-run',
    say: (value) => ({
      verb: 'have',
      object: `“${value}” in a link`,
      lack: `no “${value}” in a link`,
    }),
  },
  {
    name: 'conversation_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: (value) => are('in', `the conversation ${value}`),
  },
  {
    name: 'in_reply_to_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: thePost('reply to'),
  },
  {
    name: 'retweets_of_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: thePost('repost'),
  },
  {
    name: 'quotes_of_tweet_id',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: id,
    say: thePost('quote'),
  },
  {
    name: 'list',
    standalone: true,
    products: BOTH,
    matches: 'members',
    check: id,
    once: true,
    say: (value) => are('by', `members of the list ${value}`),
  },
  {
    name: 'context',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: annotation,
    say: (value) => are('about', `the topic ${value}`),
  },
  {
    name: 'entity',
    standalone: true,
    products: RECENT,
    matches: 'exact',
    check: quotedText,
    quotes: 'always',
    say: (value) => ({ verb: 'name', object: `“${value}”` }),
  },
  {
    name: 'place',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: wording('place', 'a name or id; more than a word in quotes'),
    quotes: 'unless-run',
    say: (value) => are('from', `the place “${value}”`),
  },
  {
    name: 'place_country',
    standalone: true,
    products: BOTH,
    matches: 'exact',
    check: country,
    say: (value, names) => are('from', names.country(value.toUpperCase())),
  },
  {
    name: 'point_radius',
    standalone: true,
    products: BOTH,
    matches: 'area',
    check: circle,
    say: (value) => are('within', areaSay(value)),
  },
  {
    name: 'bounding_box',
    standalone: true,
    products: BOTH,
    matches: 'area',
    check: box,
    say: (value) => are('within', areaSay(value)),
  },
  {
    name: 'min_likes',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: atLeast('likes'),
  },
  {
    name: 'min_replies',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: atLeast('replies'),
  },
  {
    name: 'min_reposts',
    standalone: true,
    products: BOTH,
    matches: 'least',
    check: amount,
    say: atLeast('reposts'),
  },
  {
    name: 'lang',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: language,
    say: (value, names) => are('in', names.language(value)),
  },
  {
    name: 'is',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: choice('is', IS),
    say: (value) => KINDS[value] ?? { verb: 'are', object: value },
  },
  {
    name: 'has',
    standalone: false,
    products: BOTH,
    matches: 'exact',
    check: choice('has', HAS),
    say: (value) => {
      const object = PARTS[value] ?? value;
      return { verb: 'have', object, lack: `no ${object.replace(/^a /, '')}` };
    },
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
