import type Papa from 'papaparse';
import { STATE, STATES, type State } from '#core/series/series.ts';
import {
  DATE,
  INCOMPLETE,
  LONG_AFTER,
  LONG_BEFORE,
  plainText,
  TIME,
  UNCOVERED,
  WIDE_FIXED,
  type Separator,
} from '#core/export/csv.ts';
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

/** A row with its line number. */
interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Rows of one series so far. */
interface Rows {
  readonly label: string;
  readonly query: string;
  readonly source: string;
  readonly starts: number[];
  readonly ends: number[];
  readonly counts: number[];
  readonly states: number[];
  readonly fetchedAt: number[];
}

const VALUE_SHOWN = 60;

/** Formats a problem as a sentence. */
export function problemWords({ line, column, value, rule }: CsvProblem): string {
  const cut = value.length > VALUE_SHOWN ? `${value.slice(0, VALUE_SHOWN)}…` : value;
  const where = column === '' ? `Line ${line}` : `Line ${line}, ${column}`;
  return `${where}: ${cut === '' ? 'the cell is empty' : `“${cut}”`}; expected ${rule}.`;
}

const INSTANT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{3}))?Z$/;
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;
const NUMBER = /^-?\d+(\.\d+)?$/;
const utc = 'an instant like 2026-03-08T06:00:00.000Z';

function instantIn(text: string): number | null {
  const [, date, time, part = '000'] = INSTANT.exec(text) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(text);
  // `Date` turns 31 February into a day in March.
  return !Number.isNaN(at) && new Date(at).toISOString() === `${date}T${time}.${part}Z` ? at : null;
}

function instant(row: Row, column: string, text: string): number {
  const at = instantIn(text);
  if (at === null) throw new CsvError(row.line, column, text, utc);
  return at;
}

function count(row: Row, column: string, text: string): number {
  if (text === '') return Number.NaN;
  const value = NUMBER.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) {
    throw new CsvError(row.line, column, text, 'a number with a decimal point, or nothing');
  }
  return value;
}

/** Reads and checks the bucket of a row. */
function bucket(row: Row, before: number | undefined): { start: number; end: number } {
  const [from = '', to = '', local = ''] = row.cells;
  const start = instant(row, 'start_utc', from);
  const end = instant(row, 'end_utc', to);
  if (end <= start) throw new CsvError(row.line, 'end_utc', to, 'an instant after start_utc');
  if (before !== undefined && start < before) {
    const rule = 'a bucket that starts no earlier than the previous one ends';
    throw new CsvError(row.line, 'start_utc', from, rule);
  }
  const same = LOCAL.test(local) && Date.parse(local) === Math.floor(start / 1000) * 1000;
  if (!same) {
    throw new CsvError(row.line, 'start_local', local, 'the instant of start_utc with its offset');
  }
  return { start, end };
}

/** Parses a list of labels as `csv.ts` writes it. */
function labelsIn(row: Row, column: string, text: string, labels: readonly string[]): Set<string> {
  const out = new Set<string>();
  if (text === '') return out;
  const wrong = (value: string, rule: string): never => {
    throw new CsvError(row.line, column, value, rule);
  };
  let name = '';
  const take = (): void => {
    if (!labels.includes(name) || out.has(name)) {
      wrong(name, 'labels of the columns, each once, separated by “; ”');
    }
    out.add(name);
    name = '';
  };
  for (let i = 0; i < text.length; i += 1) {
    const sign = text[i] ?? '';
    if (sign === '\\') {
      i += 1;
      const next = text[i] ?? '';
      if (next !== '\\' && next !== ';') wrong(text, 'a backslash only before “\\” or “;”');
      name += next;
    } else if (sign === ';') {
      if (text[i + 1] !== ' ') wrong(text, 'a space after each “;” between labels');
      i += 1;
      take();
    } else name += sign;
  }
  take();
  return out;
}

