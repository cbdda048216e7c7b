import type { Unit } from '#app/chart/form.ts';
import { isQuotient, type Operation } from '#core/series/combine.ts';

/** The parts of a computed series, as positions in the list, 1-based. */
export interface ViewFormula {
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
}

/** The signs of a formula: as typed on a keyboard, or as printed. */
type Signs = Readonly<Record<'plus' | 'minus' | 'over', string>>;
const TYPED: Signs = { plus: '+', minus: '-', over: '/' };
const PRINTED: Signs = { plus: ' + ', minus: ' − ', over: ' ÷ ' };

function written(operation: Operation, a: string, b: string, signs: Signs): string {
  if (!isQuotient(operation)) return a + (operation === 'sum' ? signs.plus : signs.minus) + b;
  return a + signs.over + (operation === 'part' ? `(${a}${signs.plus}${b})` : b);
}

/** A formula as the address holds it: `1/2`, `1/(1+2)`. */
export function formatFormula({ operation, a, b }: ViewFormula): string {
  return written(operation, String(a), String(b), TYPED);
}

/** A part of a formula in words; `computed` if it is itself a formula without a name. */
export interface FormulaPart {
  readonly name: string;
  readonly computed: boolean;
}

/** A formula with names: `Oat milk ÷ Matcha`, `(Oat milk + Chai) ÷ Matcha`. */
export function formulaWords(operation: Operation, a: FormulaPart, b: FormulaPart): string {
  const text = ({ name, computed }: FormulaPart): string => (computed ? `(${name})` : name);
  return written(operation, text(a), text(b), PRINTED);
}

const SIMPLE = /^(\d{1,4})([+\-/])(\d{1,4})$/;
const PART = /^(\d{1,4})\/\((\d{1,4})\+(\d{1,4})\)$/;
const BY_SIGN: Readonly<Record<string, Operation>> = {
  '+': 'sum',
  '-': 'difference',
  '/': 'quotient',
};

/** Reads what {@link formatFormula} writes; undefined if the text is not a formula. */
export function parseFormula(text: string): ViewFormula | undefined {
  const [, a = '', sign = '', b = ''] = SIMPLE.exec(text) ?? [];
  const operation = BY_SIGN[sign];
  if (operation) return { operation, a: Number(a), b: Number(b) };
  const [, part = '', same = '', other = ''] = PART.exec(text) ?? [];
  return part !== '' && part === same
    ? { operation: 'part', a: Number(part), b: Number(other) }
    : undefined;
}

interface Part {
  readonly id: number;
  /** Its parts by ID; null unless it is computed. */
  readonly formula: ViewFormula | null;
  /** Whether its values are fractions rather than counts. */
  readonly fractions?: boolean;
}

/**
 * The unit of a series' values; a sum or difference of quotients is a quotient too.
 *
 * @param all - All series of the board, among them the parts of a formula.
 */
export function unitOf(one: Part, all: readonly Part[]): Unit {
  const { formula, fractions = false } = one;
  if (!formula) return fractions ? 'ratio' : 'count';
  if (isQuotient(formula.operation)) return formula.operation === 'part' ? 'part' : 'ratio';
  const units = [formula.a, formula.b].map((id) => {
    const part = all.find((each) => each.id === id);
    return part ? unitOf(part, all) : 'count';
  });
  if (units.every((unit) => unit === 'count')) return 'count';
  return units.every((unit) => unit === 'part') ? 'part' : 'ratio';
}
