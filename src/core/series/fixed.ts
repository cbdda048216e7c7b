import type { Curve } from './series.ts';

/** A series that was read from a file: its counts stand as they are, nobody is asked for more, and no ledger has them. */
export interface FixedSeries extends Curve {
  readonly label: string;
  /** The query as the file tells it; empty where it does not. */
  readonly query: string;
  /** Where its counts came from, in the words of the file; empty where it does not tell. */
  readonly source: string;
  /** As the file carried it, where it is to be handed on as it was. */
  readonly origin?: object;
}
