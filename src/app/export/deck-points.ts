import type { ChartSeries } from '#app/chart/chart-props.ts';
import { gridOf } from '#app/chart/draw/grid.ts';
import type { Shown } from '#app/chart/draw/picture.ts';
import { DATE, TIME, uniqueLabels } from '#core/export/csv.ts';
import { STATE } from '#core/series/series.ts';
import { trackOf } from '#core/series/trend.ts';
import { START_LOCAL, type XlsxJob } from '#app/export/xlsx/counts-sheet.ts';
import type { PlainSheet } from '#app/export/xlsx/plain-sheet.ts';
import { gridColumns, type ChartLayout } from '#app/chart/draw/layout-lines.ts';

/** Most points of a series: the pixels of a projector. More are merged, as on the drawn slide. */
const MOST_POINTS = 4_000;
/** The sheet of drawn values, where these are not the counts. */
export const DRAWN_SHEET = 'Chart';

/** The counts in view, as the workbook behind the chart has them. */
export type Book = Pick<XlsxJob, 'bounds' | 'series' | 'timed'>;

/** The points of a chart: the instants between which they lie, one more than points, and the values of each line. */
export interface Points {
  readonly bounds: readonly number[];
  readonly lines: readonly {
    readonly series: ChartSeries;
    /** Of the earlier periods; null for the time in view. */
    readonly period: number | null;
    readonly name: string;
    readonly values: readonly number[];
  }[];
  /** True for points of unfinished buckets. */
  readonly open: readonly boolean[];
  /** Buckets in each. */
  readonly step: number;
}

/** True if the drawn values are the counts, so that the chart can refer to the sheet that equals a CSV. */
export function areCounts(
  { data, style }: Shown,
  { stacked }: ChartLayout,
  { bounds, series }: Book,
) {
  const fits = (i: number): boolean => {
    const column = series.map(({ counts }) => counts[i] ?? Number.NaN);
    // A stack has no column where one of its parts is missing.
    return column.every((value) => value >= 0) || column.every((value) => Number.isNaN(value));
  };
  return (
    style.trend.kind === 'none' &&
    bounds.length - 1 <= MOST_POINTS &&
    data.series.length === series.length &&
    data.series.every(({ name, earlier = [] }, i) => name === series[i]?.label && !earlier[0]) &&
    (!stacked || Array.from({ length: bounds.length - 1 }, (_, i) => fits(i)).every(Boolean))
  );
}

/** The points of the counts. */
export function countPoints({ data }: Shown, { bounds, series }: Book): Points {
  const names = uniqueLabels(series.map(({ label }) => label));
  return {
    bounds: [...bounds],
    lines: data.series.map((each, i) => ({
      series: each,
      period: null,
      name: names[i] ?? '',
      values: [...(series[i]?.counts ?? [])],
    })),
    open: Array.from(series[0]?.counts ?? [], (_, i) =>
      series.some(({ states }) => states[i] === STATE.partial),
    ),
    step: 1,
  };
}

/** The values of the drawn slide, of as many buckets each as leave {@link MOST_POINTS}. */
export function drawnPoints(
  { data, view: { window }, format }: Shown,
  figure: ChartLayout,
): Points {
  const tracks = data.series.map(({ curve, pyramid }) => trackOf(curve, pyramid));
  const grid = gridOf(tracks, window, MOST_POINTS);
  const { bounds = new Float64Array() } = data.series[0]?.curve ?? {};
  const columns = gridColumns(grid).filter(
    ({ from }) => (bounds[from] ?? 0) >= window.start && (bounds[from] ?? 0) < window.end,
  );
  const rows = columns.map(({ from, to }) => figure.read(from, to));
  const lines = data.series.flatMap((series) => {
    const { id, name, earlier = [] } = series;
    const at = rows[0]?.findIndex((each) => each.id === id) ?? -1;
    if (at < 0) return [];
    const own = rows.map((row) =>
      Number.isNaN(row[at]?.top) ? Number.NaN : (row[at]?.value ?? 0),
    );
    const pasts = (rows[0]?.[at]?.earlier ?? []).map((_, k) => {
      const period = earlier[k]?.period ?? k;
      const said = `${name}, ${format.earlier[period] ?? 'earlier'}`;
      const values = rows.map((row) => row[at]?.earlier[k] ?? Number.NaN);
      return { series, period, name: said, values };
    });
    return [{ series, period: null, name, values: own }, ...pasts];
  });
  const names = uniqueLabels(lines.map(({ name }) => name));
  return {
    bounds: [...columns.map(({ from }) => bounds[from] ?? 0), bounds[columns.at(-1)?.to ?? 0] ?? 0],
    lines: lines.map((line, i) => ({ ...line, name: names[i] ?? '' })),
    open: columns.map(({ open }) => open),
    step: grid.step,
  };
}

/** Columns of the sheet of drawn values; of them a chart of whole days has the first. */
const TIME_COLUMNS = [
  { name: DATE, as: 'date' },
  { name: TIME, as: 'time' },
  { name: START_LOCAL, as: 'instant' },
] as const;

/** The sheet of drawn values. @param walls - Wall times of the points, ms as if they were UTC. */
export function drawnSheet(
  { lines }: Points,
  walls: readonly number[],
  timed: boolean,
): PlainSheet {
  const times = timed ? TIME_COLUMNS : TIME_COLUMNS.slice(0, 1);
  return {
    name: DRAWN_SHEET,
    columns: [
      ...times.map(({ name }) => ({ name, width: 18 })),
      ...lines.map(({ name }) => ({ name, width: 16 })),
    ],
    rows: walls.map((wall, i) => [
      ...times.map(({ as }) => ({ value: wall, as })),
      ...lines.map(({ values }) => ({ value: values[i] ?? Number.NaN, as: 'plain' }) as const),
    ]),
  };
}
