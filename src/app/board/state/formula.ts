import { isQuotient, type Operation } from '#core/series/combine.ts';

/** What a computed series is computed of: places of the list, 1-based. */
export interface ViewFormula {
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
}

/** How a formula is written: with the signs of a keyboard, or of print. */
type Signs = Readonly<Record<'plus' | 'minus' | 'over', string>>;
const TYPED: Signs = { plus: '+', minus: '-', over: '/' };
const PRINTED: Signs = { plus: ' + ', minus: ' − ', over: ' ÷ ' };

function written(operation: Operation, a: string, b: string, signs: Signs): string {
  if (!isQuotient(operation)) return a + (operation === 'sum' ? signs.plus : signs.minus) + b;
  return a + signs.over + (operation === 'part' ? `(${a}${signs.plus}${b})` : b);
}

/** A formula as the address has it: `1/2`, `1/(1+2)`. */
export function formatFormula({ operation, a, b }: ViewFormula): string {
  return written(operation, String(a), String(b), TYPED);
}

/** A part of a formula in words; `computed` where it is a formula itself, whose words are not its name. */
export interface FormulaPart {
  readonly name: string;
  readonly computed: boolean;
}

/** A formula over names: `Oat milk ÷ Matcha`, `(Oat milk + Chai) ÷ Matcha`. */
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

/** Reads what {@link formatFormula} writes; undefined where it is no formula. */
export function parseFormula(text: string): ViewFormula | undefined {
  const [, a = '', sign = '', b = ''] = SIMPLE.exec(text) ?? [];
  const operation = BY_SIGN[sign];
  if (operation) return { operation, a: Number(a), b: Number(b) };
  const [, part = '', same = '', other = ''] = PART.exec(text) ?? [];
  return part !== '' && part === same
    ? { operation: 'part', a: Number(part), b: Number(other) }
    : undefined;
}
