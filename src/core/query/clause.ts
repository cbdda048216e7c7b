import type { Ast, Condition } from './ast.ts';
import { condition } from './condition.ts';
import { write } from './format.ts';
import { UNKNOWN_KINDS } from '#core/text/terms.ts';
import { tokens } from '#core/text/tokens.ts';
import { parse } from './parse.ts';

/** A clause that any other may be added to: some clauses are no query by themselves. */
const ANY = 'x';

/** A part of a query as text, such as `lang:en` or `-is:retweet -is:reply`. */
export interface QueryPart {
  readonly text: string;
  readonly ast: Ast;
  /** True if it is a query by itself. */
  readonly alone: boolean;
}

/**
 * Reads a part of a query, which need not be one by itself: `overlap(query, part.ast)` filters by it, and
 * `difference(query, part.ast)` leaves it out.
 *
 * @returns null if it cannot be part of a query.
 */
export function readPart(text: string): QueryPart | null {
  const parsed = parse(`${ANY} ${text}`);
  if (!parsed.ok || parsed.ast.kind !== 'and') return null;
  const [first, ...rest] = parsed.ast.of;
  const [only] = rest;
  if (first?.kind !== 'clause' || first.value !== ANY || !only) return null;
  const ast: Ast = rest.length === 1 ? only : { ...parsed.ast, of: rest };
  return { text, ast, alone: parse(text).ok };
}

/**
 * Writes a clause that means exactly a condition.
 *
 * @param operator - As in `Clause`.
 * @returns null if the language has no such clause, as for a value with characters that it refuses.
 */
export function clauseFor(operator: string, value: string, wanted: Condition): QueryPart | null {
  const made = { kind: 'clause', operator, value, negated: false, at: 0, length: 0 } as const;
  const part = readPart(write(made));
  if (!part) return null;
  return JSON.stringify(condition(part.ast)) === JSON.stringify(wanted) ? part : null;
}

/** The clause that finds an address by its words in sequence; null if there is none. */
export function urlClause(address: string): QueryPart | null {
  const words = tokens(address);
  const [only = ''] = words;
  return clauseFor(
    'url',
    address,
    words.length === 1
      ? { kind: 'term', term: `url:${only}` }
      : { kind: 'phrase', field: 'url', tokens: words },
  );
}

/** The terms of Posts that may be of a kind, or not: their import did not say it. */
export function unknownKind(kind: keyof typeof KIND_CLAUSES): readonly string[] {
  if (kind === 'original') return Object.values(UNKNOWN_KINDS);
  return kind === 'media' || kind === 'links' ? [] : [UNKNOWN_KINDS[kind]];
}

/** The clauses of each kind of Posts; a Post may be of several kinds. */
export const KIND_CLAUSES = {
  original: '-is:retweet -is:reply -is:quote',
  repost: 'is:retweet',
  reply: 'is:reply',
  quote: 'is:quote',
  media: 'has:media',
  links: 'has:links',
} as const;
