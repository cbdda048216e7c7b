import type { CellValue } from 'hucre/xlsx';
import { PPTX_PARTS } from '#app/export/pptx.ts';
import { COUNTS_SHEET } from '#app/export/xlsx.ts';
import { DAY_MS } from '#core/time/span.ts';
import { cellsInSheet, decoded } from './counts-in-file.ts';
import { EPOCH_DAYS } from '#app/export/xlsx/sheet-rows.ts';
import { type In, type VerifiedFigures, compareMethod } from './verified-figures.ts';

/** Compares the method of a workbook with its counts. */
export function verifyWorkbook(
  { series, method }: In<'workbook' | 'slide'>,
  figures: VerifiedFigures,
): void {
  // A wide sheet has no states and no times of fetching.
  compareMethod(
    figures,
    series,
    method,
    series.some(({ query }) => query !== ''),
  );
}

/** The number by which a sheet stores a cell, days for a date. */
const serialOf = (cell: Date | number): number =>
  typeof cell === 'number' ? cell : cell.getTime() / DAY_MS + EPOCH_DAYS;

/** Compares the points that a chart shows with the cells that it names. */
async function compareChart(
  xml: string,
  book: Uint8Array,
  figures: VerifiedFigures,
): Promise<void> {
  const sheets = new Map<string, readonly (readonly CellValue[])[]>();
  const shown =
    /<c:f>(\w+)!\$([A-Z]+)\$2:[^<]*<\/c:f><c:numCache>.*?<c:ptCount val="(\d+)"\/>(.*?)<\/c:numCache>/gs;
  for (const [, sheet = COUNTS_SHEET, letters = '', size = '', points = ''] of xml.matchAll(
    shown,
  )) {
    const rows = sheets.get(sheet) ?? (await cellsInSheet(book, sheet));
    sheets.set(sheet, rows);
    const column =
      [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
    const values = new Map(
      [...points.matchAll(/idx="(\d+)"><c:v>([^<]*)</g)].map(([, i = '', value = '']) => [
        Number(i),
        value,
      ]),
    );
    for (let i = 0; i < Number(size); i += 1) {
      const cell = rows[i + 1]?.[column];
      const says = values.has(i) ? String(Number(values.get(i))) : '';
      const counts = cell instanceof Date || typeof cell === 'number' ? String(serialOf(cell)) : '';
      figures.compare(`Point ${i + 1} of column ${letters} in the chart`, says, counts);
    }
  }
}

/** Compares the workbook and the chart of a slide with its counts. */
export async function verifySlide(slide: In<'slide'>, figures: VerifiedFigures): Promise<void> {
  const { parts, book, series, notes } = slide;
  verifyWorkbook(slide, figures);
  await compareChart(decoded(parts[PPTX_PARTS.chart]), book, figures);
  compareMethod(figures, series, notes, false);
}
