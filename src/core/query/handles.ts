import type { Condition } from './ast.ts';

/** The accounts of a username, where usernames have changed. */
export interface HandleOwners {
  /** Id of the account that has it now; null if none has. */
  readonly holder: string | null;
  /** Ids of the accounts that had it and now have another one. */
  readonly former: readonly string[];
}

/**
 * Finds the Posts of a term such as `from:ann` by who has the username now: also those from before the holder had it, and
 * none of those who gave it up. A Post without an id of the account is found by the username that it states.
 *
 * @param operator - One whose terms name users both by username and by id: `from`, `to` or `retweets_of`.
 * @param name - Folded.
 */
export function byHandle(
  operator: string,
  name: string,
  owners: HandleOwners | undefined,
): Condition {
  const term = (value: string): Condition => ({ kind: 'term', term: `${operator}:${value}` });
  if (!owners) return term(name);
  const { holder, former } = owners;
  const found: Condition =
    holder === null ? term(name) : { kind: 'any', of: [term(name), term(holder)] };
  if (former.length === 0) return found;
  const not: Condition = { kind: 'not', of: { kind: 'any', of: former.map(term) } };
  return { kind: 'all', of: [found, not] };
}
