import { MIN_ACCOUNTS } from '#contract/links/view-link.ts';
import { overlap } from '#core/query/compose.ts';
import type { Span } from '#core/time/span.ts';
import type { CausesAnswer } from '#contract/counts/breakdown-answers.ts';

type Causes = CausesAnswer['data'];
type Cause = Causes['groups'][number];

/** The kinds of causes that are accounts, or name one. */
const ACCOUNTS: ReadonlySet<string> = new Set(['repost', 'account']);
/** Addresses on the platform itself name the account of a Post. */
const NAMES_ACCOUNT = /^(?:(?:www|mobile)\.)?(?:x|twitter)\.com\/|@\w/i;

/** Causes without some, whose Posts are among everything else. */
function withoutSome(causes: Causes, hidden: ReadonlySet<Cause>): Causes {
  const gone = causes.groups.filter((group) => hidden.has(group));
  const usual = gone.reduce<number | null>(
    (sum, group) => (sum === null || group.usual === null ? null : sum + group.usual),
    causes.rest.usual,
  );
  return {
    ...causes,
    groups: causes.groups.filter((group) => !hidden.has(group)),
    missing: causes.missing.filter((group) => !hidden.has(group)),
    rest: { posts: gone.reduce((sum, { posts }) => sum + posts, causes.rest.posts), usual },
  };
}

/**
 * The causes that a view without Posts shows: none that would name an account or quote a few.
 *
 * @param accountsOf - The number of different accounts of the Posts of a query in a span.
 */
export async function anonymousCauses(
  causes: Causes,
  { query, span, compared }: { query: string; span: Span; compared: Span },
  accountsOf: (query: string, span: Span) => Promise<number>,
): Promise<Causes> {
  const few = new Set<Cause>();
  for (const [groups, time] of [
    [causes.groups, span],
    [causes.missing, compared],
  ] as const) {
    for (const group of groups) {
      const both = overlap(query, group.clause, { limit: Infinity });
      const isNamed = ACCOUNTS.has(group.kind) || NAMES_ACCOUNT.test(group.name);
      const accounts = isNamed || !both.ok ? 0 : await accountsOf(both.text, time);
      if (accounts < MIN_ACCOUNTS) few.add(group);
    }
  }
  return withoutSome(causes, few);
}
