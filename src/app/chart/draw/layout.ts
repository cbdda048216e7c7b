import { sameBuckets } from '#core/series/series.ts';
import { trackOf, type Track } from '#core/series/trend.ts';
import type { Form, Trend } from './form.ts';
import { axisOf, sidesOf } from './axes.ts';
import { measureOf, type FigureSeries, type Measure } from './values.ts';
import {
  type FigureInput,
  type ChartLayout,
  layoutStacked,
  layoutSideBySide,
  type FigureValue,
  stackOf,
} from './layout-lines.ts';

/** Maximum number of series with bars side by side; more are stacked. */
const ABREAST = 3;

/** The form to draw. Values that are not parts of a whole are not stacked; small multiples are lines. */
export function drawnForm(form: Form, trend: Trend): Form {
  if (form === 'multiples') return 'line';
  const whole = trend.kind !== 'index' && trend.kind !== 'per';
  return whole || (form !== 'stack' && form !== 'share') ? form : 'line';
}

/** The form of quotients without counts: they do not add up, and are not amounts for bars. */
function loneForm(form: Form): Form {
  return form === 'area' ? 'area' : 'line';
}

/** True if series of a form are stacked. A log scale would give a stack wrong heights, and is not used. */
export function isStacked(form: Form, trend: Trend, series: number): boolean {
  const drawn = drawnForm(form, trend);
  const parts = trend.kind !== 'index' && trend.kind !== 'per';
  return drawn === 'stack' || drawn === 'share' || (drawn === 'bars' && series > ABREAST && parts);
}

/**
 * Lays out series in a window.
 *
 * Plain and indexed lines and areas show the minimum and maximum of every column. Everything else comes from exact
 * sums: of each bucket if there are few, else the mean of a column's buckets. A stack has a gap wherever one of its
 * series is missing or below zero. Quotients are not stacked: they are lines of minima and maxima in front, or of their
 * averages.
 */
export function figureOf(input: FigureInput): ChartLayout {
  const { baseline, window, trend } = input;
  const { counted, quotients } = sidesOf(input.series, baseline, trend);
  const alone = counted.length === 0 && quotients.length > 0;
  const form = alone ? loneForm(input.form) : drawnForm(input.form, trend);
  const stacked = !alone && isStacked(input.form, trend, counted.length);
  const track = ({ curve, pyramid }: FigureSeries): Track => trackOf(curve, pyramid);
  const measure = (series: FigureSeries): Measure => measureOf(series, baseline, trend, window);
  const tracks = counted.map(track);
  const measures = counted.map(measure);
  const first = (counted[0] ?? quotients[0])?.curve;
  const values = (from: number, to: number): number[] =>
    tracks.map(({ curve }, k) =>
      first && sameBuckets(curve, first) ? (measures[k]?.now(from, to) ?? Number.NaN) : Number.NaN,
    );
  const counts = { ...input, series: counted };
  const { parts, grid, gaps } = stacked
    ? layoutStacked(counts, form, tracks, values)
    : layoutSideBySide(counts, form, tracks, measures);
  const overTrend: Trend = trend.kind === 'average' ? trend : { kind: 'none' };
  const over = { ...input, series: quotients, trend: overTrend };
  const overMeasures = quotients.map(measure);
  const overLayout = layoutSideBySide(over, 'line', quotients.map(track), overMeasures);
  const lines = overLayout.parts;
  const unit = quotients.every((quotient) => quotient.unit === 'part') ? 'part' : 'ratio';
  const quotientAxis = quotients.length > 0 ? axisOf(lines.values(), unit) : null;
  const read = (from: number, to: number): FigureValue[] => {
    const row = values(from, to);
    const share = form === 'share';
    const tops = stacked ? stackOf(row, share) : row;
    const all = share ? row.reduce((sum, value) => sum + value, 0) : 1;
    const rows = counted.map(({ id }, k) => {
      const top = tops[k] ?? Number.NaN;
      return {
        id,
        value: share && Number.isNaN(top) ? top : (row[k] ?? Number.NaN) / all,
        earlier: share ? [] : (measures[k]?.earlier.map(({ at }) => at(from, to)) ?? []),
        top,
      };
    });
    const rest = quotients.map(({ id, curve }, k) => {
      const own = first && sameBuckets(curve, first) ? overMeasures[k] : undefined;
      const value = own?.now(from, to) ?? Number.NaN;
      const earlier = own?.earlier.map(({ at }) => at(from, to)) ?? [];
      return { id, value, earlier, top: value };
    });
    return [...rows, ...rest];
  };
  return {
    form,
    stacked,
    parts: new Map([...parts, ...lines]),
    left: (alone ? quotientAxis : null) ?? axisOf(parts.values(), 'count'),
    right: alone ? null : quotientAxis,
    onRight: new Set(alone ? [] : lines.keys()),
    grid: alone ? overLayout.grid : grid,
    gaps,
    read,
  };
}
