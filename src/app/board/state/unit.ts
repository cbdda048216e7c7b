import type { Unit } from '#app/chart/form.ts';
import { isQuotient } from '#core/series/combine.ts';
import type { BoardSeries } from './series.svelte.ts';

type Computed = Pick<BoardSeries, 'id' | 'formula'> & Partial<Pick<BoardSeries, 'fractions'>>;

/**
 * What the values of a series are: of what is computed of quotients, again a quotient.
 *
 * @param all - The board's series, where those are that it is computed of.
 */
export function unitOf(one: Computed, all: readonly Computed[]): Unit {
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
