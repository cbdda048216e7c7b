import { nearest } from '#core/query/nearest.ts';
import type { Diagnostic } from '#core/query/ast.ts';
import { letterOf, MAX_FORMULA, placeOfLetters, type Formula, type Operation } from './formula.ts';

/** The depth to which parentheses may be nested. */
const MAX_DEPTH = 40;

/** Operators by how strongly they bind, weakest first, with every sign that is typed for them. */
const BINDING: readonly ReadonlyMap<string, Operation>[] = [
  new Map([
    ['+', 'sum'],
    ['-', 'difference'],
    ['−', 'difference'],
    ['–', 'difference'],
  ]),
  new Map([
    ['*', 'product'],
    ['×', 'product'],
    ['·', 'product'],
    ['/', 'quotient'],
    ['÷', 'quotient'],
  ]),
];

/** The reason a text is not a formula. */
type FormulaRule =
  | 'empty'
  | 'too-long'
  | 'too-deep'
  | 'stray-character'
  | 'stray-parenthesis'
  | 'open-parenthesis'
  | 'open-quote'
  | 'missing-value'
  | 'missing-operator'
  | 'invalid-number'
  | 'unknown-series'
  | 'ambiguous-name'
  | 'own-series'
  | 'no-series';

/** The first fault of a text and its place, in UTF-16 units, 0-based. */
interface FormulaFault {
  readonly rule: FormulaRule;
  readonly at: number;
  readonly length: number;
}

type ParsedFormula<S> =
  | { readonly ok: true; readonly formula: Formula<S> }
  | { readonly ok: false; readonly fault: FormulaFault };

/** A name as a formula writes it: the letters of a place, or quoted, then without its quotation marks. */
interface FormulaName {
  readonly text: string;
  readonly quoted: boolean;
}

/** Numbers, letters, quoted names, and single signs. Inside straight quotation marks, two of them are one. */
const TOKEN = /\s*(?:([\d.,]+)|(\p{L}[\p{L}\p{N}_]*)|("(?:[^"]|"")*"?)|([“„][^”“]*[”“]?)|(\S))/uy;
/** Few enough digits that a number is written as it was typed, never with an exponent. */
const NUMBER = /^\d{1,12}(?:\.\d{1,6})?$/;

interface Token {
  readonly kind: 'number' | 'letters' | 'quoted' | 'sign';
  readonly text: string;
  readonly at: number;
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [, number, letters, straight, curly] = match;
    const quoted = straight ?? curly;
    const kind = number ? 'number' : letters ? 'letters' : quoted ? 'quoted' : 'sign';
    const found = match[0].trimStart();
    tokens.push({ kind, text: found, at: TOKEN.lastIndex - found.length });
  }
  return tokens;
}

/** The content of a quoted name; null if its quotation mark is never closed. */
function unquoted(text: string): string | null {
  if (!text.startsWith('"')) return /[”“]$/.test(text.slice(1)) ? text.slice(1, -1) : null;
  const [, inner] = /^"((?:[^"]|"")*)"$/.exec(text) ?? [];
  return inner === undefined ? null : inner.replaceAll('""', '"');
}

const EMPTY: FormulaFault = { rule: 'empty', at: 0, length: 0 };

/**
 * Reads a formula: series, decimal numbers, `+ − × ÷ * /` and parentheses. Products bind closer than sums, and equal
 * operators are computed from the left.
 *
 * @param find - The series of a name, or why it cannot be used.
 * @returns The formula, or the first fault. `unknown-series` and the other faults of names come from `find`.
 */
