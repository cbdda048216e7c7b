import type { Ast, Diagnostic, Parsed } from '#core/query/ast.ts';
import { positionOf } from '#core/query/message.ts';
import { negation, parse } from '#core/query/parse.ts';
import { scan } from '#core/query/scan.ts';
import { checkStandalone } from '#core/query/standalone.ts';
import type { Lexeme, Lexemes } from '#core/query/scan.ts';
import { NEAR, RULE_OPERATORS } from './operators.ts';

const DISTANCE = /~([0-9]{1,9})(?=$|[\s()])/y;
const ALL_ENTITIES = /(?:^|[\s(])(-?)(context):([0-9]{1,19}\.\*)$/i;
const WORD_END = /^(?:$|[\s()])/;

/** Puts the distance that begins at `at` onto the phrase before it. Returns false if there is none. */
function setDistance(lexemes: Lexeme[], text: string, at: number): boolean {
  const of = lexemes.findIndex((each) => each.at + each.length === at);
  const phrase = lexemes[of];
  DISTANCE.lastIndex = at;
  const [written] = DISTANCE.exec(text) ?? [];
  if (phrase?.kind !== 'clause' || !phrase.quoted || phrase.lead !== '' || !written) return false;
  const [value, length] = [phrase.value + written, phrase.length + written.length];
  lexemes[of] = { ...phrase, lead: NEAR, value, length };
  return true;
}

/** Adds the `context:47.*` whose asterisk is at `at`. Returns false if it is another asterisk. */
function addContext(lexemes: Lexeme[], text: string, at: number): boolean {
  const end = at + 1;
  const found = ALL_ENTITIES.exec(text.slice(Math.max(0, at - 40), end));
  if (!found || !WORD_END.test(text.slice(end, end + 1))) return false;
  const [, minus = '', lead = '', value = ''] = found;
  const valueAt = end - value.length;
  const leadAt = valueAt - lead.length - 1;
  const start = leadAt - minus.length;
  const later = lexemes.findIndex((each) => each.at > start);
  lexemes.splice(later < 0 ? lexemes.length : later, 0, {
    kind: 'clause',
    negated: minus !== '',
    lead: lead.toLowerCase(),
    value,
    quoted: false,
    leadAt,
    valueAt,
    at: start,
    length: end - start,
  });
  return true;
}

/** Cuts a rule into lexemes, also `"a b"~N` and `context:47.*`, which search and counts do not have. */
function scanRule(text: string): Lexemes {
  const { lexemes, diagnostics } = scan(text);
  const found = [...lexemes];
  const wrong = diagnostics.filter(({ rule, at }) => {
    if (rule !== 'stray-character') return true;
    if (text[at] === NEAR) return !setDistance(found, text, at);
    return text[at] !== '*' || !addContext(found, text, at);
  });
  return { lexemes: found, diagnostics: wrong };
}

/** A part of a rule in the rule's own words: unlike a query, it may not lose its accents. */
function write(ast: Ast, text: string): string {
  if (ast.kind === 'clause') {
    const clause = text.slice(ast.at, ast.at + ast.length).replace(/^-/, '');
    return ast.negated ? `-${clause}` : clause;
  }
  const of = ast.of.map((part) => {
    const written = write(part, text);
    return part.kind === 'or' && ast.kind === 'and' ? `(${written})` : written;
  });
  return of.join(ast.kind === 'or' ? ' OR ' : ' ');
}

/** The fault of a negated group, with what to write instead in the rule's own words. */
function ofGroup(fault: Diagnostic, text: string): Diagnostic {
  const { fix: _, ...rest } = fault;
  const inner = text.slice(fault.at, fault.at + fault.length).replace(/^-\s*\(|\)$/g, '');
  const parsed = parseRule(inner);
  const message = 'A group cannot be negated; negate each of its clauses instead';
  if (!parsed.ok) return { ...rest, message };
  const meant = negation(parsed.ast);
  const fix = meant.kind === 'or' ? `(${write(meant, inner)})` : write(meant, inner);
  return { ...rest, message: `${message}: ${fix}`, fix };
}

/** A rule as queries see it: its samples need another clause, as `is:` does. */
function asQuery(ast: Ast): Ast {
  if (ast.kind !== 'clause') return { ...ast, of: ast.of.map(asQuery) };
  return ast.operator === 'sample' ? { ...ast, operator: 'is' } : ast;
}

/** Clauses that may not be negated (docs, filtered-stream/integrate/build-a-rule). */
function negatedSamples(ast: Ast): Diagnostic[] {
  if (ast.kind !== 'clause') return ast.of.flatMap(negatedSamples);
  if (ast.operator !== 'sample' || !ast.negated) return [];
  const message = "Operator 'sample' cannot be negated";
  return [{ at: ast.at, length: ast.length, rule: 'not-negatable', message }];
}

/**
 * Parses a rule of a stream: the language of queries, with the operators of streams (platform-facts,
 * section 5). Never throws; time grows linearly with the length.
 *
 * @returns The rule as data, or what is wrong with it, in order of position.
 */
export function parseRule(text: string): Parsed {
  // `entity:` exists in recent search and in streams.
  const options = { product: 'recent', operators: RULE_OPERATORS, scan: scanRule } as const;
  const parsed = parse(text, options);
  if (!parsed.ok) {
    const found = parsed.diagnostics.map((each) =>
      each.rule === 'negated-group' ? ofGroup(each, text) : each,
    );
    return { ok: false, diagnostics: found };
  }
  const diagnostics = [
    ...checkStandalone(asQuery(parsed.ast), text),
    ...negatedSamples(parsed.ast),
  ];
  return diagnostics.length > 0 ? { ok: false, diagnostics } : parsed;
}

/**
 * What is wrong with a rule, one sentence for each fault with its position, 1-based. An unknown operator
 * gets two, as recorded (platform-facts-additions, section 5).
 */
export function faultsOf(text: string, diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.flatMap((each) => {
    const at = `(at position ${positionOf(each)}).`;
    const [, name = ''] = /^([\p{L}\p{M}\p{N}_]+):/u.exec(text.slice(each.at)) ?? [];
    if (each.rule !== 'unknown-operator') return [`${each.message} ${at}`];
    return [`operator`, `field`].map((what) => `Reference to invalid ${what} '${name}' ${at}`);
  });
}
