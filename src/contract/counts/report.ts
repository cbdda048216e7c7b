import type { Cut } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import type { Preset } from '#core/time/presets.ts';
import type { Resolution, WeekStart } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import type { DataFile } from '#contract/links/data-file.ts';
import type { PlatformAnswer } from './platform.ts';
import type { SourceId, SourceInfo } from './source.ts';
import type { TopicDiff } from './report-diff.ts';
import type { BoardReading } from './board-reading.ts';
import type { CausesAnswer } from './breakdown-answers.ts';

/** The exports of the program of reports: the service cannot draw charts, and the dashboard reads no files. */
export interface ReportProgram {
  /**
   * Reads a board.
   *
   * @throws {@link BoardError} that says what is wrong with it.
   */
  openBoard(given: GivenBoard): Promise<ReportBoard>;
  /**
   * Recomputes the figures of a file from the counts in it.
   *
   * @throws {@link BoardError} for a file that has none.
   */
  verifyFile(file: CountsFile): Promise<VerifiedFile>;
  /**
   * Compares the counts of two files.
   *
   * @param limit - Maximum number of buckets that each topic lists.
   * @throws {@link BoardError} that names the file, if its counts cannot be read.
   */
  diffFiles(
    files: { readonly old: CountsFile; readonly new: CountsFile },
    limit: number,
    surroundings: ReportSurroundings,
  ): Promise<readonly TopicDiff[]>;
}

export interface CountsFile {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file whose figures were recomputed. */
export interface VerifiedFile {
  /** Counts in it; of a bundle, its series. */
  readonly counts: number;
  /** Figures that were recomputed from them. */
  readonly figures: number;
  /** The first that disagrees, as a sentence; null if none does. */
  readonly wrong: string | null;
}

/** A file that the dashboard wrote, the address of a view, or a board as the service stores it. */
export type GivenBoard =
  | CountsFile
  | { readonly link: string }
  | { readonly stored: Uint8Array<ArrayBuffer> };

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
   * The board as the service stores it, without what it does not show.
   *
   * @throws {@link BoardError} if a part of the view cannot be read.
   */
  shared(): Promise<Uint8Array<ArrayBuffer>>;
  /**
   * Counts the view as of now, and writes it as a report or a slide.
   *
   * @throws {@link BoardError} if a part of the view cannot be shown; the error of {@link ReportCounts.count}; the
   *   reason of `stop` when aborted.
   */
  write(
    surroundings: ReportSurroundings,
    counts: ReportCounts,
    form: ReportForm,
  ): Promise<WrittenReport>;
  /**
   * Counts the view as of now, and writes its figures or its picture.
   *
   * @throws {@link TooManyRowsError} before anything is counted; as {@link ReportBoard.write}.
   */
  figures(
    wanted: WantedFigures,
    surroundings: ReportSurroundings,
    counts: ReportCounts,
  ): Promise<BoardFigures>;
  /** Counts the view as of now, and says what a page would. @throws As {@link ReportBoard.write}. */
  read(surroundings: ReportSurroundings, counts: ReportCounts): Promise<BoardReading>;
}

/** A file of figures, and the parts of the view that it replaces; null for those of the board. */
export interface WantedFigures {
  readonly file: DataFile;
  readonly last: Preset | null;
  readonly by: Resolution | null;
  readonly zone: string | null;
  /** Of the picture. */
  readonly theme: 'light' | 'dark';
  /** Most rows of the file. */
  readonly maxRows: number;
}

/** A view has more rows than were allowed. */
export class TooManyRowsError extends Error {
  override readonly name = 'TooManyRowsError';
}

/** The time that a view shows. */
export interface ShownTime {
  readonly source: SourceId;
  readonly span: Span;
  /** The preset from which the span follows; null for a fixed span. */
  readonly preset: Preset | null;
  readonly resolution: Resolution;
  /** IANA name. */
  readonly zone: string;
  readonly weekStart: WeekStart;
}

export interface BoardFigures {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Part of the cells whose count is known, 0 to 1; 1 without cells. */
  readonly known: number;
  readonly time: ShownTime;
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
  /** The terms of the platform; absent where its counts are not known. */
  readonly platform?: PlatformAnswer;
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
  /** Width of the counts that are summed; absent: the widest that divides every edge. */
  readonly granularity?: Granularity;
  /** The outer buckets that are longer in their calendar: such a bucket is at most `partial`. Absent: neither. */
  readonly cut?: Cut;
}

export interface CausesQuestion {
  readonly query: string;
  readonly span: Span;
  /** The time with which it is compared. */
  readonly before: Span;
}

export interface CountedBuckets {
  /** NaN where unknown: in the future, outside the source's data, or without an answer. */
  readonly counts: Curve['counts'];
  /** Indexes into `STATES` of `core/series/series.ts`. */
  readonly states: Uint8Array;
  /** The time at which the oldest part was counted, epoch ms; NaN where unknown. */
  readonly fetchedAt: Float64Array;
}

/** One HTML file, or a PowerPoint slide. */
export type ReportForm = 'html' | 'pptx';

export interface WrittenReport {
  /** Of the board; of a view without a name, its series. */
  readonly title: string;
  /** Its scope, in words. */
  readonly subtitle: string;
  /** The zone of its buckets. */
  readonly zone: string;
  /** The series shown, with their Posts in the range; null for one that counts no Posts, or is not known. */
  readonly series: readonly { readonly name: string; readonly posts: number | null }[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}
