import { sheetSample } from '#core/readers/workbook.ts';
import type { ColumnRow } from '#core/readers/row.ts';
import { planTable } from './table.ts';
import type { OpenPart } from '#core/readers/workbook-xml.ts';
import type { Sheet, Workbook } from '#core/readers/sheet-rows.ts';

/** Sheets of a workbook that are searched for Posts. */
const SEARCHED = 8;

/** A sheet and its first rows. */
export interface OpenSheet {
  readonly sheet: Sheet;
  readonly rows: readonly ColumnRow[];
}

/**
 * The sheet that is read where none is chosen: the first with the columns of Posts, because reports begin with a cover;
 * else the first of all.
 *
 * @param map - Names of columns by field.
 * @param now - Epoch ms.
 * @throws {@link FeedError} as `sheetSample`.
 */
export async function sheetOfPosts(
  file: string,
  book: Workbook,
  open: OpenPart,
  map: Readonly<Record<string, string>>,
  now: number,
): Promise<OpenSheet> {
  let first: OpenSheet | null = null;
  for (const sheet of book.sheets.slice(0, SEARCHED)) {
    const rows = await sheetSample(file, book, sheet.part, open);
    first ??= { sheet, rows };
    const { missing } = planTable(rows, {}, map, now);
    if (missing.every((each) => each === 'dates')) return { sheet, rows };
  }
  if (!first) throw new RangeError('expected a workbook with a sheet');
  return first;
}
