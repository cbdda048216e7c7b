import type { Ast, Clause, Diagnostic } from './ast.ts';

const isNot = (part: Ast | undefined): part is Clause =>
  part?.kind === 'clause' && part.operator === 'word' && part.value === 'NOT' && !part.negated;

/**
 * What a valid query probably does not mean: the language has no `NOT`, so it is a word to search for.
 *
 * @returns One diagnostic for each `NOT`, of the rule `not-is-a-word`, in order of position. If a clause that is not
 *   negated follows, the diagnostic reaches up to it, and its fix is a minus.
 */
export function adviceOf(ast: Ast): Diagnostic[] {
  if (ast.kind === 'clause') return isNot(ast) ? [adviceFor(ast, undefined)] : [];
  return ast.of.flatMap((part, i) => {
    const next = ast.kind === 'and' ? ast.of[i + 1] : undefined;
    return isNot(part) ? [adviceFor(part, next)] : adviceOf(part);
  });
}

function adviceFor({ at, length }: Clause, next: Ast | undefined): Diagnostic {
  const rule = 'not-is-a-word';
  const message = 'NOT is searched as a word. To exclude something, put a minus directly before it';
  if (next?.kind !== 'clause' || next.negated) return { at, length, rule, message };
  return { at, length: next.at - at, rule, message, fix: '-' };
}
