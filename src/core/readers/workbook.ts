import { FeedError } from './error.ts';
import type { ColumnRow } from './row.ts';
import { type OpenPart, parseXml, xmlAttribute } from './workbook-xml.ts';
import { type Workbook, type Sheet, sheetRows } from './sheet-rows.ts';
import { sharedTexts } from './shared-texts.ts';

/** Days from day 0 of Excel's two date systems to 1970 (ECMA-376 part 1, 18.17.4.1). */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;

/** Number formats that every workbook has and that show a date or a time (ECMA-376 part 1, 18.8.30). */
const DATE_FORMATS = new Set([
  14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 45, 46, 47, 50, 51,
  52, 53, 54, 55, 56, 57, 58,
]);

/** True if a custom number format shows a date: it has a part of one outside quotes, brackets and escapes. */
function isDateFormat(format: string): boolean {
  const bare = format.replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./g, '');
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare);
}

async function styles(file: string, open: OpenPart): Promise<boolean[]> {
  const custom = new Map<number, boolean>();
  const isDate: boolean[] = [];
  let inCells = false;
  await parseXml(file, await open('xl/styles.xml'), {
    open: (name, tag) => {
      if (name === 'numFmt') {
        custom.set(
          Number(xmlAttribute(tag, 'numFmtId')),
          isDateFormat(xmlAttribute(tag, 'formatCode') ?? ''),
        );
      } else if (name === 'cellXfs') inCells = true;
      else if (name === 'xf' && inCells) {
        const format = Number(xmlAttribute(tag, 'numFmtId') ?? 0);
        isDate.push(custom.get(format) ?? DATE_FORMATS.has(format));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return isDate;
}

/** The part that a relationship of the workbook leads to. */
function partOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
}

/**
 * Reads what the sheets of an XLSX workbook share, and their names.
 *
 * @param file - Name for messages.
 * @throws {@link FeedError} `damaged` for XML that cannot be read, `unknown-kind` without a sheet that has cells.
 */
export async function openWorkbook(file: string, open: OpenPart): Promise<Workbook> {
  const targets = new Map<string, string>();
  await parseXml(file, await open('xl/_rels/workbook.xml.rels'), {
    open: (name, tag) => {
      if (name !== 'Relationship' || !xmlAttribute(tag, 'Type')?.endsWith('/worksheet')) return;
      targets.set(xmlAttribute(tag, 'Id') ?? '', partOf(xmlAttribute(tag, 'Target') ?? ''));
    },
  });
  const sheets: Sheet[] = [];
  let epoch = EPOCH_1900;
  await parseXml(file, await open('xl/workbook.xml'), {
    open: (name, tag) => {
      if (name === 'workbookPr' && /^(1|true)$/.test(xmlAttribute(tag, 'date1904') ?? '')) {
        epoch = EPOCH_1904;
      }
      if (name !== 'sheet') return;
      const id = Object.entries(tag.attributes).find(([key]) => /(^|:)id$/.test(key))?.[1] as
        | string
        | undefined;
      const part = targets.get(id ?? '');
      const named = xmlAttribute(tag, 'name');
      if (part !== undefined && named !== undefined) sheets.push({ name: named, part });
    },
  });
  if (sheets.length === 0) {
    throw new FeedError('unknown-kind', file, 'is a workbook without a sheet of cells.');
  }
  return { sheets, epoch, isDate: await styles(file, open) };
}

/** Rows of a sheet that suffice to recognise its header and columns. */
export const SAMPLE_ROWS = 500;

/** The first rows of a sheet, with only those of the shared texts that they need. @throws {@link FeedError} */
export async function sheetSample(
  file: string,
  book: Workbook,
  part: string,
  open: OpenPart,
): Promise<ColumnRow[]> {
  const first = async (shared: (index: number) => string): Promise<ColumnRow[]> => {
    const rows: ColumnRow[] = [];
    const blocks = await open(part);
    if (!blocks) return rows;
    for await (const batch of sheetRows(file, book, blocks, shared)) {
      rows.push(...batch);
      if (rows.length >= SAMPLE_ROWS) break;
    }
    return rows.slice(0, SAMPLE_ROWS);
  };
  let most = -1;
  await first((index) => {
    most = Math.max(most, index);
    return ' ';
  });
  const texts = await sharedTexts(file, open, most + 1);
  return await first((index) => texts[index] ?? '');
}
