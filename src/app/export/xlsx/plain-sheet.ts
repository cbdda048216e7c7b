import { CELL_FORMAT } from './package-parts.ts';
import { type SheetColumn, sheetBlocks } from './sheet.ts';
import { type SheetRows, serialDay, partOfDay, type SharedTexts } from './sheet-rows.ts';
import type { NamedSheet } from './zipped-workbook.ts';

/**
 * A cell: a text, which is never a formula; nothing; or a number. An instant is in UTC, epoch ms; a date and a time are
 * those of a wall time, ms as if it were UTC; NaN is empty.
 */
export type SheetCell =
  | string
  | null
  | {
      readonly value: number;
      readonly as: Exclude<keyof typeof CELL_FORMAT, 'heading' | 'wrapped'>;
    };

/** A sheet that is small enough for memory. */
export interface PlainSheet {
  readonly name: string;
  readonly columns: readonly SheetColumn[];
  readonly rows: readonly (readonly SheetCell[])[];
}

function* plainRows(rows: SheetRows, sheet: PlainSheet): Generator<void> {
  for (const cells of sheet.rows) {
    rows.begin();
    for (const cell of cells) {
      if (cell === null) rows.skip();
      else if (typeof cell === 'string') rows.text(cell, CELL_FORMAT.wrapped);
      else if (cell.as === 'instant') rows.instant(cell.value);
      else if (cell.as === 'date') rows.number(serialDay(cell.value), CELL_FORMAT.date);
      else if (cell.as === 'time') rows.number(partOfDay(cell.value), CELL_FORMAT.time);
      else rows.number(cell.value, CELL_FORMAT[cell.as]);
    }
    rows.end();
    yield;
  }
}

/** A small sheet under its name. */
export const plainSheet = (sheet: PlainSheet, texts: SharedTexts, shown: boolean): NamedSheet => [
  sheet.name,
  () => sheetBlocks(sheet.columns, texts, shown, (rows) => plainRows(rows, sheet)),
];