export function parseFormula<S>(
  text: string,
  find: (name: FormulaName) => { readonly of: S } | FormulaRule,
): ParsedFormula<S> {
  const tokens = tokensOf(text);
  const past: Token = { kind: 'sign', text: '', at: text.length };
  let next = 0;
  let named = false;
  let fault: FormulaFault | null = null;
  const peek = (): Token => tokens[next] ?? past;
  const fail = (rule: FormulaRule, { at, text }: Token): null => {
    fault ??= { rule, at, length: text.length };
    return null;
  };

  /** The fault of what follows a value and is no operator. */
  const stray = (): null => {
    const { kind, text } = peek();
    if (kind !== 'sign' || text === '(') return fail('missing-operator', peek());
    return fail(text === ')' ? 'stray-parenthesis' : 'stray-character', peek());
  };
  const series = (token: Token): Formula<S> | null => {
    const quoted = token.kind === 'quoted';
    const name = quoted ? unquoted(token.text) : token.text;
    if (name === null) return fail('open-quote', token);
    const found = find({ text: name, quoted });
    if (typeof found === 'string') return fail(found, token);
    named = true;
    return { kind: 'series', of: found.of };
  };
  const operand = (depth: number): Formula<S> | null => {
    const token = peek();
    next += 1;
    if (token.kind === 'number') {
      return NUMBER.test(token.text)
        ? { kind: 'number', value: Number(token.text) }
        : fail('invalid-number', token);
    }
    if (token.kind !== 'sign') return series(token);
    if (token.text === '(') {
      if (depth === MAX_DEPTH) return fail('too-deep', token);
      const inner = chain(0, depth + 1);
      if (inner && peek().text !== ')')
        return peek() === past ? fail('open-parenthesis', token) : stray();
      next += 1;
      return inner;
    }
    const known =
      token === past || token.text === ')' || BINDING.some((signs) => signs.has(token.text));
    return fail(known ? 'missing-value' : 'stray-character', token);
  };
  const chain = (level: number, depth: number): Formula<S> | null => {
    const part = (): Formula<S> | null => (level === 0 ? chain(1, depth) : operand(depth));
    let left = part();
    for (;;) {
      const kind = BINDING[level]?.get(peek().text);
      if (!left || !kind) return left;
      next += 1;
      const b = part();
      left = b && { kind, a: left, b };
    }
  };

  if (text.length > MAX_FORMULA) {
    return {
      ok: false,
      fault: { rule: 'too-long', at: MAX_FORMULA, length: text.length - MAX_FORMULA },
    };
  }
  if (tokens.length === 0) return { ok: false, fault: EMPTY };
  const formula = chain(0, 0);
  if (formula && peek() !== past) stray();
  else if (formula && !named) fail('no-series', { ...past, at: 0, text });
  return formula && !fault ? { ok: true, formula } : { ok: false, fault: fault ?? EMPTY };
}

/** A series that a typed formula may name, by its letter or by its name in quotes. */
export interface NamedSeries {
  readonly id: number;
  readonly name: string;
  /** True if it cannot be used: it is what the formula computes, or is computed from that. */
  readonly own?: boolean;
}

export type CheckedFormula =
  | { readonly ok: true; readonly formula: Formula<number> }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

const folded = (name: string): string => name.trim().toLowerCase();

/** The fault, and a replacement if one is likely. */
type Advice = Pick<Diagnostic, 'message' | 'fix'> & Partial<Pick<Diagnostic, 'at' | 'length'>>;

/** A number as formulas write it: the point before decimals, nothing between thousands. */
function numberFix(text: string): string | undefined {
  const thousands = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(text);
  const fix = thousands ? text.replaceAll(',', '') : text.replace(',', '.').replace(/^\./, '0.');
  const whole = fix.replace(/\.$/, '');
  return whole !== text && /^\d{1,12}(?:\.\d{1,6})?$/.test(whole) ? whole : undefined;
}

const SIGN_FIXES: Readonly<Record<string, string>> = {
  '[': '(',
  '{': '(',
  ']': ')',
  '}': ')',
  ':': '/',
  '∕': '/',
  '∙': '*',
};

/** The letter of the series whose name begins at a place, and the length of that name. */
function nameAt(
  text: string,
  at: number,
  series: readonly NamedSeries[],
): { letter: string; length: number } | null {
  const rest = text.slice(at).toLowerCase();
  const found = series
    .map(({ name }, i) => ({ letter: letterOf(i + 1), name: folded(name) }))
    .filter(({ name }) => name !== '' && rest.startsWith(name))
    .sort((a, b) => b.name.length - a.name.length)[0];
  return found ? { letter: found.letter, length: found.name.length } : null;
}

