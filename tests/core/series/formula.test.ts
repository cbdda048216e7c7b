import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkFormula, parseFormula } from '#core/series/check-formula.ts';
import { compute } from '#core/series/combine.ts';
import {
  formatFormula,
  expanded,
  formulaUnit,
  letterOf,
  MAX_FORMULA,
  placeOfLetters,
  PRINTED,
  readFormula,
  seriesIn,
  TYPED,
  type Formula,
  type Unit,
} from '#core/series/formula.ts';
import { formulasOver } from './formulas.ts';

const NONE = Number.NaN;
const SERIES = [
  { id: 11, name: 'Oat milk' },
  { id: 12, name: 'Matcha' },
  { id: 13, name: 'Cold “brew”' },
  { id: 14, name: 'Matcha latte' },
  { id: 15, name: 'twin' },
  { id: 16, name: 'Twin' },
  { id: 17, name: 'Made', own: true },
];
const VALUES: Readonly<Record<number, number>> = { 11: 8, 12: 4, 13: 2, 14: 0, 15: 5, 16: 6 };

function valueOf(text: string): number {
  const checked = checkFormula(text, SERIES);
  if (!checked.ok) throw new Error(checked.diagnostic.message);
  return compute(checked.formula, (id) => VALUES[id] ?? NONE);
}

describe('a typed formula', () => {
  it.each([
    ['A + B * C', 16],
    ['(A + B) × C', 24],
    ['A − B − C', 2],
    ['A-(B-C)', 6],
    ['a / b / c', 1],
    ['A ÷ (A + B + C)', 8 / 14],
    ['100 * A / (A+B)', (100 * 8) / 12],
    ['0.5 × "oat milk" + 1', 5],
    ['“Matcha latte” + "Cold “brew”"', 2],
    ['1 – B/A', 0.5],
    ['A / D', NONE],
    ['0 * (A / D)', NONE],
  ])('computes %s', (text, value) => {
    expect(valueOf(text)).toBe(value);
  });

  it.each([
    ['', 'empty', 0, undefined],
    ['A +', 'missing-value', 3, undefined],
    ['A + * B', 'missing-value', 4, 'A +  B'],
    ['A / ()', 'missing-value', 5, undefined],
    ['-A + B', 'missing-value', 0, '0 -A + B'],
    ['A B', 'missing-operator', 2, 'A + B'],
    ['2 A', 'missing-operator', 2, '2 * A'],
    ['(A + B', 'open-parenthesis', 0, '(A + B)'],
    ['(A B)', 'missing-operator', 3, '(A + B)'],
    ['A + B)', 'stray-parenthesis', 5, 'A + B'],
    ['A + "oat', 'open-quote', 4, 'A + "oat"'],
    ['=A+B', 'stray-character', 0, 'A+B'],
    ['[A] / B', 'stray-character', 0, '(A] / B'],
    ['A % B', 'stray-character', 2, 'A  B'],
    ['0,5 * A', 'invalid-number', 0, '0.5 * A'],
    ['.5 * A', 'invalid-number', 0, '0.5 * A'],
    ['1,000 * A', 'invalid-number', 0, '1000 * A'],
    ['1.2.3 * A', 'invalid-number', 0, undefined],
    ['1234567890123 * A', 'invalid-number', 0, undefined],
    ['A / H', 'unknown-series', 4, undefined],
    ['matcha latte / A', 'unknown-series', 0, 'D / A'],
    ['A / "matca"', 'unknown-series', 4, 'A / B'],
    ['A / constructor', 'unknown-series', 4, undefined],
    ['"twin" / A', 'ambiguous-name', 0, undefined],
    ['A + G', 'own-series', 4, undefined],
    ['1 + 2', 'no-series', 0, undefined],
    [`${'('.repeat(60)}A${')'.repeat(60)}`, 'too-deep', 40, undefined],
    [`A${'+A'.repeat(MAX_FORMULA)}`, 'too-long', MAX_FORMULA, undefined],
  ])('refuses %j by the rule %s at %i', (text, rule, at, fixed) => {
    const checked = checkFormula(text, SERIES);
    if (checked.ok) throw new Error('expected a fault');
    const { diagnostic } = checked;
    expect([diagnostic.rule, diagnostic.at]).toEqual([rule, at]);
    expect(diagnostic.message).not.toMatch(/\.$/);
    const { fix, length } = diagnostic;
    const after = fix === undefined ? fix : text.slice(0, at) + fix + text.slice(at + length);
    expect(after).toBe(fixed);
  });

  it('never throws, and points into the text', () => {
    const parts = [
      'A',
      'B',
      'x y',
      '"',
      '“',
      '”',
      '(',
      ')',
      '+',
      '-',
      '×',
      '/',
      ' ',
      '1',
      ',',
      '.',
      '%',
      'é',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...parts)).map((all) => all.join('')),
        (text) => {
          const checked = checkFormula(text, SERIES);
          if (checked.ok) return;
          const { at, length } = checked.diagnostic;
          expect(at >= 0 && length >= 0 && at + length <= text.length).toBe(true);
        },
      ),
    );
  });
});

