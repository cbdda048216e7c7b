/** Line patterns in px on and off; an empty one is solid. */
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]] as const;

/** The number of series colours in `tokens.css`. */
const COLOURS = 8;

/** Shapes of the points of series, as ECharts calls them. */
const MARKERS = ['circle', 'rect', 'triangle', 'diamond', 'arrow'] as const;
export type Marker = (typeof MARKERS)[number];

/** What distinguishes a series: its colour, its dash and the shape of its points. */
export interface SeriesStyle {
  /** 1 to 8: the token `--series-N`. */
  readonly colour: number;
  /** Lengths on and off in px; empty means solid. */
  readonly dash: readonly number[];
  readonly marker: Marker;
}

/**
 * The style of the series with a number.
 *
 * @param number - 0-based. Any 32 numbers in a row have 32 different pairs of colour and dash.
 */
export function seriesStyle(number: number): SeriesStyle {
  const round = Math.floor(number / COLOURS);
  return {
    colour: (number % COLOURS) + 1,
    dash: DASHES[(number + round) % DASHES.length] ?? [],
    marker: MARKERS[number % MARKERS.length] ?? 'circle',
  };
}