/** Converts the rows of one series to a curve. Gaps between them become `never`. */
function seriesOf({ label, query, source, starts, ends, ...rows }: Rows): FileSeries {
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

/** Former names of states, in files of earlier versions. */
const FORMER: Readonly<Record<string, State>> = { unreachable: 'uncovered' };

const rowsFor = (label: string, query: string, source: string): Rows => ({
  label,
  query,
  source,
  starts: [],
  ends: [],
  counts: [],
  states: [],
  fetchedAt: [],
});

/** Converts the text of a cell to the text that was written. */
type Plain = (cell: string) => string;

/** Receives the rows of a file one by one. */
interface Taker {
  take(row: Row): void;
  readonly series: readonly Rows[];
}

/** @param dates - Number of columns that repeat the local time; a spreadsheet may have changed their form. */
function longTaker(dates: number, plain: Plain): Taker {
  const byLabel = new Map<string, Rows>();
  const take = (row: Row): void => {
    const [query, label] = row.cells;
    const after = row.cells.slice(LONG_BEFORE.length + dates);
    const [number = '', status = '', source, fetched = ''] = after;
    const [asked, name, from] = [query, label, source].map((cell) => plain(cell ?? ''));
    const into = byLabel.get(name ?? '') ?? rowsFor(name ?? '', asked ?? '', from ?? '');
    byLabel.set(into.label, into);
    if (into.query !== asked) {
      throw new CsvError(row.line, 'query', asked ?? '', `one query for the label “${into.label}”`);
    }
    if (into.source !== from) {
      throw new CsvError(row.line, 'source', from ?? '', `one source for “${into.label}”`);
    }
    const cells = { line: row.line, cells: row.cells.slice(2) };
    const { start, end } = bucket(cells, into.ends.at(-1));
    const state = STATES.findIndex((known) => known === (FORMER[status] ?? status));
    if (state < 0) {
      throw new CsvError(row.line, 'status', status, `one of ${STATES.join(', ')}`);
    }
    into.starts.push(start);
    into.ends.push(end);
    into.counts.push(count(row, 'tweet_count', number));
    into.states.push(state);
    into.fetchedAt.push(fetched === '' ? Number.NaN : instant(row, 'fetched_at', fetched));
  };
  return {
    take,
    get series() {
      return [...byLabel.values()];
    },
  };
}

/** Checks that a bucket listed as uncovered has no count. @returns Its state. */
function uncoveredState({ line }: Row, { label }: Rows, value: number): number {
  if (Number.isNaN(value)) return STATE.uncovered;
  throw new CsvError(line, label, String(value), 'nothing, as the bucket is uncovered');
}

/**
 * Number of columns of a wide file that repeat the local time. Files of earlier versions have none, but may have series
 * with these names, whose cells are counts.
 */
function datesIn(names: readonly string[], { cells }: Row): number {
  const first = cells[WIDE_FIXED.length] ?? '';
  if (names[0] !== DATE || first === '' || NUMBER.test(first)) return 0;
  return names[1] === TIME ? 2 : 1;
}

function wideTaker(header: Row, plain: Plain): Taker {
  const lists = header.cells.at(-1) === UNCOVERED ? [INCOMPLETE, UNCOVERED] : [INCOMPLETE];
  const names = header.cells.slice(WIDE_FIXED.length, -lists.length).map(plain);
  for (const [i, label] of names.entries()) {
    if (names.indexOf(label) < i) {
      throw new CsvError(header.line, label, label, 'a label that no other column has');
    }
  }
  let labels: readonly string[] = [];
  let series: readonly Rows[] | null = null;
  const take = (row: Row): void => {
    if (!series) {
      labels = names.slice(datesIn(names, row));
      series = labels.map((label) => rowsFor(label, '', ''));
    }
    const before = WIDE_FIXED.length + names.length - labels.length;
    const { start, end } = bucket(row, series[0]?.ends.at(-1));
    const [open, uncovered] = lists.map((column, i) =>
      labelsIn(row, column, plain(row.cells[i - lists.length + row.cells.length] ?? ''), labels),
    );
    for (const [i, into] of series.entries()) {
      const value = count(row, into.label, row.cells[before + i] ?? '');
      const weak = Number.isNaN(value) ? STATE.never : STATE.partial;
      into.starts.push(start);
      into.ends.push(end);
      into.counts.push(value);
      const state = open?.has(into.label) ? weak : STATE.settled;
      into.states.push(uncovered?.has(into.label) ? uncoveredState(row, into, value) : state);
      into.fetchedAt.push(Number.NaN);
    }
  };
  return {
    take,
    get series() {
      return series ?? [];
    },
  };
}

/** Chooses how to read the rows below a header. */
function takerFor(header: Row, plain: Plain): Taker {
  const { cells } = header;
  if (cells[0] === LONG_BEFORE[0]) {
    const at = LONG_BEFORE.length;
    const dates = cells[at] !== DATE ? [] : cells[at + 1] === TIME ? [DATE, TIME] : [DATE];
    const columns = [...LONG_BEFORE, ...dates, ...LONG_AFTER];
    const wrong = columns.findIndex((name, i) => cells[i] !== name);
    if (wrong < 0 && cells.length === columns.length) return longTaker(dates.length, plain);
    const place = wrong < 0 ? columns.length : wrong;
    const rule = `the columns ${columns.join(', ')}`;
    throw new CsvError(header.line, `column ${place + 1}`, cells[place] ?? '', rule);
  }
  const fixed = WIDE_FIXED.every((name, i) => cells[i] === name);
  const lists = cells.at(-1) === UNCOVERED ? 2 : 1;
  if (fixed && cells.at(-lists) === INCOMPLETE && cells.length > WIDE_FIXED.length + lists) {
    return wideTaker(header, plain);
  }
  const rule = `a first line that begins with ${LONG_BEFORE.slice(0, 2).join(', ')} (long), or begins with ${WIDE_FIXED.join(', ')} and ends with ${INCOMPLETE}, optionally followed by ${UNCOVERED} (wide)`;
  throw new CsvError(header.line, '', cells.join(', '), rule);
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
  readonly #plain: Plain;
  #taker: Taker | null = null;
  #width = 0;

  /**
   * @param separator - Between the cells of a row in a message.
   * @param plain - Converts the text of a cell to the text that was written.
   */
  constructor(separator: string, plain: Plain) {
    this.#separator = separator;
    this.#plain = plain;
  }

  /** Reads a row; the first one names the columns. @throws {CsvError} if it is wrong. */
  take(row: Row): void {
    const { line, cells } = row;
    if (!this.#taker) {
      [this.#taker, this.#width] = [takerFor(row, this.#plain), cells.length];
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
      const row: Row = { line, cells };
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
