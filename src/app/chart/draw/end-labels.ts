import { isQuotient } from './axes.ts';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import type { ChartState } from '#app/chart/chart.svelte.ts';
import { partsOf, type LineParts } from './decimate.ts';

/** The point for a line's name: where the line leaves the view, else its last point. Null if nothing is drawn. */
export function endIn(
  { line, end }: Pick<LineParts, 'line' | 'end'>,
  until: number,
): { x: number; y: number } | null {
  if (!end || end.x <= until) return end;
  for (let i = line.length - 4; i >= 0; i -= 2) {
    const [x = 0, y = 0, nextX = 0, nextY = 0] = line.subarray(i, i + 4);
    if (x > until || Number.isNaN(y)) continue;
    if (Number.isNaN(nextY)) return { x, y };
    return { x: until, y: y + ((nextY - y) * (until - x)) / (nextX - x) };
  }
  return end;
}

/**
 * Moves labels apart so that they do not overlap. They keep their order, move as little as possible, and stay between
 * `top` and `bottom` if all fit.
 *
 * @param wanted - Desired middle of each label, px, in any order.
 * @param height - Height of a label, px.
 * @returns The actual middles, in the order of `wanted`.
 */
export function spreadLabels(
  wanted: readonly number[],
  height: number,
  top: number,
  bottom: number,
): number[] {
  const order = wanted
    .map((_, i) => i)
    .sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0) || a - b);
  const placed = wanted.map((y) => y);
  let least = top + height / 2;
  for (const i of order) {
    placed[i] = Math.max(least, wanted[i] ?? 0);
    least = (placed[i] ?? 0) + height;
  }
  let most = bottom - height / 2;
  for (const i of order.toReversed()) {
    placed[i] = Math.min(most, placed[i] ?? 0);
    most = (placed[i] ?? 0) - height;
  }
  return placed;
}

/** Height of a name, px, and how far names may leave the plot. */
const NAME_PX = 17;
const OUTSIDE_PX = 8;

/** A name at the end of a line, or over a row; `y` is its middle, px. */
interface EndName {
  readonly key: string;
  readonly name: string;
  readonly colour: number;
  readonly y: number;
  /** Its left edge over a row, px; null at the end of a line. */
  readonly x: number | null;
  /** True for an earlier period, which is fainter. */
  readonly faint: boolean;
}

/** The names of the lines of several earlier periods, in the order of the series. */
function earlierNames(
  chart: ChartState,
  series: readonly ChartSeries[],
  names: readonly string[],
): EndName[] {
  if (names.length < 2) return [];
  return series.flatMap(({ id, style: { colour } }) =>
    (chart.figure.parts.get(id)?.earlier ?? []).flatMap(({ period, line }): EndName[] => {
      const end = endIn({ line, end: partsOf(line, []).end }, chart.window.end);
      const name = names[period] ?? '';
      return end
        ? [{ key: `${id} ${period}`, name, colour, x: null, y: chart.y(end.y, id), faint: true }]
        : [];
    }),
  );
}

/**
 * The names of the lines at their ends, moved apart so that they do not overlap. Those of earlier periods are left out
 * where not all names fit. A narrow chart has no room for names: they would cover its lines. A row has its name over it.
 *
 * @param earlier - Names of the earlier periods, the latest first.
 */
export function endNames(
  chart: ChartState,
  series: readonly ChartSeries[],
  earlier: readonly string[],
): EndName[] {
  const over = series.flatMap(({ id, name, style: { colour } }): EndName[] => {
    const row = chart.rows.find((each) => each.id === id);
    const x = chart.plot.left;
    return row
      ? [{ key: String(id), name, colour, x, y: row.top - NAME_PX / 2, faint: false }]
      : [];
  });
  if (!chart.named) return over;
  const atEnds = over.length > 0 ? [] : series;
  const own = atEnds.flatMap((drawn): EndName[] => {
    const parts = chart.figure.parts.get(drawn.id);
    // Bands are labelled in the middle, bars at the top.
    const apart = !chart.figure.stacked && chart.figure.form !== 'bars';
    const joined = apart || isQuotient(drawn);
    const end = parts && (joined ? endIn(parts, chart.window.end) : parts.end);
    return end
      ? [
          {
            key: String(drawn.id),
            name: drawn.name,
            colour: drawn.style.colour,
            x: null,
            y: chart.y(end.y, drawn.id),
            faint: false,
          },
        ]
      : [];
  });
  const faint = earlierNames(chart, series, earlier);
  const fit = (own.length + faint.length) * NAME_PX <= chart.plotHeight + 2 * OUTSIDE_PX;
  const ends = fit ? [...own, ...faint] : own;
  const placed = spreadLabels(
    ends.map((end) => end.y),
    NAME_PX,
    chart.plot.top - OUTSIDE_PX,
    chart.plot.top + chart.plotHeight + OUTSIDE_PX,
  );
  return [...over, ...ends.map((end, i) => ({ ...end, y: placed[i] ?? end.y }))];
}
