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

/** Whether every Post that fulfils a part fulfils a clause of it that may be a query of its own. */
function isHeld(ast: Ast): boolean {
  if (ast.kind === 'clause') return stands(ast);
  return ast.kind === 'and' ? ast.of.some(isHeld) : ast.of.every(isHeld);
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

function faults(ast: Ast): Diagnostic[] {
  if (isHeld(ast)) return [];
  if (ast.kind === 'or') return ast.of.flatMap(faults);
  return [reason(clausesOf(ast), { at: ast.at, length: ast.length })];
}

/**
 * Checks that a query is not true of nearly every Post: each of its alternatives needs a clause that is
 * not negated, may stand alone, and is no stop word.
 */
export function checkStanding(ast: Ast, text: string): Diagnostic[] {
  if (isHeld(ast)) return [];
  const clauses = clausesOf(ast);
  if (clauses.some(stands) && ast.kind === 'or') return faults(ast);
  return [reason(clauses, { at: 0, length: text.length })];
}
