import type { Unit } from '#core/series/formula.ts';
import type { DrawnCurve } from './curve.ts';
import type { ValueScale } from './scale.ts';

/** A part of the chart's height, px from its top. */
export interface RowBand {
  readonly top: number;
  readonly height: number;
}

/** A row of small multiples: one series on a scale of its own, or one that all share. */
export interface ChartRow extends RowBand {
  readonly id: number;
  readonly scale: ValueScale;
  readonly unit: Unit;
}

/** Height of a row's name above its plot, dense or with room, and the least height of that plot, px. */
const HEAD_PX = { dense: 18, roomy: 26 };
const LEAST_PX = 26;
/** The height from which a row has room, px. */
const ROOMY_PX = 80;

/** The least height of the plot of so many rows, px. */
export function leastHeight(rows: number): number {
  return rows * (HEAD_PX.dense + LEAST_PX);
}

/** Divides the height of a plot into equal rows, without their heads. The last one ends at the time axis. */
export function bandsOf(rows: number, { top, height }: RowBand): RowBand[] {
  const edge = (row: number): number => Math.round(top + (row * height) / rows);
  const head = height / rows < ROOMY_PX ? HEAD_PX.dense : HEAD_PX.roomy;
  return Array.from({ length: rows }, (_, row) => {
    const from = edge(row) + head;
    const to = row + 1 === rows ? top + height : edge(row + 1);
    return { top: from, height: Math.max(1, to - from) };
  });
}

/** The scale of a plot with rows: a height is a share of the plot's, from 0 at its bottom. */
export const ROWS_SCALE: ValueScale = { kind: 'linear', low: 0, high: 1, one: 1, ticks: [] };

/** The place of a row in a plot, as shares of the plot's height. */
export interface RowPlace {
  readonly scale: ValueScale;
  /** Of its lower end, and its upper end. */
  readonly from: number;
  readonly to: number;
}

/** The place of a row in its plot. */
export function rowPlace({ top, height, scale }: ChartRow, plot: RowBand): RowPlace {
  const share = (y: number): number => 1 - (y - plot.top) / plot.height;
  return { scale, from: share(top + height), to: share(top) };
}

/** Moves a curve from the heights of its row's scale to those of {@link ROWS_SCALE}. */
export function inRow(curve: DrawnCurve, { scale, from, to }: RowPlace): DrawnCurve {
  const height = (value: number): number =>
    from + ((value - scale.low) / (scale.high - scale.low)) * (to - from);
  const all = (points: Float64Array): Float64Array =>
    points.map((value, i) => (i % 2 === 0 ? value : height(value)));
  const at = ([x, y]: readonly [number, number]) => [x, height(y)] as const;
  const { points, fill, marks, label } = curve;
  return {
    ...curve,
    right: false,
    ...(points && { points: all(points) }),
    ...(fill && { fill: { ...fill, ...(fill.to && { to: all(fill.to) }) } }),
    ...(marks && { marks: marks.map((mark) => ({ ...mark, at: at(mark.at) })) }),
    ...(label && { label: { ...label, at: at(label.at) } }),
  };
}
