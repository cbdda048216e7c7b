/** Line patterns in px on and off; an empty one is solid. */
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]] as const;
/** Those of series whose colour another one has. */
const REPEATED_DASHES = [
  [12, 4],
  [4, 2, 1, 2, 1, 2],
  [1, 2],
] as const;

/** The number of series colours in `tokens.css`. */
const COLOURS = 8;

/** Shapes of the points of series, as ECharts calls them. */
const MARKERS = ['circle', 'rect', 'triangle', 'diamond', 'arrow'] as const;
export type Marker = (typeof MARKERS)[number];

/** The features that distinguish a series: its colour, its dash and the shape of its points. */
export interface SeriesStyle {
  /** 1 to 8: the token `--series-N`. */
  readonly colour: number;
  /** Lengths on and off in px; empty means solid. Drawn where lines are dashed, and wherever the colour {@link repeats}. */
  readonly dash: readonly number[];
  /** True if a series before it has its colour, so that only the dash tells the two lines apart. */
  readonly repeats: boolean;
  readonly marker: Marker;
}

/**
 * The style of the series with a number.
 *
 * @param number - 0-based. The first 32 have 32 different pairs of colour and dash, and the first of each colour is the
 *   only one without a dash where lines are not dashed.
 */
export function seriesStyle(number: number): SeriesStyle {
  const repeats = number >= COLOURS;
  const dashes = repeats ? REPEATED_DASHES : DASHES;
  return {
    colour: (number % COLOURS) + 1,
    dash: dashes[number % dashes.length] ?? [],
    repeats,
    marker: MARKERS[number % MARKERS.length] ?? 'circle',
  };
}

/** The dash to draw. @param dashed - Whether all lines are dashed. */
export function drawnDash({ dash, repeats }: SeriesStyle, dashed: boolean): readonly number[] {
  return dashed || repeats ? dash : [];
}
