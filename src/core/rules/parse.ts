import type { Ast, Diagnostic, Parsed } from '#core/query/ast.ts';
import { positionOf } from '#core/query/message.ts';
import { negation, parse } from '#core/query/parse.ts';
import type { Operators } from '#core/query/operators.ts';
import type { Lexemes } from '#core/query/scan.ts';
import { checkStandalone } from '#core/query/standalone.ts';
import { POWER_OPERATORS, RULE_OPERATORS } from './operators.ts';
import { scanPowerRule, scanRule } from './scan.ts';

/** Kinds of rules: each has operators of its own. Their names are those of the streams. */
export type RuleKind = 'filtered_stream' | 'powerstream';

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
function ofGroup(fault: Diagnostic, text: string, kind: RuleKind): Diagnostic {
  const { fix: _, ...rest } = fault;
  const inner = text.slice(fault.at, fault.at + fault.length).replace(/^-\s*\(|\)$/g, '');
  const parsed = parseRule(inner, kind);
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

/** The faults of a rule of the filtered stream, apart from its grammar. */
function checkRule(ast: Ast, text: string): Diagnostic[] {
  return [...checkStandalone(asQuery(ast), text), ...negatedSamples(ast)];
}

interface Language {
  readonly operators: Operators;
  readonly scan: (text: string) => Lexemes;
  readonly check?: (ast: Ast, text: string) => Diagnostic[];
}

const LANGUAGES: Readonly<Record<RuleKind, Language>> = {
  filtered_stream: { operators: RULE_OPERATORS, scan: scanRule, check: checkRule },
  powerstream: { operators: POWER_OPERATORS, scan: scanPowerRule },
};

/**
 * Parses a rule of a stream: the language of queries, with the operators of its kind (platform-facts, section 5, and its
 * additions). Never throws; time grows linearly with the length.
 *
 * @returns The rule as data, or what is wrong with it, in order of position.
 */
export function parseRule(text: string, kind: RuleKind = 'filtered_stream'): Parsed {
  const { check, ...language } = LANGUAGES[kind];
  // `entity:` exists in recent search and in streams.
  const parsed = parse(text, { product: 'recent', ...language });
  if (!parsed.ok) {
    const found = parsed.diagnostics.map((each) =>
      each.rule === 'negated-group' ? ofGroup(each, text, kind) : each,
    );
    return { ok: false, diagnostics: found };
  }
  const diagnostics = check?.(parsed.ast, text) ?? [];
  return diagnostics.length > 0 ? { ok: false, diagnostics } : parsed;
}

/**
 * The faults of a rule, one sentence for each with its position, 1-based. An unknown operator
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
