/** The two kinds of counts endpoint; an operator may be known to one alone. */
export type Product = 'recent' | 'all';

/** A value as written, with the mend where there is a plain one. */
export type Verdict =
  | { readonly ok: true; readonly value: string }
  | {
      readonly ok: false;
      readonly message: string;
      readonly mend?: string;
      /** Where in the value the fault is, if at one character. */
      readonly offset?: number;
    };

/** One named operator. A new operator is one more row of {@link OPERATORS}. */
export interface Operator {
  readonly name: string;
  /** False: needs another clause beside it (conjunction required). */
  readonly standalone: boolean;
  readonly products: readonly Product[];
  /** How its value is compared: `exact` with the Post's own field, folded; `url` by tokens. */
  readonly matches: 'exact' | 'url';
  /** Checks the value and names its one accepted spelling. */
  readonly check: (value: string, quoted: boolean) => Verdict;
  /** Plain words, for `explain`. */
  readonly say: (value: string) => string;
}

const BOTH: readonly Product[] = ['recent', 'all'];

/** Wording recorded from the platform (platform-facts 2.6). */
export function invalidOperator(name: string): string {
  return `Reference to invalid operator '${name}'. Operator is not available in current product or product packaging. Please refer to complete available operator list at http://t.co/operators.`;
}

/**
 * A username has at most 15 characters today and had up to 20 in the first years; a numeric id has at most 19 digits
 * (platform-facts 1.7: `^[0-9]{1,19}$`), so both are one shape.
 */
const USER = /^[a-z0-9_]{1,20}$/i;

function user(value: string): Verdict {
  if (USER.test(value)) return { ok: true, value };
  const bare = value.replace(/^[@\uff20]/, '');
  return {
    ok: false,
    message: `Invalid username or user id '${value}': expected letters, digits and underscores, without @`,
    ...(bare !== value && USER.test(bare) ? { mend: bare } : {}),
  };
}

function account(value: string): string {
  return /^[0-9]+$/.test(value) ? `account ${value}` : `@${value}`;
}

function language(value: string): Verdict {
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(value)) return { ok: true, value };
  return {
    ok: false,
    message: `Invalid language '${value}': expected one BCP 47 code such as en, pt or zh-TW`,
  };
}

function id(value: string): Verdict {
  if (/^[0-9]{1,19}$/.test(value)) return { ok: true, value };
  return { ok: false, message: `Invalid id '${value}': expected 1 to 19 digits` };
}

function address(value: string, quoted: boolean): Verdict {
  const odd = /[^\p{L}\p{N}\p{M}_]/u.exec(value);
  if (!/[\p{L}\p{N}_]/u.test(value)) {
    return {
      ok: false,
      message: `Invalid url '${value}': expected a word, or an address in quotes`,
    };
  }
  if (odd === null || quoted) return { ok: true, value };
  return {
    ok: false,
    message: `no viable alternative at character '${odd[0]}'`,
    mend: `"${value}"`,
    offset: odd.index,
  };
}

/** A value from a fixed list; the list maps each spelling to its one name. */
function choice(name: string, spellings: Readonly<Record<string, string>>) {
  const known = new Map(Object.entries(spellings));
  return (value: string): Verdict => {
    const found = known.get(value.toLowerCase());
    if (found !== undefined) return { ok: true, value: found };
    return { ok: false, message: invalidOperator(`${name}:${value}`) };
  };
}

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
    name: 'url',
    standalone: true,
    products: BOTH,
    matches: 'url',
    check: address,
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
