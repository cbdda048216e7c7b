import { STATE, STATES } from '#core/series/series.ts';
import { offsetAt, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, utf8 } from './bytes.ts';

/** Size of the blocks handed out, in bytes: each write to a disk costs as much again as some megabytes do. */
const BLOCK = 1 << 22;
/** Longest that the times and the marks of one row can be, in bytes. */
const ROW_FIXED = 192;
/** Longest that a number can be: sign, `0.`, 323 zeros, 17 digits. */
const NUMBER_BYTES = 348;
/** Columns of times. */
const COLUMN = { start: 0, end: 1, local: 2, fetched: 3 } as const;
const COLUMNS = 4;
const CRLF = utf8('\r\n');
/** Half of a pair: UTF-8 has U+FFFD for it. */
const LONE = /\p{Surrogate}/gu;
/** Bytes that tell a spreadsheet that UTF-8 follows. */
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
/**
 * Columns of a wide file before those of its series; after them comes {@link INCOMPLETE}, and where the source does not
 * cover a bucket {@link UNCOVERED}.
 */
export const WIDE_FIXED = ['start_utc', 'end_utc', 'start_local'] as const;
export const INCOMPLETE = 'incomplete';
export const UNCOVERED = 'uncovered';
/** Columns of a long file. */
export const LONG_COLUMNS = [
  'query',
  'label',
  'start_utc',
  'end_utc',
  'start_local',
  'tweet_count',
  'status',
  'source',
  'fetched_at',
] as const;
export type Separator = ',' | ';';

/** One series as shown; the arrays have one entry per bucket. */
export interface ExportSeries {
  /** What is counted, or the formula of a computed series. */
  readonly query: string;
  readonly label: string;
  /** Where its counts come from. */
  readonly source: string;
  /** Decimals where it is computed. NaN: missing, written as an empty cell. */
  readonly counts: Float64Array;
  /** Index into STATES. */
  readonly states: Uint8Array;
  /** Epoch ms; NaN where missing. */
  readonly fetchedAt: Float64Array;
}

