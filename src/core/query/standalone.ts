import type { Ast, Clause, Diagnostic, Place } from './ast.ts';
import { contentOf, isText } from './content.ts';
import { OPERATORS, type Operators } from './operators.ts';
import { isStopWord } from './stop-words.ts';

function isStopClause(clause: Clause): boolean {
  if (!isText(clause)) return false;
  const { words, emoji } = contentOf(clause.value);
  const [word] = words;
  return words.length === 1 && emoji.length === 0 && word !== undefined && isStopWord(word);
}

/** True if a clause may be the whole query. */
function isStandalone(clause: Clause, operators: Operators): boolean {
  if (clause.negated || isStopClause(clause)) return false;
  return operators.get(clause.operator)?.standalone ?? true;
}

/** True if every Post that matches a part also matches one of its clauses that is not negated. */
function isPositive(ast: Ast): boolean {
  if (ast.kind === 'clause') return !ast.negated;
  return ast.kind === 'and' ? ast.of.some(isPositive) : ast.of.every(isPositive);
}

function clausesOf(ast: Ast): Clause[] {
  return ast.kind === 'clause' ? [ast] : ast.of.flatMap(clausesOf);
}

/** The refusal of negations alone, in the recorded words (platform-facts 2.6). */
function onlyNegated({ at, length }: Place): Diagnostic {
  return { at, length, rule: 'only-negated', message: 'Rules must contain a non-negation term' };
}

/** The reason a query is refused, in the recorded words. */
function reason(clauses: readonly Clause[], place: Place): Diagnostic {
  const positive = clauses.filter((clause) => !clause.negated);
  if (positive.length === 0) return onlyNegated(place);
  if (positive.some(isStopClause)) {
    const message = 'Rules must contain at least one positive, non-stopword clause';
    return { ...place, rule: 'only-stop-words', message };
  }
  const message = 'is/has/lang cannot be used as a standalone operator';
  return { ...place, rule: 'not-standalone', message };
}

/** The alternatives that need no clause but negations. */
function negatedParts(ast: Ast): Diagnostic[] {
  if (isPositive(ast)) return [];
  return ast.kind === 'or' ? ast.of.flatMap(negatedParts) : [onlyNegated(ast)];
}

/**
 * Checks that a query does not match nearly every Post: it needs a clause that is not negated, may be
 * the whole query and is not a stop word, and none of its alternatives may be negations only.
 */
export function checkStandalone(
  ast: Ast,
  text: string,
  operators: Operators = OPERATORS,
): Diagnostic[] {
  const clauses = clausesOf(ast);
  const isEnough = clauses.some((clause) => isStandalone(clause, operators));
  if (!isEnough) return [reason(clauses, { at: 0, length: text.length })];
  return negatedParts(ast);
}

/** The repeated clauses of operators that a query may contain only once. */
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
