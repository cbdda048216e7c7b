import type Papa from 'papaparse';
import { STATE } from '#core/series/series.ts';
import type { Separator } from '#core/export/csv.ts';
import type { FileSeries } from './fixed.ts';
import { type CsvPlain, type Taker, takerFor } from './csv-takers.ts';
import { CsvError, type CsvReading } from './csv-problem.ts';
import { plainText } from '#core/export/csv-text.ts';
import { CSV_NUMBERS, type CsvNumbers, type CsvRows, type CsvRow } from './csv-cells.ts';

/** Converts the rows of one series to a curve. Gaps between them become `never`. */
function seriesOf({ label, query, source, starts, ends, ...rows }: CsvRows): FileSeries {
  const bounds: number[] = [];
  const counts: number[] = [];
  const states: number[] = [];
  const fetchedAt: number[] = [];
  for (const [i, start] of starts.entries()) {
    const before = ends[i - 1];
    if (before !== undefined && before < start) {
      bounds.push(before);
      counts.push(Number.NaN);
      states.push(STATE.never);
      fetchedAt.push(Number.NaN);
    }
    bounds.push(start);
    counts.push(rows.counts[i] ?? Number.NaN);
    states.push(rows.states[i] ?? STATE.never);
    fetchedAt.push(rows.fetchedAt[i] ?? Number.NaN);
  }
  const last = ends.at(-1);
  if (last !== undefined) bounds.push(last);
  const curve = {
    bounds: Float64Array.from(bounds),
    counts: Float64Array.from(counts),
    states: Uint8Array.from(states),
    fetchedAt: Float64Array.from(fetchedAt),
  };
  return { from: 'file', label, query, source, curve };
}

/** The first line break outside quotes. */
function lineEnd(text: string): '\r\n' | '\n' | '\r' {
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i];
    if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === '\n') return '\n';
    else if (!quoted && sign === '\r') return text[i + 1] === '\n' ? '\r\n' : '\r';
  }
  return '\r\n';
}

const breaks = (cells: readonly string[]): number =>
  cells.reduce(
    (sum, cell) => sum + (/[\r\n]/.test(cell) ? cell.split(/\r\n|\r|\n/).length - 1 : 0),
    0,
  );

/** The rows of a file, read one by one. */
export class CountRows {
  readonly #separator: string;
  readonly #plain: CsvPlain;
  readonly #numbers: CsvNumbers;
  #taker: Taker | null = null;
  #width = 0;

  /**
   * @param separator - Between the cells of a row, as a message has them. With semicolons, decimals may have a comma.
   * @param plain - Converts the text of a cell to the text that was written.
   */
  constructor(separator: string, plain: CsvPlain) {
    this.#separator = separator;
    this.#plain = plain;
    this.#numbers = separator === ';' ? CSV_NUMBERS.either : CSV_NUMBERS.point;
  }

  /** Reads a row; the first one names the columns. @throws {CsvError} if it is wrong. */
  take(row: CsvRow): void {
    const { line, cells } = row;
    if (!this.#taker) {
      [this.#taker, this.#width] = [takerFor(row, this.#plain, this.#numbers), cells.length];
    } else if (cells.length !== this.#width) {
      const rule = `${this.#width} cells, as in the first line, not ${cells.length}`;
      throw new CsvError(line, '', cells.join(this.#separator), rule);
    } else this.#taker.take(row);
  }

  /** The series of all rows. @param line - After the last one. @throws {CsvError} if there is none. */
  end(line: number): readonly FileSeries[] {
    const found = this.#taker?.series ?? [];
    if (!found.some(({ starts }) => starts.length > 0)) {
      throw new CsvError(line, '', '', 'a line of column names and at least one row');
    }
    return found.map(seriesOf);
  }
}

function readRows(text: string, papa: typeof Papa): readonly FileSeries[] {
  const bare = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const separator = (/^(?:query|start_utc)([,;])/.exec(bare)?.[1] ?? ',') as Separator;
  const rows = new CountRows(separator, plainText);
  let line = 1;
  let problem: unknown = null;
  papa.parse<string[]>(bare, {
    delimiter: separator,
    newline: lineEnd(bare),
    step: ({ data: cells, errors }, parser) => {
      const row: CsvRow = { line, cells };
      line += 1 + breaks(cells);
      try {
        const [error] = errors;
        if (error) throw new CsvError(row.line, '', cells.join(separator), error.message);
        if (cells.length === 1 && cells[0]?.trim() === '') return;
        rows.take(row);
      } catch (error) {
        problem = error;
        parser.abort();
      }
    },
  });
  if (problem !== null) throw problem;
  return rows.end(line);
}

/**
 * Reads a CSV as `csv.ts` writes it, with commas or semicolons, with or without a byte-order mark. The first line shows
 * whether it is long or wide.
 *
 * Apostrophes added by `safeText` are removed, and an empty count is missing. The columns `date` and `time` are not
 * read: they repeat `start_local`, spreadsheets change their form, and files of earlier versions do not have them. A wide
 * file has no queries, sources or fetch times; its incomplete buckets become `partial`, or `never` if they have no count,
 * and its uncovered ones `uncovered`. Buckets must ascend without overlap; gaps between them become `never`.
 *
 * @returns All series, or only the first problem.
 */
export async function readCsv(text: string): Promise<CsvReading> {
  const { default: papa } = await import('papaparse');
  try {
    return { ok: true, series: readRows(text, papa) };
  } catch (error) {
    if (error instanceof CsvError) return { ok: false, problem: error.problem };
    throw error;
  }
}
