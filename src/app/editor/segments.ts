import type { Ast, Clause, Parsed, Place } from '#core/query/ast.ts';
import { ALIASES, OPERATORS } from '#core/query/operators.ts';
import { scan, type Lexeme } from '#core/query/scan.ts';

export type SegmentKind = 'text' | 'operator' | 'negated' | 'joint' | 'wrong';

/** A part of a query's text with one kind of display. */
export interface TextSegment {
  readonly text: string;
  readonly kind: SegmentKind;
}

const PLAIN = new Set(['word', 'phrase', 'emoji']);
const SIGNS = new Set(['#', '@', '$']);

function clauses(ast: Ast): Clause[] {
  return ast.kind === 'clause' ? [ast] : ast.of.flatMap(clauses);
}

/** The text between two clauses: OR and AND are highlighted, the rest is plain. */
function between(text: string): TextSegment[] {
  return text
    .split(/\b(OR|AND)\b/)
    .map((part, i): TextSegment => ({ text: part, kind: i % 2 === 1 ? 'joint' : 'text' }));
}

/** The range of a diagnostic in the text: at least one character, even at its end. */
export function drawnAt({ at, length }: Place, total: number): { from: number; to: number } {
  const from = Math.max(0, Math.min(at, total - 1));
  return { from, to: Math.min(total, Math.max(from + 1, at + length)) };
}

/**
 * Splits the text of a query into parts of one kind; joined they are the text again.
 *
 * A query that parses shows its operators; otherwise only its faults are shown.
 */
export function segments(text: string, parsed: Parsed): TextSegment[] {
  const out: TextSegment[] = [];
  let at = 0;
  if (parsed.ok) {
    for (const clause of clauses(parsed.ast).sort((a, b) => a.at - b.at)) {
      out.push(...between(text.slice(at, clause.at)));
      const kind = clause.negated ? 'negated' : PLAIN.has(clause.operator) ? 'text' : 'operator';
      out.push({ text: text.slice(clause.at, clause.at + clause.length), kind });
      at = clause.at + clause.length;
    }
    out.push(...between(text.slice(at)));
  } else {
    for (const diagnostic of [...parsed.diagnostics].sort((a, b) => a.at - b.at)) {
      const drawn = drawnAt(diagnostic, text.length);
      const from = Math.max(at, drawn.from);
      if (from >= text.length || drawn.to <= from) continue;
      out.push({ text: text.slice(at, from), kind: 'text' });
      out.push({ text: text.slice(from, drawn.to), kind: 'wrong' });
      at = drawn.to;
    }
    out.push({ text: text.slice(at), kind: 'text' });
  }
  return out.filter((segment) => segment.text !== '');
}

function kindOf(lexeme: Lexeme): SegmentKind {
  if (lexeme.kind === 'or') return 'joint';
  if (lexeme.kind === 'close') return 'text';
  if (lexeme.negated) return 'negated';
  if (lexeme.kind === 'open') return 'text';
  const { lead } = lexeme;
  const known = SIGNS.has(lead) || OPERATORS.has(ALIASES.get(lead) ?? lead);
  return known ? 'operator' : 'text';
}

/** The highlighted parts of a query while it is typed, whether it parses or not; in order, disjoint. */
export function colours(text: string): (Place & { readonly kind: SegmentKind })[] {
  return scan(text)
    .lexemes.map((lexeme) => ({ at: lexeme.at, length: lexeme.length, kind: kindOf(lexeme) }))
    .filter(({ kind }) => kind !== 'text');
}

/** The position at which the characters beyond a limit begin, in UTF-16 units; null if there are none. */
export function beyond(text: string, limit: number): number | null {
  if (text.length <= limit) return null;
  const within = [...text].slice(0, limit).join('').length;
  return within < text.length ? within : null;
}
