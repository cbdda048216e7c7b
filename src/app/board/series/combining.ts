import { difference, overlap, queryUnion, type Composed } from '#core/query/compose.ts';
import { checkFormula, type NamedSeries } from '#core/series/check-formula.ts';
import { formatFormula, letterOf, PRINTED, seriesIn, type Formula } from '#core/series/formula.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import { summarize, type Summary } from '#app/insight/summary/summary.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { buildPyramid } from '#core/series/pyramid/build-pyramid.ts';

/** A common formula, by the letters of two series. */
interface Shortcut {
  readonly name: string;
  readonly formula: string;
}

/** One query composed of two: it is requested, and every Post counts once. */
export interface Composition {
  readonly name: string;
  readonly meaning: string;
  readonly label: string;
  readonly query: Composed;
}

/** The common formulas over two series. @param a - Letters. */
export function shortcuts(a: string, b: string): Shortcut[] {
  return [
    { name: 'Sum', formula: `${a} + ${b}` },
    { name: 'Difference', formula: `${a} − ${b}` },
    { name: 'Ratio', formula: `${a} ÷ ${b}` },
    { name: 'Part', formula: `${a} ÷ (${a} + ${b})` },
  ];
}

/** The series that a formula can contain, in the order of their letters. @param changed - The series it computes. */
export function namedSeries(board: Board, changed: BoardSeries | null): NamedSeries[] {
  const own = new Set(changed ? board.series.dependents(changed) : []);
  return board.series.all.map((series) => ({
    id: series.id,
    name: series.name,
    own: own.has(series),
  }));
}

/** The formula of a computed series, as it is typed. */
export function formulaText(board: Board, { formula }: BoardSeries): string {
  const place = (id: number): number =>
    board.series.all.findIndex((series) => series.id === id) + 1;
  return formula ? formatFormula(formula, (id) => letterOf(place(id)), PRINTED) : '';
}

/** The result of a formula over the buckets shown. */
export interface FormulaPreview {
  readonly formula: Formula<number>;
  /** With the names of the series. */
  readonly words: string;
  /** Null if a series is not counted yet. */
  readonly figures: { readonly summary: Summary; readonly pyramid: Pyramid } | null;
}

/** Computes a formula before it is added. */
export function previewOf(board: Board, formula: Formula<number>): FormulaPreview {
  const computed = board.series.computed(formula);
  const words = computed.describe();
  const curve = board.series.curveOf(formula);
  if (!curve) return { formula, words, figures: null };
  const pyramid = buildPyramid(curve.counts);
  const summary = summarize(curve, board.time.now, {
    window: board.time.rested,
    parts: computed.parts(),
    unit: computed.unit(),
    fractions: computed.fractions(),
    pyramid,
  });
  return { formula, words, figures: { summary, pyramid } };
}

/** Checks a typed formula against the series of the board. */
export function checkTyped(
  board: Board,
  text: string,
  changed: BoardSeries | null,
): ReturnType<typeof checkFormula> {
  return checkFormula(text, namedSeries(board, changed));
}

/**
 * Changes what a series is computed by.
 *
 * @throws {RangeError} for a formula that contains the series itself, directly or through other formulas.
 */
export function recompute(board: Board, series: BoardSeries, formula: Formula<number>): void {
  const ids = seriesIn(formula);
  const cycle = board.series.dependents(series).find(({ id }) => ids.includes(id));
  if (cycle) throw new RangeError(`expected a formula without ${series.name}, got ${cycle.name}`);
  series.formula = formula;
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
      query: queryUnion(...of),
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
