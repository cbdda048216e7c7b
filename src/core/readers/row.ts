/** A row of a CSV file, its fields in the order of the header. */
export interface ColumnRow {
  readonly kind: 'columns';
  /** Line of the file on which the row begins, 1-based. */
  readonly line: number;
  readonly fields: readonly string[];
  /** Positions of the cells that a workbook has as dates, if there are any. */
  readonly dates?: readonly number[];
}

/** A JSON value: a line of JSON lines, or an element of a document. */
export interface ValueRow {
  readonly kind: 'value';
  readonly line: number;
  /**
   * Location of the value: `''` for a line or an element of the outermost list, `data`, or
   * `includes.users` and the like.
   */
  readonly place: string;
  readonly value: unknown;
}

/** A row that cannot be parsed; the following rows can. */
export interface BadRow {
  readonly kind: 'bad';
  readonly line: number;
  /** For the user: a sentence without its subject, the row or line, and without its full stop. */
  readonly reason: string;
  /** Set if the row begins a quote that the rest of the file, or of what a row may have, does not close. */
  readonly isOpen?: true;
}

export type Row = ColumnRow | ValueRow | BadRow;
