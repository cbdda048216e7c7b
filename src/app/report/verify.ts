import type { CellValue } from 'hucre/xlsx';
import type { FileSeries } from '#app/export/fixed.ts';
import { unescaped } from '#app/export/markup.ts';
import { figureLines } from '#app/export/note.ts';
import { PPTX_PARTS } from '#app/export/pptx.ts';
import { isUnchanged } from '#app/export/report.ts';
import { COUNTS_SHEET } from '#app/export/xlsx.ts';
import { BoardError, type CountsFile, type VerifiedFile } from '#contract/counts/report.ts';
import { Fault } from '#contract/fault.ts';
import { crcOf } from '#core/export/crc.ts';
import { zipEntries } from '#core/readers/zip.ts';
import {
  countsInFile,
  seriesFacts,
  cellsInSheet,
  decoded,
  type CountsInFile,
  type MethodLine,
} from './counts-in-file.ts';

/*
 * Recomputes the figures of a file from the counts in it. Everything else is covered by the file's checksums: those of a
 * report's text, and of each part of the others.
 */

type In<K extends CountsInFile['kind']> = Extract<CountsInFile, { kind: K }>;

/** The figures that were recomputed, and the first that disagrees. */
class Figures {
  compared = 0;
  wrong: string | null = null;

  /** @param says - The figure in the file. @param counts - The same as its counts give it. */
  compare(figure: string, says: string, counts: string): void {
    this.compared += 1;
    if (says !== counts) {
      this.wrong ??= `${figure}: the file says ${says || 'nothing'}, and its counts give ${counts || 'nothing'}.`;
    }
  }

  fail(problem: string): void {
    this.wrong ??= problem;
  }
}

/**
 * Compares the figures of a method note with counts.
 *
 * @param whole - False for counts of which it is only known whether they are complete.
 */
function compareMethod(
  figures: Figures,
  series: readonly FileSeries[],
  method: readonly MethodLine[],
  whole: boolean,
): void {
  const facts = seriesFacts(method);
  figures.compare('Series', String(facts.length), String(series.length));
  for (const [i, { label, curve }] of series.entries()) {
    const said = facts[i] ?? new Map<string, string>();
    const kind = said.has('Known') ? 'formula' : 'query';
    const lines = new Map(figureLines({ kind, ...curve }).map(({ name, value }) => [name, value]));
    for (const name of ['Total', 'Known', 'No data', 'Missing', 'Fetched']) {
      const figure = (from: ReadonlyMap<string, string>): string => {
        const text = from.get(name) ?? '';
        if (whole) return text;
        if (name === 'Fetched') return '';
        return name === 'Missing' ? (text.split(';', 1)[0] ?? '') : text;
      };
      if (said.has(name) || lines.has(name)) {
        figures.compare(`${name} of “${label}”`, figure(said), figure(lines));
      }
    }
  }
}

/** The digits of a number as a page shows it; null if its digits are not 0 to 9. */
const digitsOf = (cell: string): string | null =>
  /[^\d\P{Nd}]/u.test(cell) ? null : cell.replaceAll(/\D/g, '');

/** The cells of the first table whose heading begins with a text. */
function tableIn(html: string, heading: string): readonly (readonly string[])[] {
  const start = html.indexOf(`<h2>${heading}`);
  const rows = start < 0 ? '' : html.slice(start, html.indexOf('</table>', start));
  return [...rows.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => unescaped(cell)),
  );
}

function verifyReport({ html, series, method }: In<'report'>, figures: Figures): void {
  compareMethod(figures, series, method, true);
  // The newest bucket is the first row.
  const [, ...rows] = tableIn(html, 'By ');
  for (const [k, [bucket = '', ...cells]] of rows.entries()) {
    for (const [s, { label, curve }] of series.entries()) {
      const count = curve.counts.at(-1 - k) ?? Number.NaN;
      const says = digitsOf(cells[s] ?? '');
      if (says === null || (!Number.isNaN(count) && !Number.isSafeInteger(count))) continue;
      figures.compare(
        `“${label}” at ${bucket}`,
        says,
        Number.isNaN(count) ? '' : String(Math.abs(count)),
      );
    }
  }
  const unchanged = isUnchanged(html);
  if (unchanged === null)
    figures.fail('It has no checksum, so that a change of its other parts cannot be noticed.');
  if (unchanged === false)
    figures.fail(
      'Its counts agree, but another part was changed: its checksum is a different one.',
    );
}

function verifyWorkbook({ series, method }: In<'workbook' | 'slide'>, figures: Figures): void {
  // A wide sheet has no states and no times of fetching.
  compareMethod(
    figures,
    series,
    method,
    series.some(({ query }) => query !== ''),
  );
}

/** Compares the points that a chart shows with the cells that it names. */
async function compareChart(xml: string, book: Uint8Array, figures: Figures): Promise<void> {
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
      if (cell instanceof Date) continue;
      const says = values.has(i) ? String(Number(values.get(i))) : '';
      const counts = typeof cell === 'number' ? String(cell) : '';
      figures.compare(`Point ${i + 1} of column ${letters} in the chart`, says, counts);
    }
  }
}

async function verifySlide(slide: In<'slide'>, figures: Figures): Promise<void> {
  const { parts, book, series, notes } = slide;
  verifyWorkbook(slide, figures);
  await compareChart(decoded(parts[PPTX_PARTS.chart]), book, figures);
  compareMethod(figures, series, notes, false);
}

/** Compares the parts of a zip with the checksums in its directory. */
async function compareParts(
  { name: file, bytes }: CountsFile,
  parts: Readonly<Record<string, Uint8Array>>,
  figures: Figures,
): Promise<void> {
  const read = (from: number, length: number): Uint8Array => bytes.subarray(from, from + length);
  for (const { name, crc } of await zipEntries({ file, size: bytes.length, read })) {
    if (crcOf(parts[name] ?? new Uint8Array()) !== crc)
      figures.fail(`Its part ${name} is damaged.`);
  }
}

/**
 * Recomputes the figures of a file that Groundswell wrote from the counts in it. Proves that the file agrees with
 * itself, not who wrote it.
 *
 * @throws {@link BoardError} for another file, and one without counts that can be read.
 */
export async function verifyFile(file: CountsFile): Promise<VerifiedFile> {
  const figures = new Figures();
  const result = (counts: number): VerifiedFile => ({
    counts,
    figures: figures.compared,
    wrong: figures.wrong,
  });
  try {
    const found = await countsInFile(file);
    if (found.kind === 'bundle') return result(found.bundle.series.length);
    if (found.kind === 'table') {
      throw new BoardError(`“${file.name}” has counts and no figures that follow from them.`);
    }
    if (found.kind === 'report') verifyReport(found, figures);
    else {
      if (found.kind === 'slide') await verifySlide(found, figures);
      else verifyWorkbook(found, figures);
      await compareParts(file, found.parts, figures);
    }
    return result(found.series.reduce((sum, { curve }) => sum + curve.counts.length, 0));
  } catch (error) {
    if (error instanceof Fault) return { counts: 0, figures: 0, wrong: error.message };
    throw error;
  }
}
