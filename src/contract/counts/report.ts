import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import type { CausesAnswer } from './breakdown.ts';
import type { SourceId, SourceInfo } from './source.ts';

/** The exports of the program of reports: the service cannot draw charts, and the dashboard reads no files. */
export interface ReportProgram {
  /**
   * Reads a board.
   *
   * @throws {@link BoardError} that says what is wrong with it.
   */
  openBoard(given: GivenBoard): Promise<ReportBoard>;
}

/** A file that the dashboard wrote, or the address of a view. */
export type GivenBoard =
  | { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly link: string };

/** A board, or a count for it, that cannot become a report. The message says why, in one or more sentences. */
export class BoardError extends Error {
  override readonly name = 'BoardError';
}

export interface ReportBoard {
  /** Empty if it has none. */
  readonly name: string;
  /** IANA name; null if the view does not name one. */
  readonly zone: string | null;
  /** The source that is counted; null if all counts are in the file. */
  readonly source: SourceId | null;
  /**
   * Counts the view as of now, and writes it as a report.
   *
   * @throws {@link BoardError} if a part of the view cannot be shown; the error of {@link ReportCounts.count}; the
   *   reason of `stop` when aborted.
   */
  write(surroundings: ReportSurroundings, counts: ReportCounts): Promise<WrittenReport>;
}

/** The facts about its user that a browser knows. */
export interface ReportSurroundings {
  /** Epoch ms. */
  readonly now: number;
  /** IANA name, for a view without a zone. */
  readonly zone: string;
  /** BCP 47, for numbers and dates. */
  readonly locale: string;
}

/** The source of the counts of a report. */
export interface ReportCounts {
  readonly sources: readonly SourceInfo[];
  count(question: ReportQuestion, stop: AbortSignal): Promise<CountedBuckets>;
  /** The causes of the Posts of a time; absent if the source has none. */
  causes?(question: CausesQuestion, stop: AbortSignal): Promise<CausesAnswer['data']>;
  readonly stop: AbortSignal;
}

export interface ReportQuestion {
  readonly source: SourceId;
  readonly query: string;
  /** Epoch ms, ascending whole minutes; one more than buckets. */
  readonly bounds: Float64Array;
}

export interface CausesQuestion {
  readonly query: string;
  readonly span: Span;
  /** The time with which it is compared. */
  readonly before: Span;
}

export interface CountedBuckets {
  /** NaN where unknown. */
  readonly counts: Curve['counts'];
  /** Indexes into `STATES` of `core/series/series.ts`. */
  readonly states: Uint8Array;
  /** Epoch ms; NaN where unknown. */
  readonly fetchedAt: Float64Array;
}

export interface WrittenReport {
  /** Of the board; of a view without a name, its series. */
  readonly title: string;
  /** Its scope, in words. */
  readonly subtitle: string;
  /** The zone of its buckets. */
  readonly zone: string;
  /** The series shown, with their Posts in the range; null for one that counts no Posts, or is not known. */
  readonly series: readonly { readonly name: string; readonly posts: number | null }[];
  readonly html: Uint8Array<ArrayBuffer>;
}
