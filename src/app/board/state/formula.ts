import {
  formatFormula,
  letterOf,
  PRINTED,
  readFormula,
  type Formula,
} from '#core/series/formula.ts';

/** A computed series' formula in a view: its series as positions in the list, 1-based. */
export type ViewFormula = Formula<number>;

/** A formula as the address holds it, with letters for positions: `A/(A+B)`. */
export function viewFormulaText(formula: ViewFormula): string {
  return formatFormula(formula, letterOf);
}

/**
 * Reads what {@link viewFormulaText} writes, and the addresses of earlier versions, which had the positions themselves:
 * `1/(1+2)`.
 *
 * @returns Undefined if the text is not a formula.
 */
export function parseViewFormula(text: string): ViewFormula | undefined {
  const old = !/[A-Z]/.test(text);
  return readFormula(old ? text.replaceAll(/\d+/g, (n) => letterOf(Number(n))) : text);
}

/** A series of a formula in words; `computed` if it is itself a formula without a name. */
export interface FormulaPart {
  readonly name: string;
  readonly computed: boolean;
}

/** Formulas over formulas double their names at each step; a longer one is cut. */
const MAX_WORDS = 1000;

/** A formula with names: `Oat milk ÷ Matcha`, `(Oat milk + Chai) ÷ Matcha`. */
export function formulaWords<S>(formula: Formula<S>, partOf: (of: S) => FormulaPart): string {
  const text = (of: S): string => {
    const { name, computed } = partOf(of);
    return computed && formula.kind !== 'series' ? `(${name})` : name;
  };
  const words = formatFormula(formula, text, PRINTED);
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
