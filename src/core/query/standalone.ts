import type { Ast, Clause, Diagnostic, Place } from './ast.ts';
import { contentOf, isText } from './content.ts';
import { OPERATORS } from './operators.ts';
import { isStopWord } from './stop-words.ts';

function isStopClause(clause: Clause): boolean {
  if (!isText(clause)) return false;
  const { words, emoji } = contentOf(clause.value);
  const [word] = words;
  return words.length === 1 && emoji.length === 0 && word !== undefined && isStopWord(word);
}

/** Whether a clause may be a query of its own. */
function stands(clause: Clause): boolean {
  if (clause.negated || isStopClause(clause)) return false;
  return OPERATORS.get(clause.operator)?.standalone ?? true;
}

/** Whether every Post that fulfils a part fulfils a clause of it that is not negated. */
function isPositive(ast: Ast): boolean {
  if (ast.kind === 'clause') return !ast.negated;
  return ast.kind === 'and' ? ast.of.some(isPositive) : ast.of.every(isPositive);
}

function clausesOf(ast: Ast): Clause[] {
  return ast.kind === 'clause' ? [ast] : ast.of.flatMap(clausesOf);
}

/** Why nothing holds a part, in the recorded words (platform-facts 2.6). */
function reason(clauses: readonly Clause[], place: Place): Diagnostic {
  const positive = clauses.filter((clause) => !clause.negated);
  if (positive.length === 0) {
    return { ...place, rule: 'only-negated', message: 'Rules must contain a non-negation term' };
  }
  if (positive.some(isStopClause)) {
    const message = 'Rules must contain at least one positive, non-stopword clause';
    return { ...place, rule: 'only-stop-words', message };
  }
  const message = 'is/has/lang cannot be used as a standalone operator';
  return { ...place, rule: 'not-standalone', message };
}

/** The alternatives that hold nothing but negations. */
function negatedParts(ast: Ast): Diagnostic[] {
  if (isPositive(ast)) return [];
  if (ast.kind === 'or') return ast.of.flatMap(negatedParts);
  return [reason(clausesOf(ast), { at: ast.at, length: ast.length })];
}

/**
 * Checks that a query is not true of nearly every Post: it needs a clause that is not negated, may stand
 * alone and is no stop word, and none of its alternatives may be negations only.
 */
export function checkStanding(ast: Ast, text: string): Diagnostic[] {
  const clauses = clausesOf(ast);
  if (!clauses.some(stands)) return [reason(clauses, { at: 0, length: text.length })];
  return negatedParts(ast);
}

/** The clauses beyond the first of an operator that a query may have only once. */
export function checkOnce(ast: Ast): Diagnostic[] {
  const seen = new Set<string>();
  return clausesOf(ast).flatMap(({ operator, at, length }) => {
    if (OPERATORS.get(operator)?.once !== true) return [];
    if (!seen.has(operator)) {
      seen.add(operator);
      return [];
    }
    const message = `Operator '${operator}' may be used once in a query`;
    return [{ at, length, rule: 'only-once', message }];
  });
}
