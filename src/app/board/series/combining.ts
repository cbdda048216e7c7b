import { OPERATIONS, type Operation } from '#core/series/combine.ts';
import { difference, overlap, union, type Composed } from '#core/query/compose.ts';
import { formulaWords } from '#app/board/state/formula.ts';
import { partOf } from '#app/board/state/series-list.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';

/** A formula over two series: it needs no request, and a Post that matches both counts in both. */
export interface FormulaOption {
  readonly operation: Operation;
  readonly formula: string;
}

/** One query composed of two: it is requested, and every Post counts once. */
export interface Composition {
  readonly name: string;
  readonly meaning: string;
  readonly label: string;
  readonly query: Composed;
}

/** The formulas over two series. */
export function formulas(a: BoardSeries, b: BoardSeries): FormulaOption[] {
  return (Object.keys(OPERATIONS) as Operation[]).map((operation) => ({
    operation,
    formula: formulaWords(operation, partOf(a), partOf(b)),
  }));
}

/** The queries composed of two; none if one of the series is not a query. */
export function compositions(a: BoardSeries, b: BoardSeries): Composition[] {
  if (!a.countable || !b.countable) return [];
  const options = { limit: Math.min(a.limit, b.limit) };
  const of = [a.query.trim(), b.query.trim(), options] as const;
  return [
    {
      name: 'Union',
      meaning: 'Posts that match either, each once',
      label: `${a.name} ∪ ${b.name}`,
      query: union(...of),
    },
    {
      name: 'Overlap',
      meaning: 'Posts that match both',
      label: `${a.name} ∩ ${b.name}`,
      query: overlap(...of),
    },
    {
      name: 'Difference',
      meaning: 'Posts that match the first and not the second',
      label: `${a.name} ∖ ${b.name}`,
      query: difference(...of),
    },
  ];
}