function unknownAdvice(text: string, fault: FormulaFault, series: readonly NamedSeries[]): Advice {
  const { at, length } = fault;
  const said = text.slice(at, at + length);
  const bare = said.replaceAll(/["“”„]/gu, '');
  const last = letterOf(series.length);
  const letters = series.length > 1 ? `a letter from A to ${last}` : 'the letter A';
  const message = `“${bare}” is not one of the series. Use ${letters}, or a name in quotes`;
  const begun = nameAt(text, at, series);
  if (begun) return { message, fix: begun.letter, length: begun.length };
  const similar = nearest(
    folded(bare),
    series.map(({ name }) => folded(name)),
  );
  const place = series.findIndex(({ name }) => folded(name) === similar);
  return { message, ...(place >= 0 && { fix: letterOf(place + 1) }) };
}

function missingValueAdvice(text: string, { at, length }: FormulaFault): Advice {
  const said = text.slice(at, at + length);
  const before = text.slice(0, at).trimEnd();
  const begins = before === '' || before.endsWith('(');
  if (begins && /^[-−–]$/u.test(said)) {
    return { message: 'A formula cannot begin with a minus. Subtract from zero', fix: `0 ${said}` };
  }
  const after = before === '' ? '' : ` after “${before.at(-1)}”`;
  return {
    message: `A series or a number is missing${after}`,
    ...(!begins && said !== '' && said !== ')' && { fix: '' }),
  };
}

function adviceOf(text: string, fault: FormulaFault, series: readonly NamedSeries[]): Advice {
  const { at, length } = fault;
  const said = text.slice(at, at + length);
  const rest = { at, length: text.length - at };
  const advices: Readonly<Record<FormulaRule, () => Advice>> = {
    empty: () => ({ message: 'Type a formula, such as A / (A + B)' }),
    'too-long': () => ({
      message: `A formula has at most ${MAX_FORMULA} characters. This one has ${text.length}`,
    }),
    'too-deep': () => ({ message: 'These parentheses are nested too deeply' }),
    'stray-character': () => {
      const fix = SIGN_FIXES[said] ?? '';
      return { message: `“${said}” has no meaning here. Use + − × ÷ and parentheses`, fix };
    },
    'stray-parenthesis': () => ({
      message: 'This closing parenthesis has no opening one',
      fix: '',
    }),
    'open-parenthesis': () => ({
      message: 'This parenthesis is never closed',
      ...rest,
      fix: `${text.slice(at).trimEnd()})`,
    }),
    'open-quote': () => ({
      message: 'This quotation mark is never closed',
      ...rest,
      fix: `${text.slice(at).trimEnd()}${said.startsWith('"') ? '"' : '”'}`,
    }),
    'missing-value': () => missingValueAdvice(text, fault),
    'missing-operator': () => {
      const times = said === '(' || /[\d)]$/.test(text.slice(0, at).trimEnd());
      const message = `An operator is missing before “${said}”: + − × or ÷`;
      return { message, fix: `${times ? '* ' : '+ '}${said}` };
    },
    'invalid-number': () => {
      const fix = numberFix(said);
      const message = `“${said}” is not a number here. Write decimals with a point: 0.5, 1000, at most six decimals`;
      return { message, ...(fix !== undefined && { fix }) };
    },
    'unknown-series': () => unknownAdvice(text, fault, series),
    'ambiguous-name': () => {
      const name = folded(said.slice(1, -1));
      const letters = series.flatMap((each, i) =>
        folded(each.name) === name ? [letterOf(i + 1)] : [],
      );
      return { message: `${letters.join(' and ')} are both called ${said}. Use the letter` };
    },
    'own-series': () => ({
      message: `“${said}” is this series, or is computed from it. A formula cannot contain itself`,
    }),
    'no-series': () => ({ message: 'A formula needs at least one series' }),
  };
  return advices[fault.rule]();
}

/**
 * Checks a formula as it is typed.
 *
 * @param series - In the order of their letters: A, B, and so on.
 * @returns The formula by ids, so that it stays right when series are renamed or reordered; or the first fault, as a
 *   sentence without a full stop, with its place and, if one is likely, its fix.
 */
export function checkFormula(text: string, series: readonly NamedSeries[]): CheckedFormula {
  const find = ({ text: name, quoted }: FormulaName): { of: number } | FormulaRule => {
    const named = quoted ? series.filter((each) => folded(each.name) === folded(name)) : [];
    if (named.length > 1) return 'ambiguous-name';
    const found = quoted ? named[0] : series[placeOfLetters(name) - 1];
    if (!found) return 'unknown-series';
    return found.own ? 'own-series' : { of: found.id };
  };
  const parsed = parseFormula(text, find);
  if (parsed.ok) return parsed;
  const { fault } = parsed;
  return { ok: false, diagnostic: { ...fault, ...adviceOf(text, fault, series) } };
}
