import type { Ast, Clause, Diagnostic } from './ast.ts';
import { format } from './format.ts';
import { isLanguage, languageFor } from './languages.ts';
import { negation } from './parse.ts';

const isNot = (part: Ast | undefined): part is Clause =>
  part?.kind === 'clause' && part.operator === 'word' && part.value === 'NOT' && !part.negated;

/** A language that no Post has on the platform. Imported Posts may have it, so it is no fault. */
function languageAdvice({ at, length, operator, value, negated }: Clause): Diagnostic[] {
  if (operator !== 'lang' || isLanguage(value)) return [];
  const meant = languageFor(value);
  const message = `“${value}” is not a language of the platform, so no Post there matches it`;
  const fix = meant && `${negated ? '-' : ''}lang:${meant}`;
  return [{ at, length, rule: 'unknown-language', message, ...(fix && { fix }) }];
}

/**
 * The parts of a valid query that probably do not mean what they say: the language has no `NOT`, so it is a word to
 * search for; and the platform has a list of languages.
 *
 * @returns One diagnostic for each `NOT`, of the rule `not-is-a-word`, and each unknown language, of the rule
 *   `unknown-language`, in order of position. If a clause that is not negated follows a `NOT`, the diagnostic reaches up
 *   to it, and its fix is a minus; the fix of a group has the minus before each of its parts.
 */
export function adviceOf(ast: Ast): Diagnostic[] {
  if (ast.kind === 'clause') {
    return isNot(ast) ? [adviceFor(ast, undefined)] : languageAdvice(ast);
  }
  return ast.of.flatMap((part, i) => {
    const next = ast.kind === 'and' ? ast.of[i + 1] : undefined;
    return isNot(part) ? [adviceFor(part, next)] : adviceOf(part);
  });
}

function adviceFor({ at, length }: Clause, next: Ast | undefined): Diagnostic {
  const rule = 'not-is-a-word';
  const message = 'NOT is searched as a word. To exclude something, put a minus directly before it';
  if (!next || (next.kind === 'clause' && next.negated)) return { at, length, rule, message };
  if (next.kind === 'clause') return { at, length: next.at - at, rule, message, fix: '-' };
  const meant = negation(next);
  const fix = meant.kind === 'or' ? `(${format(meant)})` : format(meant);
  return { at, length: next.at + next.length - at, rule, message, fix };
}
