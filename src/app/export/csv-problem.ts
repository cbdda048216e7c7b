import type { FileSeries } from './fixed.ts';

/** A violation of the format: its position and the rule. */
export interface CsvProblem {
  /** Line on which the row begins, 1-based. */
  readonly line: number;
  /** Name of the column; empty for the row as a whole. */
  readonly column: string;
  /** The cell's text. */
  readonly value: string;
  /** The value that is expected instead. */
  readonly rule: string;
}

export type CsvReading =
  | { readonly ok: true; readonly series: readonly FileSeries[] }
  | { readonly ok: false; readonly problem: CsvProblem };

/** A problem as an error. Callers of {@link readCsv} get its content as a value. */
export class CsvError extends Error {
  readonly problem: CsvProblem;

  constructor(line: number, column: string, value: string, rule: string) {
    super(rule);
    this.problem = { line, column, value, rule };
  }
}

const VALUE_SHOWN = 60;

/** Formats a problem as a sentence. */
export function problemWords({ line, column, value, rule }: CsvProblem): string {
  const cut = value.length > VALUE_SHOWN ? `${value.slice(0, VALUE_SHOWN)}…` : value;
  const where = column === '' ? `Line ${line}` : `Line ${line}, ${column}`;
  return `${where}: ${cut === '' ? 'the cell is empty' : `“${cut}”`}; expected ${rule}.`;
}
