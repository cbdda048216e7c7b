import Papa from 'papaparse';
import { reportPlace, type ReportPlace, type RowNotes, type RunTable } from './run-table.ts';

/** Rows that are read at once. */
const PAGE = 1000;

/** All stored rows of a run, those with errors first. */
export function* storedRows(runs: RunTable, run: number): Generator<RowNotes> {
  let after: ReportPlace | null = null;
  for (;;) {
    const page: RowNotes[] = runs.rows(run, { after, limit: PAGE });
    yield* page;
    const last = page.at(-1);
    if (page.length < PAGE || !last) return;
    after = reportPlace(last);
  }
}

/** The report of a run as CSV: a row for each error and warning. */
export function runCsv(runs: RunTable, run: number): string {
  const rows = [['row', 'line', 'product', 'kind', 'parameter', 'value', 'message']];
  for (const { number, line, product, errors, warnings } of storedRows(runs, run)) {
    for (const [kind, notes] of [
      ['error', errors],
      ['warning', warnings],
    ] as const) {
      for (const { parameter, value = '', message } of notes) {
        rows.push([String(number), String(line), product ?? '', kind, parameter, value, message]);
      }
    }
  }
  // Cells come from the feed, and spreadsheets read some texts as formulas.
  return `${Papa.unparse(rows, { escapeFormulae: true, newline: '\n' })}\n`;
}