/** What a file is made of: the buckets of the view and its visible series. */
export interface ExportJob {
  readonly form: 'long' | 'wide';
  /** Of cells; numbers have a decimal point whichever it is. */
  readonly separator: Separator;
  /** Whether a byte-order mark comes first. */
  readonly mark: boolean;
  /** Boundaries of the buckets in epoch ms, ascending: one more than there are buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** A part of the file and how many buckets of all it ends after. */
export interface CsvBlock {
  /** Holds while the next part is made, and no longer. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
}

/** How many rows below the header a job makes. */
export function rowCount(job: Pick<ExportJob, 'form' | 'bounds' | 'series'>): number {
  const buckets = Math.max(0, job.bounds.length - 1);
  return job.form === 'wide' ? buckets : buckets * job.series.length;
}

/**
 * What some program takes for the end of a cell, whatever this file's separator is: other locales open a CSV by
 * semicolons or tabs, and quotes that are not at the start of a cell do not protect what is inside them.
 */
const CELL_ENDS = /([,;|\t\n\v\f\r\u0085\u2028\u2029])/u;
/** Spreadsheets ignore these before a formula. */
const UNSEEN = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]+/u;
/** The same after a separator, where a quote opens a cell that the next quote closes again. */
const UNSEEN_OR_QUOTE = /^[\p{Z}\p{C}\p{Default_Ignorable_Code_Point}"]+/u;
/** What begins a formula: these, the minus sign, and full-width and other forms of them. */
const FORMULA = /^[=+\-@\u2212]/;

/** Whether a part of a text needs an apostrophe: it may be taken for a formula, or a reader would take off its own. */
function needsApostrophe(part: string, first: boolean): boolean {
  if (part.startsWith("'")) return true;
  const seen = part.replace(first ? UNSEEN : UNSEEN_OR_QUOTE, '');
  return (
    seen !== '' && FORMULA.test(String.fromCodePoint(seen.codePointAt(0) ?? 0).normalize('NFKC'))
  );
}

/**
 * A text no part of which a spreadsheet takes for a formula, by whichever separator it divides cells: what
 * begins with `=`, `+`, `-`, `@` or a form of these, with blank or unseen characters before it or not, and what
 * begins with an apostrophe gets one leading apostrophe, and so does such a part after a comma, semicolon, tab,
 * bar or line break. A text that begins with a tab or a line break gets one too. {@link plainText} takes off
 * exactly these.
 */
export function safeText(text: string): string {
  const parts = text.split(CELL_ENDS);
  // Texts and what divides them in turn.
  if (parts.length === 1) return needsApostrophe(text, true) ? `'${text}` : text;
  const begins = /^[\t\n\r]/.test(text);
  return parts
    .map((part, i) =>
      i % 2 === 0 && ((i === 0 && begins) || needsApostrophe(part, i === 0)) ? `'${part}` : part,
    )
    .join('');
}

/** A text as it was before {@link safeText}: exactly one apostrophe comes off where each part begins. */
export function plainText(safe: string): string {
  if (!safe.includes("'")) return safe;
  const parts = safe.split(CELL_ENDS);
  return parts.map((part) => (part.startsWith("'") ? part.slice(1) : part)).join('');
}

/** A {@link safeText} as a CSV cell (RFC 4180), in quotes where it holds what any program may take for a separator. */
export function textCell(text: string): string {
  const safe = safeText(text);
  const plain = !CELL_ENDS.test(safe) && !safe.includes('"') && safe.trim() === safe;
  return plain ? safe : `"${safe.replaceAll('"', '""')}"`;
}

/**
 * The labels with a number after those that repeat, so that each names one column: never one of the fixed
 * columns' names either, and never nothing. What was unique stays as it is, but for lone surrogates, which no
 * file can hold.
 */
export function uniqueLabels(labels: readonly string[]): string[] {
  const named = labels.map((label, i) => label.replaceAll(LONE, '\ufffd') || `Series ${i + 1}`);
  const taken = new Set<string>([...WIDE_FIXED, INCOMPLETE, UNCOVERED, ...named]);
  const given = new Set<string>([...WIDE_FIXED, INCOMPLETE, UNCOVERED]);
  return named.map((label) => {
    let name = label;
    for (let n = 2; given.has(name) || (name !== label && taken.has(name)); n += 1) {
      name = `${label} (${n})`;
    }
    given.add(name);
    return name;
  });
}

/** A label inside a list separated by `; `: backslash and semicolon get a backslash before them. */
export function listed(label: string): string {
  return label.replaceAll(/[\\;]/g, (sign) => `\\${sign}`);
}

/**
 * Writes the file block by block; memory is one block, whatever the length.
 *
 * Long has a row per series and bucket, wide a row per bucket and a column per label. Missing counts are
 * empty cells. A wide file lists in `incomplete` the labels whose bucket is not settled, and has a column `uncovered`
 * only where the source has no data of some bucket: it lists the labels of which that is so. UTC times are written as `Date.toISOString` does, local times with their offset.
 *
 * @param table - Offsets of the zone of the view, over all of `job.bounds`.
 * @throws {RangeError} if a series has not one entry per bucket, or a count is infinite.
 */
export function* csvBlocks(job: ExportJob, table: ZoneTable): Generator<CsvBlock, void, void> {
  const buckets = bucketsOf(job);
  yield* job.form === 'long' ? longBlocks(job, table, buckets) : wideBlocks(job, table, buckets);
}

/** How many buckets a job has. @throws {RangeError} if a series has not one entry for each. */
export function bucketsOf({ bounds, series }: Pick<ExportJob, 'bounds' | 'series'>): number {
  const buckets = Math.max(0, bounds.length - 1);
  for (const { label, counts, states, fetchedAt } of series) {
    if (counts.length !== buckets || states.length !== buckets || fetchedAt.length !== buckets) {
      throw new RangeError(
        `“${label}” has ${counts.length} counts, ${states.length} states and ${fetchedAt.length} times for ${buckets} buckets`,
      );
    }
  }
  return buckets;
}

function* longBlocks(job: ExportJob, table: ZoneTable, buckets: number): Generator<CsvBlock> {
  const { bounds, separator } = job;
  const sign = separator.charCodeAt(0);
  const cells = (texts: readonly string[]): string =>
    texts.map((text) => textCell(text)).join(separator);
  const labels = uniqueLabels(job.series.map((series) => series.label));
  const before = job.series.map(({ query }, i) => utf8(cells([query, labels[i] ?? '', ''])));
  const after = job.series.map(({ source }) =>
    STATES.map((state) => utf8(cells(['', state, source, '']))),
  );
  const widest = Math.max(0, ...[before, ...after].flat().map((text) => text.length));
  const rowSize = 2 * widest + ROW_FIXED + NUMBER_BYTES;
  const out = new ByteWriter(Math.max(BLOCK, 2 * rowSize), COLUMNS);
  if (job.mark) out.bytes(MARK);
  out.bytes(utf8(`${LONG_COLUMNS.join(separator)}\r\n`));
  let rows = 0;
  for (const [s, { counts, states, fetchedAt }] of job.series.entries()) {
    const head = before[s] ?? new Uint8Array();
    const tails = after[s] ?? [];
    for (let i = 0; i < buckets; i += 1) {
      const start = bounds[i] ?? Number.NaN;
      const count = counts[i] ?? Number.NaN;
      const at = fetchedAt[i] ?? Number.NaN;
      out.bytes(head);
      writeTimes(out, start, bounds[i + 1] ?? Number.NaN, table, sign);
      if (!Number.isNaN(count)) out.number(count);
      out.bytes(tails[states[i] ?? 0] ?? new Uint8Array());
      if (!Number.isNaN(at)) out.utc(at, COLUMN.fetched);
      out.bytes(CRLF);
      rows += 1;
      if (out.room < rowSize) yield { bytes: out.take(), rows };
    }
  }
  yield { bytes: out.take(), rows };
}

function* wideBlocks(job: ExportJob, table: ZoneTable, buckets: number): Generator<CsvBlock> {
  const { bounds, series, separator } = job;
  const sign = separator.charCodeAt(0);
  const labels = uniqueLabels(series.map((one) => one.label));
  const lists = [
    { name: INCOMPLETE, takes: (state: number) => state !== STATE.settled },
    { name: UNCOVERED, takes: (state: number) => state === STATE.uncovered },
  ].filter(
    ({ name }) =>
      name === INCOMPLETE || series.some(({ states }) => states.includes(STATE.uncovered)),
  );
  const heads = [...WIDE_FIXED, ...labels.map((label) => textCell(label))];
  const header = [...heads, ...lists.map(({ name }) => name)];
  const headerBytes = utf8(`${header.join(separator)}\r\n`);
  const rowSize =
    ROW_FIXED + (NUMBER_BYTES + 3) * labels.length + 8 * lists.length * labels.join('').length;
  const size = Math.max(BLOCK, 2 * rowSize, rowSize + headerBytes.length + MARK.length);
  const out = new ByteWriter(size, COLUMNS);
  const made = new Map<string, Uint8Array>();
  const listOf = (open: string): Uint8Array => {
    const names = open
      .split(' ')
      .slice(0, -1)
      .map((s) => listed(labels[Number(s)] ?? ''));
    return utf8(textCell(names.join('; ')));
  };
  if (job.mark) out.bytes(MARK);
  out.bytes(headerBytes);
  for (let i = 0; i < buckets; i += 1) {
    writeTimes(out, bounds[i] ?? Number.NaN, bounds[i + 1] ?? Number.NaN, table, sign);
    for (const [s, { counts }] of series.entries()) {
      const count = counts[i] ?? Number.NaN;
      if (s > 0) out.byte(sign);
      if (!Number.isNaN(count)) out.number(count);
    }
    for (const [k, { takes }] of lists.entries()) {
      let open = '';
      for (const [s, { states }] of series.entries()) if (takes(states[i] ?? 0)) open += `${s} `;
      if (k > 0 || series.length > 0) out.byte(sign);
      const bytes = made.get(open) ?? listOf(open);
      made.set(open, bytes);
      out.bytes(bytes);
    }
    out.bytes(CRLF);
    if (out.room < rowSize) yield { bytes: out.take(), rows: i + 1 };
  }
  yield { bytes: out.take(), rows: buckets };
}

/** The three times of a bucket, each with a separator behind it. */
function writeTimes(
  out: ByteWriter,
  start: number,
  end: number,
  table: ZoneTable,
  separator: number,
): void {
  // A bucket begins as the one before ended.
  out.utc(start, COLUMN.start, COLUMN.end);
  out.byte(separator);
  out.utc(end, COLUMN.end);
  out.byte(separator);
  out.local(start, offsetAt(table, start), COLUMN.local);
  out.byte(separator);
}
