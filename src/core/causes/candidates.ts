import { clauseFor, readPart } from '#core/query/clause.ts';
import { condition } from '#core/query/condition.ts';
import { match } from '#core/query/match.ts';
import { breakdownOfPosts } from '#core/query/posts-breakdown.ts';
import type { PostTerms } from '#core/text/post.ts';
import { addPost, leastOf, emptyPostSet, type Candidate, type CauseKind } from './causes.ts';

type Term = Pick<Candidate, 'kind' | 'name' | 'clause' | 'alone'>;
type Items = readonly (Omit<Term, 'kind'> & { readonly posts: number })[];

/** The lists of a breakdown whose items may be causes. */
interface Lists {
  readonly authors: { readonly items: Items };
  readonly words: Items;
  readonly phrases: Items;
  readonly hashtags: Items;
  readonly cashtags: Items;
  readonly domains: Items;
  readonly addresses: Items;
}

/** The items of each list of a breakdown that may be causes. */
export const MOST_CANDIDATES = 30;

/** The prefix of the terms of reposts, which end with the account or its id. */
const REPOST = 'retweets_of:';

/** The accounts whose reposts are counted. */
const MOST_REPOSTED = 10;

/** The accounts by name that some Posts repost most often. */
export function repostedBy(posts: Iterable<PostTerms>): string[] {
  const names = new Map<string, number>();
  for (const { flags } of posts) {
    for (const flag of flags) {
      const name = flag.startsWith(REPOST) ? flag.slice(REPOST.length) : '';
      if (/\D/.test(name)) names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  return [...names]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_REPOSTED)
    .map(([name]) => name);
}

/**
 * The terms that may be causes of Posts: those of their breakdown, and reposts of accounts by name.
 *
 * @param n - All Posts.
 */
export function causeTerms(
  { authors, words, phrases, hashtags, cashtags, domains, addresses }: Lists,
  reposted: readonly string[],
  n: number,
): Term[] {
  const of = (kind: CauseKind, items: Items): Term[] =>
    items
      .filter(({ posts }) => posts >= leastOf(n))
      .map(({ name, clause, alone }) => ({ kind, name, clause, alone }));
  const reposts = reposted.flatMap((name) => {
    const part = clauseFor('retweets_of', name, { kind: 'term', term: REPOST + name });
    return part ? [{ kind: 'repost' as const, name, clause: part.text, alone: part.alone }] : [];
  });
  return [
    ...reposts,
    ...of('tag', [...hashtags, ...cashtags]),
    ...of('link', [...domains, ...addresses]),
    ...of('phrase', phrases),
    ...of('word', words),
    ...of('account', authors.items),
  ];
}

/**
 * The candidates among Posts that were read.
 *
 * @param asked - Words of the query, which are no cause.
 */
export function candidatesOfPosts(
  now: readonly PostTerms[],
  before: readonly PostTerms[],
  asked: ReadonlySet<string>,
): Candidate[] {
  const breakdown = breakdownOfPosts(now, before, asked, MOST_CANDIDATES);
  return causeTerms(breakdown, repostedBy(now), now.length).flatMap((term) => {
    const part = readPart(term.clause);
    if (!part) return [];
    const wanted = condition(part.ast);
    const having = (all: readonly PostTerms[]): Uint32Array => {
      const posts = emptyPostSet(all.length);
      for (const [i, terms] of all.entries()) if (match(wanted, terms)) addPost(posts, i);
      return posts;
    };
    return [{ ...term, posts: having(now), before: having(before) }];
  });
}
