import type { SeriesStyle } from '#app/ui/series-style.ts';

/** The most dots in a lane. */
export const MOST_DOTS = 300;

/** A Post as a lane draws it. */
export interface LanePost {
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
  readonly style: SeriesStyle;
  /** Name of the series it matches. */
  readonly series: string;
}
