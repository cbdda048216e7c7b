import { OPERATIONS, type Operation } from '#core/series/combine.ts';
import { difference, overlap, union, type Composed } from '#core/query/compose.ts';
import { formulaWords } from '#app/board/state/formula.ts';
import { partOf } from '#app/board/state/series-list.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';

/** Arithmetic of two series: nothing is asked, and a Post that matches both counts in both. */
export interface Reckoning {
  readonly operation: Operation;
  readonly formula: string;
}

/** One query made of two: it is asked, and every Post counts once. */
export interface Asking {
  readonly name: string;
  readonly meaning: string;
  readonly label: string;
  readonly composed: Composed;
}

/** The arithmetic that two series allow. */
export function reckonings(a: BoardSeries, b: BoardSeries): Reckoning[] {
  return (Object.keys(OPERATIONS) as Operation[]).map((operation) => ({
    operation,
    formula: formulaWords(operation, partOf(a), partOf(b)),
  }));
}

/** The queries that two queries make; none where one of the two series is no query. */
export function askings(a: BoardSeries, b: BoardSeries): Asking[] {
  if (!a.countable || !b.countable) return [];
  const options = { limit: Math.min(a.limit, b.limit) };
  const of = [a.query.trim(), b.query.trim(), options] as const;
  return [
    {
      name: 'Union',
      meaning: 'Posts that match either, each once',
      label: `${a.name} ∪ ${b.name}`,
      composed: union(...of),
    },
    {
      name: 'Overlap',
      meaning: 'Posts that match both',
      label: `${a.name} ∩ ${b.name}`,
      composed: overlap(...of),
    },
    {
      name: 'Difference',
      meaning: 'Posts that match the first and not the second',
      label: `${a.name} ∖ ${b.name}`,
      composed: difference(...of),
    },
  ];
}
