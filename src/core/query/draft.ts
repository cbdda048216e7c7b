import { linkedBy } from '#core/text/linked.ts';
import {
  placedTerms,
  type PlacedTerm,
  type PlacedTerms,
  type TextSpan,
} from '#core/text/placed-terms.ts';
import type { PostTerms } from '#core/text/post.ts';
import { termsOf } from '#core/text/terms.ts';
import { addressSpans } from '#core/text/address.ts';
import { fold } from '#core/text/fold.ts';
import type { Ast, Clause, Condition } from './ast.ts';
import { condition } from './condition.ts';
import { match } from './match.ts';
import { OPERATORS } from './operators.ts';

/** The text of a Post that is not posted yet: an original one without media. */
export interface PostDraft {
  readonly terms: PostTerms;
  readonly placed: PlacedTerms;
  /** True if it has an address that says nothing of where it leads, or one that only the platform makes a link. */
  readonly isVague: boolean;
}

/** A clause that a draft meets, without its negation, and the parts of the text by which it does. */
export interface MetClause {
  readonly clause: Clause;
  /** Ascending, one for each word; empty if none is the reason. */
  readonly spans: readonly TextSpan[];
}

/** The answer to whether a query will count a draft. */
export type DraftVerdict =
  | { readonly counted: 'yes'; readonly met: readonly MetClause[] }
  /** `open` is the rest of the query: clauses that a draft cannot answer. */
  | { readonly counted: 'if'; readonly met: readonly MetClause[]; readonly open: Ast }
  | {
      readonly counted: 'no';
      /** The clauses that the query excludes and the draft meets. */
      readonly excluded: readonly MetClause[];
      /** The clauses that it does not meet, each of which is or would be needed. */
      readonly missing: readonly Clause[];
    };

/** Reads a text as search and counts read that of a Post. */
export function draftOf(text: string): PostDraft {
  const addresses = addressSpans(text).map(({ start, end }) => fold(text.slice(start, end)));
  return {
    terms: termsOf({ text }),
    placed: placedTerms(text),
    isVague: addresses.some((each) => !each.startsWith('http') || linkedBy(each) === null),
  };
}

/** The occurrences of words one after the other. */
function sequences(words: readonly PlacedTerm[], wanted: readonly string[]): PlacedTerm[] {
  return words.flatMap((_, from) =>
    wanted.every((term, i) => words[from + i]?.term === term)
      ? words.slice(from, from + wanted.length)
      : [],
  );
}

/** The parts of a text that meet a condition without negations. */
function spansOf(c: Condition, { words, signed, addresses }: PlacedTerms): PlacedTerm[] {
  switch (c.kind) {
    case 'all':
    case 'any':
      return c.of.flatMap((part) => spansOf(part, { words, signed, addresses }));
    case 'phrase':
      return (c.field === 'url' ? addresses : [words]).flatMap((list) => sequences(list, c.tokens));
    case 'term':
      if (c.term.startsWith('url:')) return sequences(addresses.flat(), [c.term.slice(4)]);
      return [...words, ...signed].filter(({ term }) => term === c.term);
    default:
      return [];
  }
}

/** Spans in order, each once. */
function distinct(spans: readonly TextSpan[]): TextSpan[] {
  const byPlace = new Map(spans.map(({ start, end }) => [`${start} ${end}`, { start, end }]));
  return [...byPlace.values()].toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** True if a draft that does not meet a clause may do so once it is posted. */
function isOpen({ operator, value }: Clause, draft: PostDraft): boolean {
  if (operator === 'url') return draft.isVague;
  const outside = OPERATORS.get(operator)?.outside ?? [];
  return outside === true || outside.includes(value);
}

function clauseVerdict(clause: Clause, draft: PostDraft): DraftVerdict {
  const wanted = condition({ ...clause, negated: false });
  if (match(wanted, draft.terms)) {
    const met = [{ clause, spans: distinct(spansOf(wanted, draft.placed)) }];
    if (clause.negated) return { counted: 'no', excluded: met, missing: [] };
    return { counted: 'yes', met };
  }
  if (isOpen(clause, draft)) return { counted: 'if', met: [], open: clause };
  if (clause.negated) return { counted: 'yes', met: [] };
  return { counted: 'no', excluded: [], missing: [clause] };
}

/**
 * Decides if a query will count a draft, by the terms and the conditions of search and counts. Clauses about the author, the
 * language, the place, media and reactions are not decided before it is posted: they stay open. So an alternative of which
 * one part must be true may be open as well.
 *
 * @param ast - A parsed query, whose values are canonical.
 */
export function draftVerdict(ast: Ast, draft: PostDraft): DraftVerdict {
  if (ast.kind === 'clause') return clauseVerdict(ast, draft);
  const parts = ast.of.map((part) => draftVerdict(part, draft));
  const no = parts.filter((part) => part.counted === 'no');
  const yes = parts.filter((part) => part.counted === 'yes');
  const open = parts.filter((part) => part.counted === 'if');
  if (ast.kind === 'and' ? no.length > 0 : no.length === parts.length) {
    return {
      counted: 'no',
      excluded: no.flatMap(({ excluded }) => excluded),
      missing: no.flatMap(({ missing }) => missing),
    };
  }
  const met = (ast.kind === 'or' && yes.length > 0 ? yes : [...yes, ...open]).flatMap(
    (part) => part.met,
  );
  const [first, ...others] = open;
  if (!first || (ast.kind === 'or' && yes.length > 0)) return { counted: 'yes', met };
  const left: Ast =
    others.length === 0 ? first.open : { ...ast, of: open.map((part) => part.open) };
  return { counted: 'if', met, open: left };
}
