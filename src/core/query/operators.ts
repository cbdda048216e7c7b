import type { CountsEndpoint } from '#core/counts/endpoint.ts';
import { describeArea, box, circle } from './area-value.ts';
import {
  account,
  amount,
  annotation,
  choice,
  country,
  postId,
  language,
  quotedText,
  user,
  wording,
  type Verdict,
} from './values.ts';

/** One named operator. To add an operator, add a row to {@link ROWS}. */
export interface Operator {
  readonly name: string;
  /** False: needs another clause (conjunction required). */
  readonly standalone: boolean;
  readonly products: readonly CountsEndpoint[];
  /**
   * The way its value is compared: `exact` with the Post's own field, folded; `url` by tokens; `least` with
   * a number; `area` on the map; `members` with the members of a list; `collection` with the collections of Your posts.
   */
  readonly matches: 'exact' | 'url' | 'least' | 'area' | 'members' | 'collection';
  /** True if its canonical text has quotes; never by default. */
  readonly quotes?: 'unless-run' | 'always';
  /** True if only Your posts have it: the platform's language does not. */
  readonly own?: boolean;
  /** True if a query may contain it only once. */
  readonly once?: boolean;
  /** True if only posting decides if a Post meets it; or the values for which that is so. */
  readonly outside?: true | readonly string[];
  /** Checks the value and returns its canonical spelling. */
  readonly check: (value: string, quoted: boolean) => Verdict;
  /** Plain words, for `explain`. */
  readonly describe: (value: string, names: Names) => Predicate;
}

/** A row of the table. Members it omits are those of an operator that matches exactly, may stand alone, and works at both endpoints. */
type OperatorRow = Pick<Operator, 'name' | 'check' | 'describe'> & Partial<Operator>;

/** The operator of a row. */
export function operatorOf(row: OperatorRow): Operator {
  return { standalone: true, products: ['recent', 'all'], matches: 'exact', ...row };
}

/** Names in the reader's language; the code itself if there is none. */
export interface Names {
  readonly language: (code: string) => string;
  readonly country: (code: string) => string;
}

/** The action or state of the Posts that a clause finds: `are by @nasa`, `have links`, `mention @nasa`. */
export interface Predicate {
  /** In the plural. A sentence turns `are` and `have` into `Posts by @nasa`, `Posts with links`. */
  readonly verb: string;
  /** A word that several objects share: `by @nasa or @esa`. */
  readonly lead?: string;
  readonly object: string;
  /** The object of a negated `have`: `no links`. */
  readonly lack?: string;
  /** The object of a single Post, if it differs: `a reply`. */
  readonly single?: string;
}

const are = (lead: string, object: string): Predicate => ({ verb: 'are', lead, object });

/** Values of `is:`, each with its canonical name. */
export const IS: Readonly<Record<string, string>> = {
  retweet: 'retweet',
  reply: 'reply',
  quote: 'quote',
  verified: 'verified',
  nullcast: 'nullcast',
};

/** Values of `has:`, with aliases (platform-facts 2.1). */
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

/** Words for values of `has:` that are not plain English. */
const PARTS: Readonly<Record<string, string>> = { video_link: 'videos', geo: 'a place' };

const KINDS: Readonly<Record<string, Predicate>> = {
  retweet: { verb: 'are', object: 'reposts', single: 'a repost' },
  reply: { verb: 'are', object: 'replies', single: 'a reply' },
  quote: { verb: 'are', object: 'quotes', single: 'a quote' },
  verified: { ...are('by', 'verified accounts'), single: 'a verified account' },
  nullcast: { verb: 'are', object: 'shown only as advertisements' },
};

const atLeast =
  (what: string) =>
  (value: string): Predicate => ({
    verb: 'have',
    object: `at least ${value} ${what}`,
    lack: `fewer than ${value} ${what}`,
  });

const thePost =
  (verb: string) =>
  (value: string): Predicate => ({
    verb,
    object: `the Post ${value}`,
  });

