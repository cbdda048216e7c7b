/**
 * Arithmetic over series and numbers, as data: `check-formula.ts` reads what a user types, {@link readFormula} what an
 * address holds, and `combine.ts` computes it. A series is referred to by whatever the caller chooses: its place in an address, its id, or its curve.
 */
export type Formula<S> =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'series'; readonly of: S }
  | { readonly kind: Operation; readonly a: Formula<S>; readonly b: Formula<S> };
export type Operation = 'sum' | 'difference' | 'product' | 'quotient';

/** The kind of the values of a series: counts of Posts, a part of a whole from 0 to 1, or any other result. */
export type Unit = 'count' | 'ratio' | 'part';

/** The most series in a formula whose named sums are replaced. */
const MAX_EXPANDED = 1000;

/** The longest text of a formula. */
export const MAX_FORMULA = 500;

/** The signs of a formula: as typed on a keyboard, or as printed. */
export const TYPED = { sum: '+', difference: '-', product: '*', quotient: '/' } as const;
export const PRINTED = { sum: ' + ', difference: ' − ', product: ' × ', quotient: ' ÷ ' } as const;

const bindingOf = ({ kind }: Formula<unknown>): number =>
  kind === 'number' || kind === 'series' ? 2 : kind === 'sum' || kind === 'difference' ? 0 : 1;

/**
 * Writes a formula with the fewest parentheses that are read back to the same one.
 *
 * @param name - Writes a series.
 */
export function formatFormula<S>(
  formula: Formula<S>,
  name: (of: S) => string,
  signs: Readonly<Record<Operation, string>> = TYPED,
): string {
  if (formula.kind === 'number') return String(formula.value);
  if (formula.kind === 'series') return name(formula.of);
  const { kind, a, b } = formula;
  const own = bindingOf(formula);
  const write = (part: Formula<S>, least: number): string => {
    const text = formatFormula(part, name, signs);
    return bindingOf(part) < least ? `(${text})` : text;
  };
  return write(a, own) + signs[kind] + write(b, own + 1);
}

/** The letters of a place, 1-based: A, B, …, Z, AA. */
export function letterOf(place: number): string {
  let letters = '';
  for (let rest = place; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** The place of letters, 1-based; 0 if they are none. */
export function placeOfLetters(letters: string): number {
  if (!/^[a-z]{1,3}$/i.test(letters)) return 0;
  return [...letters.toUpperCase()].reduce(
    (sum, letter) => sum * 26 + letter.charCodeAt(0) - 64,
    0,
  );
}

const BY_SIGN = [
  { '+': 'sum', '-': 'difference' },
  { '*': 'product', '/': 'quotient' },
] as const;

/**
 * Reads exactly what {@link formatFormula} writes with letters for series: `A/(A+B)`.
 *
 * @returns By places, 1-based; undefined for any other text.
 */
export function readFormula(text: string): Formula<number> | undefined {
  if (text.length > MAX_FORMULA || !/[A-Z]/.test(text)) return undefined;
  const tokens = text.match(/[A-Z]+|[\d.]+|./g) ?? [];
  let next = 0;
  const read = (level: number): Formula<number> => {
    const signs: Partial<Record<string, Operation>> | undefined = BY_SIGN[level];
    if (!signs) {
      const token = tokens[next++] ?? '';
      if (token !== '(') {
        const of = placeOfLetters(token);
        return of > 0 ? { kind: 'series', of } : { kind: 'number', value: Number(token) };
      }
      const inner = read(0);
      next += 1;
      return inner;
    }
    let formula = read(level + 1);
    for (;;) {
      const kind = signs[tokens[next] ?? ''];
      if (!kind) return formula;
      next += 1;
      formula = { kind, a: formula, b: read(level + 1) };
    }
  };
  const formula = read(0);
  return formatFormula(formula, letterOf) === text ? formula : undefined;
}

/** The series of a formula, each once, in order of appearance. */
export function seriesIn<S>(formula: Formula<S>): S[] {
  const found = new Set<S>();
  const seen = new Set<Formula<S>>();
  const visit = (part: Formula<S>): void => {
    // Formulas over formulas share their parts, which may be reached in very many ways.
    if (part.kind === 'number' || seen.has(part)) return;
    seen.add(part);
    if (part.kind === 'series') found.add(part.of);
    else [part.a, part.b].forEach(visit);
  };
  visit(formula);
  return [...found];
}

/** Replaces the series of a formula; null if one has no replacement. */
export function substitute<S, T>(
  formula: Formula<S>,
  by: (of: S) => Formula<T> | null,
): Formula<T> | null {
  if (formula.kind === 'number') return formula;
  if (formula.kind === 'series') return by(formula.of);
  const [a, b] = [substitute(formula.a, by), substitute(formula.b, by)];
  return a && b && { kind: formula.kind, a, b };
}

/** The summands of a formula, as many as it adds up. */
function summands<S>(formula: Formula<S>): Formula<S>[] {
  return formula.kind === 'sum' ? [...summands(formula.a), ...summands(formula.b)] : [formula];
}

/** True if everything that a formula adds up is among what another adds up: `A` and `A + B`. */
function isPartOf<S>(formula: Formula<S>, whole: Formula<S>): boolean {
  const rest = summands(whole).map((part) => JSON.stringify(part));
  return summands(formula).every((part) => {
    const at = rest.indexOf(JSON.stringify(part));
    return at >= 0 && rest.splice(at, 1).length > 0;
  });
}

/** Replaces series that are computed by their formulas, so that a sum reads the same with a name as without. */
export function expanded<S>(
  formula: Formula<S>,
  formulaOf: (of: S) => Formula<S> | null,
): Formula<S> {
  // Formulas over formulas double at each step; a longer one stays as it is.
  let left = MAX_EXPANDED;
  const expand = (part: Formula<S>): Formula<S> | null =>
    substitute<S, S>(part, (of) => {
      left -= 1;
      if (left < 0) return null;
      const inner = formulaOf(of);
      return inner ? expand(inner) : { kind: 'series', of };
    });
  return expand(formula) ?? formula;
}

/**
 * The unit of a formula's values. Sums and differences of counts, and their multiples by a number, are counts: they add
 * up over time. A value over a sum that includes it is a part, and so is what is missing from a part to a number.
 *
 * @param of - Ids or places, which are compared as JSON.
 */
export function formulaUnit<S extends string | number>(
  formula: Formula<S>,
  unitOf: (of: S) => Unit,
): Unit {
  const kindOf = (part: Formula<S>): Unit | 'number' => {
    if (part.kind === 'number') return 'number';
    if (part.kind === 'series') return unitOf(part.of);
    const [a, b] = [kindOf(part.a), kindOf(part.b)];
    if (a === 'number' && b === 'number') return 'number';
    if (part.kind === 'sum' || part.kind === 'difference') {
      if (a === b) return a;
      const parts = [a, b].every((kind) => kind === 'part' || kind === 'number');
      return parts ? 'part' : 'ratio';
    }
    if (part.kind === 'product') {
      const counts = (a === 'number' && b === 'count') || (a === 'count' && b === 'number');
      return counts ? 'count' : 'ratio';
    }
    if (a === 'count' && b === 'number') return 'count';
    return a !== 'number' && isPartOf(part.a, part.b) ? 'part' : 'ratio';
  };
  const kind = kindOf(formula);
  return kind === 'number' ? 'ratio' : kind;
}
