import type { FixedSeries } from '#core/series/imported-series.ts';

/** Type of the fault for a file that is no board, or a damaged one. */
export const BAD_BOARD = 'groundswell:bad-board';

/** Something that happened, as the user noted it on a board. */
export interface Note {
  readonly id: string;
  /** Epoch ms. */
  readonly start: number;
  /** Exclusive, epoch ms; null where it was a moment. */
  readonly end: number | null;
  /** At most {@link MAX_NOTE} characters. */
  readonly text: string;
}

/** Most characters of a note. */
export const MAX_NOTE = 280;
/** Most characters of the name of a board. */
export const MAX_NAME = 120;

/** What a board is made of. */
export interface BoardContent {
  readonly name: string;
  /** The view, as the address holds it. */
  readonly view: string;
  readonly notes: readonly Note[];
  readonly fixed: readonly FixedSeries[];
}

/** A board as it was handed over to be kept. */
export interface SavedBoard extends BoardContent {
  /** Random. */
  readonly id: string;
  /** When it was last saved or renamed, epoch ms. */
  readonly at: number;
  /** When it was last opened, epoch ms. */
  readonly opened: number;
}

/** A saved board as the store has it. */
export interface BoardRow extends SavedBoard {
  /** Checksums of the contents that it had before, ascending: whoever has one of those has an older version. */
  readonly was: readonly string[];
}

/** What a list shows of a board. */
export type BoardGlance = Pick<SavedBoard, 'id' | 'name' | 'at' | 'opened'>;

/** Name of the channel on which tabs are told that boards were written. */
export const BOARDS_CHANNEL = 'groundswell-boards';
