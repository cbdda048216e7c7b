import { STATE, STATES, type State } from '#core/series/series.ts';
import {
  DATE,
  INCOMPLETE,
  LONG_AFTER,
  LONG_BEFORE,
  TIME,
  UNCOVERED,
  WIDE_FIXED,
} from '#core/export/csv.ts';
import { CsvError } from './csv-problem.ts';
import {
  type CsvRow,
  type CsvRows,
  type CsvNumbers,
  bucketOfCells,
  countOfCell,
  instantOfCell,
  CSV_NUMBERS,
} from './csv-cells.ts';

/** Parses a list of labels as `csv.ts` writes it. */
function labelsIn(
  row: CsvRow,
  column: string,
  text: string,
  labels: readonly string[],
): Set<string> {
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

/** Former names of states, in files of earlier versions. */
const FORMER: Readonly<Record<string, State>> = { unreachable: 'uncovered' };

const rowsFor = (label: string, query: string, source: string): CsvRows => ({
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
export type CsvPlain = (cell: string) => string;

/** Receives the rows of a file one by one. */
export interface Taker {
  take(row: CsvRow): void;
  readonly series: readonly CsvRows[];
}

/** @param dates - Number of columns that repeat the local time; a spreadsheet may have changed their form. */
function longTaker(dates: number, plain: CsvPlain, numbers: CsvNumbers): Taker {
  const byLabel = new Map<string, CsvRows>();
  const take = (row: CsvRow): void => {
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
    const { start, end } = bucketOfCells(cells, into.ends.at(-1));
    const state = STATES.findIndex((known) => known === (FORMER[status] ?? status));
    if (state < 0) {
      throw new CsvError(row.line, 'status', status, `one of ${STATES.join(', ')}`);
    }
    into.starts.push(start);
    into.ends.push(end);
    into.counts.push(countOfCell(row, 'tweet_count', number, numbers));
    into.states.push(state);
    into.fetchedAt.push(fetched === '' ? Number.NaN : instantOfCell(row, 'fetched_at', fetched));
  };
  return {
    take,
    get series() {
      return [...byLabel.values()];
    },
  };
}

/** Checks that a bucket listed as uncovered has no count. @returns Its state. */
function uncoveredState({ line }: CsvRow, { label }: CsvRows, value: number): number {
  if (Number.isNaN(value)) return STATE.uncovered;
  throw new CsvError(line, label, String(value), 'nothing, as the bucket is uncovered');
}

/**
 * Number of columns of a wide file that repeat the local time. Files of earlier versions have none, but may have series
 * with these names, whose cells are counts.
 */
function datesIn(names: readonly string[], { cells }: CsvRow): number {
  const first = cells[WIDE_FIXED.length] ?? '';
  if (names[0] !== DATE || first === '' || CSV_NUMBERS.either.form.test(first)) return 0;
  return names[1] === TIME ? 2 : 1;
}

function wideTaker(header: CsvRow, plain: CsvPlain, numbers: CsvNumbers): Taker {
  const lists = header.cells.at(-1) === UNCOVERED ? [INCOMPLETE, UNCOVERED] : [INCOMPLETE];
  const names = header.cells.slice(WIDE_FIXED.length, -lists.length).map(plain);
  for (const [i, label] of names.entries()) {
    if (names.indexOf(label) < i) {
      throw new CsvError(header.line, label, label, 'a label that no other column has');
    }
  }
  let labels: readonly string[] = [];
  let series: readonly CsvRows[] | null = null;
  const take = (row: CsvRow): void => {
    if (!series) {
      labels = names.slice(datesIn(names, row));
      series = labels.map((label) => rowsFor(label, '', ''));
    }
    const before = WIDE_FIXED.length + names.length - labels.length;
    const { start, end } = bucketOfCells(row, series[0]?.ends.at(-1));
    const [open, uncovered] = lists.map((column, i) =>
      labelsIn(row, column, plain(row.cells[i - lists.length + row.cells.length] ?? ''), labels),
    );
    for (const [i, into] of series.entries()) {
      const value = countOfCell(row, into.label, row.cells[before + i] ?? '', numbers);
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
export function takerFor(header: CsvRow, plain: CsvPlain, numbers: CsvNumbers): Taker {
  const { cells } = header;
  if (cells[0] === LONG_BEFORE[0]) {
    const at = LONG_BEFORE.length;
    const dates = cells[at] !== DATE ? [] : cells[at + 1] === TIME ? [DATE, TIME] : [DATE];
    const columns = [...LONG_BEFORE, ...dates, ...LONG_AFTER];
    const wrong = columns.findIndex((name, i) => cells[i] !== name);
    if (wrong < 0 && cells.length === columns.length)
      return longTaker(dates.length, plain, numbers);
    const place = wrong < 0 ? columns.length : wrong;
    const rule = `the columns ${columns.join(', ')}`;
    throw new CsvError(header.line, `column ${place + 1}`, cells[place] ?? '', rule);
  }
  const fixed = WIDE_FIXED.every((name, i) => cells[i] === name);
  const lists = cells.at(-1) === UNCOVERED ? 2 : 1;
  if (fixed && cells.at(-lists) === INCOMPLETE && cells.length > WIDE_FIXED.length + lists) {
    return wideTaker(header, plain, numbers);
  }
  const rule = `a first line that begins with ${LONG_BEFORE.slice(0, 2).join(', ')} (long), or begins with ${WIDE_FIXED.join(', ')} and ends with ${INCOMPLETE}, optionally followed by ${UNCOVERED} (wide)`;
  throw new CsvError(header.line, '', cells.join(', '), rule);
}