describe('a formula as text', () => {
  it('is read back to the same formula, with either signs', () => {
    const find = ({ text }: { text: string }) => ({ of: placeOfLetters(text) });
    fc.assert(
      fc.property(
        formulasOver([1, 2, 26, 27, 800]),
        fc.constantFrom(TYPED, PRINTED),
        (formula, signs) => {
          const text = formatFormula(formula, letterOf, signs);
          fc.pre(text.length <= MAX_FORMULA);
          expect(parseFormula(text, find)).toEqual({ ok: true, formula });
          if (signs === TYPED) expect(readFormula(text)).toEqual(formula);
        },
      ),
    );
  });

  it('is read from an address only as it is written there', () => {
    const signs = ['A', 'B', 'AA', '1', '0.5', '2.50', '+', '-', '*', '/', '(', ')', ' ', 'a', '.'];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...signs)).map((all) => all.join('')),
        (text) => {
          const formula = readFormula(text);
          if (formula) expect(formatFormula(formula, letterOf)).toBe(text);
        },
      ),
    );
    for (const text of ['A+', 'A B', '((A))', '2', '(A', 'A/0x1', 'NaN', 'A*1e5', 'A*2.50', '']) {
      expect(readFormula(text)).toBeUndefined();
    }
  });

  it('names places by letters, as spreadsheets do', () => {
    expect([1, 26, 27, 52, 702, 703].map(letterOf)).toEqual(['A', 'Z', 'AA', 'AZ', 'ZZ', 'AAA']);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 18_278 }), (n) => placeOfLetters(letterOf(n)) === n),
    );
    expect(['', 'É', 'A1', 'ABCD'].map(placeOfLetters)).toEqual([0, 0, 0, 0]);
  });
});

describe('the unit of a formula', () => {
  const units: Readonly<Record<number, Unit>> = { 13: 'part', 14: 'ratio' };
  it.each([
    ['A + B - A', 'count'],
    ['(A + B) / 2', 'count'],
    ['0.5 * A', 'count'],
    ['A / B', 'ratio'],
    ['A * B', 'ratio'],
    ['A + 10', 'ratio'],
    ['2 / A', 'ratio'],
    ['A / (A + B)', 'part'],
    ['(A + B) / (B + E + A)', 'part'],
    ['(A + A) / (A + B)', 'ratio'],
    ['1 - B / (A + B)', 'part'],
    ['C - C', 'part'],
    ['100 * C', 'ratio'],
    ['A + D', 'ratio'],
  ])('of %s is %s', (text, unit) => {
    const checked = checkFormula(text, SERIES);
    if (!checked.ok) throw new Error(checked.diagnostic.message);
    expect(formulaUnit(checked.formula, (id) => units[id] ?? 'count')).toBe(unit);
  });

  it('is the same through a named sum', () => {
    const [a, b, sum]: Formula<number>[] = [0, 1, 2].map((of) => ({ kind: 'series', of }));
    if (!a || !b || !sum) throw new Error('expected series');
    const named = new Map<number, Formula<number>>([[2, { kind: 'sum', a, b }]]);
    const of = (formula: Formula<number>): Unit =>
      formulaUnit(
        expanded(formula, (id) => named.get(id) ?? null),
        () => 'count',
      );
    expect(of({ kind: 'quotient', a, b: sum })).toBe('part');
    expect(of({ kind: 'quotient', a: b, b: { kind: 'sum', a: sum, b } })).toBe('part');
    expect(of({ kind: 'quotient', a, b })).toBe('ratio');
    // A formula that doubles at each step is not written out.
    for (let id = 3; id < 60; id += 1) {
      const half: Formula<number> = { kind: 'series', of: id - 1 };
      named.set(id, { kind: 'sum', a: half, b: half });
    }
    expect(of({ kind: 'quotient', a, b: { kind: 'series', of: 59 } })).toBe('ratio');
  });

  it('is that of counts only if the formula of sums is the sum of the formulas', () => {
    const pair = fc.tuple(fc.nat(50), fc.nat(50));
    fc.assert(
      fc.property(formulasOver([0, 1]), pair, pair, (formula, x, y) => {
        fc.pre(formulaUnit(formula, () => 'count') === 'count' && seriesIn(formula).length > 0);
        const at = (values: readonly number[]): number =>
          compute(formula, (i) => values[i] ?? NONE);
        const both = at(x.map((value, i) => value + (y[i] ?? 0)));
        if (Number.isFinite(both))
          expect(at(x) + at(y)).toBeCloseTo(both, -Math.log10(Math.abs(both) + 1) + 6);
      }),
    );
  });
});
