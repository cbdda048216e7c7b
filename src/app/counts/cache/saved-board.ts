import type { FixedSeries } from '#core/series/imported-series.ts';

/** Type of the fault for a file that is not a board, or a damaged one. */
export const BAD_BOARD = 'groundswell:bad-board';

/** An event that the user noted on a board. */
export interface Note {
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null for a moment. */
  readonly end: number | null;
  /** At most {@link MAX_NOTE} characters. */
  readonly text: string;
}

/** Most characters of a note. */
export const MAX_NOTE = 280;
/** Most characters of the name of a board. */
export const MAX_NAME = 120;

/** The parts of a board. */
export interface BoardContent {
  readonly name: string;
  /** The view, as the address has it. */
  readonly view: string;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** A saved board. */
export interface SavedBoard extends BoardContent {
  /** Random. */
  readonly id: string;
  /** The time at which it was last saved or renamed, epoch ms. */
  readonly at: number;
  /** The time at which it was last opened, epoch ms. */
  readonly opened: number;
}

/** The row of a saved board. */
export interface BoardRow extends SavedBoard {
  /** Checksums of its earlier contents, ascending: a copy with one of these is an older version. */
  readonly was: readonly string[];
}

/** A board that was removed. */
export interface RemovedBoard {
  readonly id: string;
  /** The time, epoch ms. */
  readonly at: number;
  /** Checksums of its contents: a board with another one changed without knowing of the removal. */
  readonly was: readonly string[];
}

/** The last state of a login's board that this browser and the service agreed on. */
export interface SyncedBoard extends RemovedBoard {
  /** Of the version that the service has. */
  readonly revision: string;
  /** Checksum of the content of that version, see `REMOVED_SUM`; `at` and `was` are of it too. */
  readonly sum: string;
  /** Set while it is removed here. */
  readonly removed: RemovedBoard | null;
}

/** A board in a list. */
export type BoardSummary = Pick<SavedBoard, 'id' | 'name' | 'at' | 'opened'>;

/** Name of the channel that notifies tabs of written boards. */
export const BOARDS_CHANNEL = 'groundswell-boards';