const ROWS: readonly OperatorRow[] = [
  {
    name: 'from',
    outside: true,
    check: user,
    describe: (value) => are('by', account(value)),
  },
  {
    name: 'to',
    check: user,
    describe: (value) => ({ verb: 'reply to', object: account(value) }),
  },
  {
    name: 'retweets_of',
    check: user,
    describe: (value) => ({ verb: 'repost', object: account(value) }),
  },
  {
    name: 'url',
    matches: 'url',
    check: wording('url', 'a word, or an address in quotes'),
    quotes: 'unless-run',
    describe: (value) => ({
      verb: 'have',
      object: `“${value}” in a link`,
      lack: `no “${value}” in a link`,
    }),
  },
  {
    name: 'conversation_id',
    check: postId,
    describe: (value) => are('in', `the conversation ${value}`),
  },
  {
    name: 'in_reply_to_tweet_id',
    check: postId,
    describe: thePost('reply to'),
  },
  {
    name: 'retweets_of_tweet_id',
    check: postId,
    describe: thePost('repost'),
  },
  {
    name: 'quotes_of_tweet_id',
    check: postId,
    describe: thePost('quote'),
  },
  {
    name: 'list',
    matches: 'members',
    outside: true,
    check: postId,
    once: true,
    describe: (value) => are('by', `members of the list ${value}`),
  },
  {
    name: 'in',
    matches: 'collection',
    outside: true,
    check: wording('collection', 'its name; more than a word in quotes'),
    quotes: 'unless-run',
    own: true,
    describe: (value) => are('in', `the collection “${value}”`),
  },
  {
    name: 'context',
    outside: true,
    check: annotation,
    describe: (value) => are('about', `the topic ${value}`),
  },
  {
    name: 'entity',
    products: ['recent'],
    outside: true,
    check: quotedText,
    quotes: 'always',
    describe: (value) => ({ verb: 'name', object: `“${value}”` }),
  },
  {
    name: 'place',
    outside: true,
    check: wording('place', 'a name or id; more than a word in quotes'),
    quotes: 'unless-run',
    describe: (value) => are('from', `the place “${value}”`),
  },
  {
    name: 'place_country',
    outside: true,
    check: country,
    describe: (value, names) => are('from', names.country(value.toUpperCase())),
  },
  {
    name: 'point_radius',
    matches: 'area',
    outside: true,
    check: circle,
    describe: (value) => are('within', describeArea(value)),
  },
  {
    name: 'bounding_box',
    matches: 'area',
    outside: true,
    check: box,
    describe: (value) => are('within', describeArea(value)),
  },
  {
    name: 'min_likes',
    matches: 'least',
    outside: true,
    check: amount,
    describe: atLeast('likes'),
  },
  {
    name: 'min_replies',
    matches: 'least',
    outside: true,
    check: amount,
    describe: atLeast('replies'),
  },
  {
    name: 'min_reposts',
    matches: 'least',
    outside: true,
    check: amount,
    describe: atLeast('reposts'),
  },
  {
    name: 'lang',
    standalone: false,
    outside: true,
    check: language,
    describe: (value, names) => are('in', names.language(value)),
  },
  {
    name: 'is',
    standalone: false,
    outside: ['verified'],
    check: choice('is', IS),
    describe: (value) => KINDS[value] ?? { verb: 'are', object: value },
  },
  {
    name: 'has',
    standalone: false,
    outside: ['links', 'media', 'images', 'video_link', 'geo'],
    check: choice('has', HAS),
    describe: (value) => {
      const object = PARTS[value] ?? value;
      return { verb: 'have', object, lack: `no ${object.replace(/^a /, '')}` };
    },
  },
];

/** Operators by the name before the colon. */
export type Operators = ReadonlyMap<string, Operator>;

/** Every named operator that this service answers, by name. */
export const OPERATORS: Operators = new Map(ROWS.map((row) => [row.name, operatorOf(row)]));

/** Other names of operators (platform-facts 2.1). */
export const ALIASES: ReadonlyMap<string, string> = new Map([['geo_bounding_box', 'bounding_box']]);

/** Operators of the platform's own website only, with the one meant. */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['min_faves', 'min_likes'],
  ['min_retweets', 'min_reposts'],
]);
