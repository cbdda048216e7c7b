import type { Ast, Clause, Diagnostic } from './ast.ts';
import { made, read, type ComposeOptions } from './compose.ts';

/** The way to cut a query into narrower ones. */
export type SplitBy =
  | { readonly kind: 'reposts' | 'links' | 'media' }
  | {
      readonly kind: 'language';
      /** BCP 47, as in `lang:`. */
      readonly codes: readonly string[];
      /** Adds a last part for every other language. */
      readonly others?: boolean;
    };

export interface SplitPart {
  readonly label: string;
  readonly query: string;
}

export type Split =
  | { readonly ok: true; readonly parts: readonly SplitPart[] }
  | { readonly ok: false; readonly reason: string; readonly diagnostics: readonly Diagnostic[] };

export interface SplitOptions extends ComposeOptions {
  /** Name of a language in the reader's language; the code by default. */
  readonly languageName?: (code: string) => string | undefined;
}

interface Narrowing {
  readonly label: string;
  readonly clauses: readonly Clause[];
}

const TWO = {
  reposts: { operator: 'is', value: 'retweet', with: 'Reposts', without: 'Without reposts' },
  links: { operator: 'has', value: 'links', with: 'With links', without: 'Without links' },
  media: { operator: 'has', value: 'media', with: 'With media', without: 'Without media' },
} as const;

function clause(operator: string, value: string, negated: boolean): Clause {
  return { kind: 'clause', operator, value, negated, at: 0, length: 0 };
}

function narrowings(by: SplitBy, { languageName }: SplitOptions): Narrowing[] {
  if (by.kind !== 'language') {
    const { operator, value, ...label } = TWO[by.kind];
    return [
      { label: label.with, clauses: [clause(operator, value, false)] },
      { label: label.without, clauses: [clause(operator, value, true)] },
    ];
  }
  const codes = [...new Set(by.codes.map((code) => code.toLowerCase()))];
  const parts = codes.map((code) => ({
    label: languageName?.(code) ?? code,
    clauses: [clause('lang', code, false)],
  }));
  if (by.others !== true) return parts;
  const rest = codes.map((code) => clause('lang', code, true));
  return [...parts, { label: 'Other languages', clauses: rest }];
}

/** The clauses that every Post of a query meets, by its outermost group. */
function outermost(ast: Ast): Clause[] {
  if (ast.kind === 'clause') return [ast];
  return ast.kind === 'and' ? ast.of.flatMap(outermost) : [];
}

/** A clause that already restricts the query to one of the parts. */
function settled(ast: Ast, by: SplitBy): Clause | undefined {
  return outermost(ast).find(({ operator, value, negated }) => {
    if (by.kind === 'language') return operator === 'lang' && !negated;
    return operator === TWO[by.kind].operator && value === TWO[by.kind].value;
  });
}

/**
 * Cuts a query into narrower ones: each is the query plus one condition, and no Post matches two of
 * them. For pairs with and without something, or with `others`, they together match what the query
 * matches.
 *
 * @returns The parts with short labels, in the order of `by`; or why it cannot be cut: it cannot be
 *   parsed, it asks for one of the parts already, a part would be longer than the limit, or no language
 *   is given.
 */
export function split(query: string | Ast, by: SplitBy, options: SplitOptions): Split {
  const whole = read(query, 'The query', options);
  if ('ok' in whole) return { ok: false, reason: whole.reason, diagnostics: whole.diagnostics };
  const already = settled(whole, by);
  if (already) {
    const { negated, operator, value } = already;
    const reason = `The query says ${negated ? '-' : ''}${operator}:${value} already.`;
    return { ok: false, reason, diagnostics: [] };
  }
  const list = narrowings(by, options);
  if (list.every(({ clauses }) => clauses.length === 0)) {
    return { ok: false, reason: 'No language is named to split by.', diagnostics: [] };
  }
  const parts: SplitPart[] = [];
  for (const { label, clauses } of list) {
    const narrow = made({ kind: 'and', of: [whole, ...clauses], at: 0, length: 0 }, options);
    if (!narrow.ok) {
      const { diagnostics, why, reason, length = 0, limit } = narrow;
      const long = `“${label}” would have ${length} characters, ${length - limit} more than the ${limit} of a query.`;
      return { ok: false, reason: why === 'too-long' ? long : reason, diagnostics };
    }
    parts.push({ label, query: narrow.text });
  }
  return { ok: true, parts };
}
