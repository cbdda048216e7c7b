import type { Breakdown, Related } from '#app/api/breakdown-api.ts';
import { countryName, languageName } from '#app/editor/language-names.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { account } from '#core/query/values.ts';
import { webAddress } from '#core/text/web-address.ts';

/** A line of a list: its name, its part of the Posts, and the part of a query that selects its Posts. */
export interface BreakdownLine {
  readonly name: string;
  /** Figures, a few words. */
  readonly text: string;
  readonly clause: string;
  /** True if the clause is a query by itself. */
  readonly alone: boolean;
  /** The page that the line names, if it names one that can be opened. */
  readonly href?: string | null;
}

export interface BreakdownList {
  readonly heading: string;
  /** A sentence above the list; empty for none. */
  readonly lead: string;
  readonly lines: readonly BreakdownLine[];
}

const KIND_WORDS = {
  original: 'Originals',
  repost: 'Reposts',
  reply: 'Replies',
  quote: 'Quotes',
  media: 'With media',
  links: 'With links',
} as const;

const KINDS_HEADING = 'Kinds of Posts';
const UNKNOWN_WORDS = { repost: 'reposts', reply: 'replies', quote: 'quotes' } as const;

/** The kinds that the imports left open, and the number of Posts concerned; empty if none. */
function openKinds({ kinds, posts }: Breakdown, format: Formatter): string {
  const byCount = new Map<number, string[]>();
  for (const { name, unknown } of kinds) {
    if (unknown === 0 || !(name in UNKNOWN_WORDS)) continue;
    const word = UNKNOWN_WORDS[name as keyof typeof UNKNOWN_WORDS];
    byCount.set(unknown, [...(byCount.get(unknown) ?? []), word]);
  }
  const list = new Intl.ListFormat('en', { type: 'disjunction' });
  return [...byCount]
    .map(([unknown, names]) =>
      unknown === posts
        ? `The files do not say which Posts are ${list.format(names)}.`
        : `The files do not say whether ${format.count(unknown)} of these Posts are ${list.format(names)}.`,
    )
    .join(' ');
}

/** One account with at least this share of the Posts is worth a sentence. */
const DOMINANT = 0.1;

function followersText(count: number, format: Formatter): string {
  return format.counted(count, 'follower');
}

function whoLead({ authors, posts }: Breakdown, format: Formatter): string {
  const [first] = authors.items;
  const accounts = format.counted(authors.distinct, 'account');
  if (!first || posts === 0 || first.share < DOMINANT || authors.distinct === 1)
    return `${accounts}.`;
  return `${accounts}. One of them wrote ${format.share(first.share)} of these Posts.`;
}

function lineOf(
  { name, clause, alone }: Omit<BreakdownLine, 'text'>,
  text: string,
  shown = name,
): BreakdownLine {
  return { name: shown, text, clause, alone };
}

const withLines = (lists: readonly BreakdownList[]): BreakdownList[] =>
  lists.filter(({ lines }) => lines.length > 0);

/** The items that occur with a query, each with its share, and how many times that of the other Posts it is. */
export function relatedLists(data: Related, format: Formatter): BreakdownList[] {
  const lines = (list: Related['words']): BreakdownLine[] =>
    list.map((term) => {
      const { posts, share, expected } = term;
      const times =
        expected === null || expected < 0.5
          ? 'almost only here'
          : `${format.mean(posts / expected)}× as often`;
      return lineOf(term, `${format.share(share)} · ${times}`);
    });
  return withLines([
    { heading: 'Words', lead: '', lines: lines(data.words) },
    { heading: 'Phrases', lead: '', lines: lines(data.phrases) },
    { heading: 'Hashtags', lead: '', lines: lines(data.hashtags) },
    { heading: 'Cashtags', lead: '', lines: lines(data.cashtags) },
    { heading: 'Emoji', lead: '', lines: lines(data.emoji) },
  ]);
}

/** The lists of a breakdown that have something to say, as the drawer shows them. */
export function breakdownLists(data: Breakdown, format: Formatter): BreakdownList[] {
  const line = (
    item: Omit<BreakdownLine, 'text'> & { readonly share: number },
    more = '',
    shown = item.name,
  ): BreakdownLine =>
    lineOf(
      item,
      more === '' ? format.share(item.share) : `${format.share(item.share)} · ${more}`,
      shown,
    );
  const times = (posts: number, expected: number | null): string => {
    if (expected === null) return '';
    return expected < 0.5 ? 'new' : `${format.mean(posts / expected)}× the time before`;
  };
  const compared = (list: Breakdown['words']): BreakdownLine[] =>
    list.map((each) =>
      line(each, each.likelihood === null ? '' : times(each.posts, each.expected)),
    );
  const plain = (list: Breakdown['domains']): BreakdownLine[] => list.map((each) => line(each));
  const linked = (list: readonly (Breakdown['domains'][number] & { url?: string })[]) =>
    list.map((each) => ({ ...line(each), href: webAddress(each.url ?? each.name) }));
  const lists: BreakdownList[] = [
    {
      heading: 'Who',
      lead: whoLead(data, format),
      lines: data.authors.items.map((author) =>
        line(
          author,
          author.followers === null ? '' : followersText(author.followers, format),
          account(author.name),
        ),
      ),
    },
    { heading: 'Distinctive words', lead: '', lines: compared(data.words) },
    { heading: 'Distinctive phrases', lead: '', lines: compared(data.phrases) },
    { heading: 'Hashtags', lead: '', lines: compared(data.hashtags) },
    { heading: 'Cashtags', lead: '', lines: compared(data.cashtags) },
    { heading: 'Emoji', lead: '', lines: compared(data.emoji) },
    { heading: 'Sites', lead: '', lines: linked(data.domains) },
    { heading: 'Links', lead: '', lines: linked(data.addresses) },
    {
      heading: 'Languages',
      lead: '',
      lines: data.languages.map((language) =>
        line(language, '', languageName(language.name) ?? language.name),
      ),
    },
    {
      heading: 'Countries',
      lead: '',
      lines: data.countries.map((country) =>
        line(country, '', countryName(country.name.toUpperCase()) ?? country.name),
      ),
    },
    { heading: 'Places', lead: '', lines: plain(data.places) },
    {
      heading: KINDS_HEADING,
      lead: openKinds(data, format),
      lines: data.kinds
        .filter(({ posts }) => posts > 0)
        .map((kind) => line(kind, '', KIND_WORDS[kind.name])),
    },
  ];
  return lists.filter(
    ({ lines, lead, heading }) => lines.length > 0 || (heading === KINDS_HEADING && lead !== ''),
  );
}
