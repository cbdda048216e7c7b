import type { Ast, Clause, Parsed } from '#core/query/ast.ts';

export type SegmentKind = 'text' | 'operator' | 'negated' | 'joint' | 'wrong';

/** A stretch of a query's text that is shown in one way. */
export interface Segment {
  readonly text: string;
  readonly kind: SegmentKind;
}

const PLAIN = new Set(['word', 'phrase', 'emoji']);

function clauses(ast: Ast): Clause[] {
  return ast.kind === 'clause' ? [ast] : ast.of.flatMap(clauses);
}

/** What lies between two clauses: OR and AND stand out, the rest is plain. */
function between(text: string): Segment[] {
  return text
    .split(/\b(OR|AND)\b/)
    .map((part, i): Segment => ({ text: part, kind: i % 2 === 1 ? 'joint' : 'text' }));
}

/**
 * The text of a query cut into what is coloured alike; joined they are the text again.
 *
 * A query that parses shows its operators; one that does not shows only what is wrong with it.
 */
export function segments(text: string, parsed: Parsed): Segment[] {
  const out: Segment[] = [];
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
    for (const { at: start, length } of [...parsed.diagnostics].sort((a, b) => a.at - b.at)) {
      // A place at the end of the text, or without length, still needs something to be drawn under.
      const from = Math.max(at, Math.min(start, text.length - 1));
      const to = Math.max(from + 1, start + length);
      if (from >= text.length) continue;
      out.push({ text: text.slice(at, from), kind: 'text' });
      out.push({ text: text.slice(from, to), kind: 'wrong' });
      at = Math.min(to, text.length);
    }
    out.push({ text: text.slice(at), kind: 'text' });
  }
  return out.filter((segment) => segment.text !== '');
}
