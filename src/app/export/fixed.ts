import type { Curve } from '#core/series/series.ts';

/** A series that was read from a file: its counts stand as they are, and nobody is asked for more. */
export interface FixedSeries {
  readonly label: string;
  /** The query as the file tells it; empty where it does not. */
  readonly query: string;
  /** Where its counts came from, as the file tells it; empty where it does not. */
  readonly source: string;
  readonly curve: Curve;
}
