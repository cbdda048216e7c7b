import { STATE, STATES, type Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { offsetAt, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, TimeText, utf8 } from './bytes.ts';
import { textCell } from './csv-text.ts';

/** Block size in bytes: a disk takes larger ones faster, 16 MB in two thirds of the time of 4 MB. */
const BLOCK = 1 << 24;
/** More than the names of the fixed columns. */
const HEADER_BYTES = 256;
/** Maximum length of a number: sign, `0.`, 323 zeros, 17 digits. */
const NUMBER_BYTES = 348;
const CRLF = utf8('\r\n');
/** Places of times in the texts of a row. */
const UTC = 'YYYY-MM-DDTHH:MM:SS.mmmZ';
const LOCAL = 'YYYY-MM-DDTHH:MM:SS+HH:MM';
const LOCAL_DATE = 'YYYY-MM-DD';
const LOCAL_TIME = 'HH:MM';
/** Lone surrogates, which UTF-8 writes as U+FFFD. */
const LONE = /\p{Surrogate}/gu;
/** Byte-order mark, by which a spreadsheet recognizes UTF-8. */
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf);
/**
 * First columns of a wide file. {@link DATE} follows, {@link TIME} in a file with times, and the columns of its series.
 * Then comes {@link INCOMPLETE}, and {@link UNCOVERED} if the source does not cover some bucket.
 */
export const WIDE_FIXED = ['start_utc', 'end_utc', 'start_local'] as const;
export const INCOMPLETE = 'incomplete';
export const UNCOVERED = 'uncovered';
/** The local date and time of `start_local` in the form that spreadsheets read as a date and a time. */
export const DATE = 'date';
export const TIME = 'time';
const RESERVED = [...WIDE_FIXED, DATE, TIME, INCOMPLETE, UNCOVERED];
/** Columns of a long file before {@link DATE} and, in a file with times, {@link TIME}; and after them. */
export const LONG_BEFORE = ['query', 'label', ...WIDE_FIXED] as const;
export const LONG_AFTER = ['tweet_count', 'status', 'source', 'fetched_at'] as const;
export type Separator = ',' | ';';
/** Signs before decimals: spreadsheets that split cells at semicolons read `1.5` as a date. */
const DECIMAL_SIGNS = { ',': '.', ';': ',' } as const;

/** One series as shown. The arrays have one entry per bucket. */
export interface ExportSeries {
  /** The query, or the formula of a computed series. */
  readonly query: string;
  readonly label: string;
  /** The source of its counts. */
  readonly source: string;
  /** Fractional only in a computed series. NaN: missing, written as an empty cell. */
  readonly counts: Curve['counts'];
  /** Indexes into `STATES`. */
  readonly states: Uint8Array;
  /** Epoch ms; NaN if missing. */
  readonly fetchedAt: Float64Array;
}

/** Content of a file: the buckets of the view and its visible series. */
export interface ExportJob {
  readonly form: 'long' | 'wide';
  /** Between cells. With semicolons, numbers have a decimal comma. */
  readonly separator: Separator;
  /** True if the file begins with a byte-order mark. */
  readonly mark: boolean;
  /** True if buckets are shorter than a day, so that the file has the column {@link TIME}. */
  readonly timed: boolean;
  /** Boundaries of the buckets, epoch ms, ascending; one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** A part of the file and the number of buckets written so far. */
export interface CsvBlock {
  /** Valid until the block after the next one is requested. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
}

/** Number of rows below the header. */
export function rowCount(job: Pick<ExportJob, 'form' | 'bounds' | 'series'>): number {
  const buckets = Math.max(0, job.bounds.length - 1);
  return job.form === 'wide' ? buckets : buckets * job.series.length;
}

/**
 * Makes labels unique by numbering repeated ones, so that each names one column. Results are never empty and never equal
 * the name of a fixed column. Unique labels stay unchanged except for lone surrogates, which UTF-8 cannot encode.
 */
export function uniqueLabels(labels: readonly string[]): string[] {
  const named = labels.map((label, i) => label.replaceAll(LONE, '\ufffd') || `Series ${i + 1}`);
  const taken = new Set<string>([...RESERVED, ...named]);
  const given = new Set<string>(RESERVED);
  return named.map((label) => {
    let name = label;
    for (let n = 2; given.has(name) || (name !== label && taken.has(name)); n += 1) {
      name = `${label} (${n})`;
    }
    given.add(name);
    return name;
  });
}

/** Escapes a label for a list separated by `; `, with backslashes before backslashes and semicolons. */
export function listedLabel(label: string): string {
  return label.replaceAll(/[\\;]/g, (sign) => `\\${sign}`);
}

/**
 * Writes the file in blocks, so that memory does not grow with its length.
 *
 * Long has a row per series and bucket, wide a row per bucket and a column per label. Missing counts are empty cells.
 * The column `incomplete` of a wide file lists the labels whose bucket is not settled. The column `uncovered` lists the
 * labels whose source has no data for the bucket, and exists only if there are any. UTC times are written as
 * `Date.toISOString` does, local times with their offset, and once more as a date and a time of day without it.
 *
 * @param table - Offsets of the view's zone, over all of `job.bounds`.
 * @throws {RangeError} if a series does not have one entry per bucket, or a count is infinite.
 */
export function* csvBlocks(job: ExportJob, table: ZoneTable): Generator<CsvBlock, void, void> {
  const buckets = exportedBuckets(job);
  yield* job.form === 'long' ? longBlocks(job, table, buckets) : wideBlocks(job, table, buckets);
}

/** Number of buckets. @throws {RangeError} if a series does not have one entry per bucket. */
export function exportedBuckets({ bounds, series }: Pick<ExportJob, 'bounds' | 'series'>): number {
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
  const { bounds, separator, timed } = job;
  const decimals = DECIMAL_SIGNS[separator];
  const cells = (texts: readonly string[]): string =>
    texts.map((text) => textCell(text)).join(separator);
  const labels = uniqueLabels(job.series.map((series) => series.label));
  const parts = job.series.map((series, s) => ({
    series,
    begin: rowBegin(cells([series.query, labels[s] ?? '', '']), job, table),
    ends: STATES.map((state) => rowEnd(cells(['', state, series.source, '']))),
  }));
  const lengths = parts.flatMap(({ begin, ends }) =>
    ends.map((end) => begin.row.length + end.row.length),
  );
  const rowSize = Math.max(0, ...lengths) + NUMBER_BYTES;
  const file = rowSize * (buckets * job.series.length + 2);
  const out = new ByteWriter(Math.max(Math.min(BLOCK, file), HEADER_BYTES + 2 * rowSize));
  if (job.mark) out.bytes(MARK);
  const header = [...LONG_BEFORE, ...(timed ? [DATE, TIME] : [DATE]), ...LONG_AFTER];
  out.bytes(utf8(`${header.join(separator)}\r\n`));
  let rows = 0;
  for (const { series, begin, ends } of parts) {
    const { counts, states, fetchedAt } = series;
    // A function, because engines optimize generators less.
    const fill = (from: number): number => {
      let i = from;
      for (; i < buckets && out.room >= rowSize; i += 1) {
        const count = counts[i] ?? Number.NaN;
        out.bytes(begin.at(bounds[i] ?? Number.NaN, bounds[i + 1] ?? Number.NaN));
        if (!Number.isNaN(count)) out.number(count, decimals);
        const end = ends[states[i] ?? 0];
        if (end) out.bytes(end.at(fetchedAt[i] ?? Number.NaN));
      }
      return i;
    };
    for (let i = 0; i < buckets;) {
      const next = fill(i);
      rows += next - i;
      i = next;
      if (out.room < rowSize) yield { bytes: out.take(), rows };
    }
  }
  yield { bytes: out.rest(), rows };
}

function* wideBlocks(job: ExportJob, table: ZoneTable, buckets: number): Generator<CsvBlock> {
  const { bounds, series, separator, timed } = job;
  const sign = separator.charCodeAt(0);
  const decimals = DECIMAL_SIGNS[separator];
  const labels = uniqueLabels(series.map((each) => each.label));
  const lists = [
    { name: INCOMPLETE, takes: (state: number) => state !== STATE.settled },
    { name: UNCOVERED, takes: (state: number) => state === STATE.uncovered },
  ].filter(
    ({ name }) =>
      name === INCOMPLETE || series.some(({ states }) => states.includes(STATE.uncovered)),
  );
  const heads = [
    ...WIDE_FIXED,
    ...(timed ? [DATE, TIME] : [DATE]),
    ...labels.map((label) => textCell(label)),
  ];
  const header = [...heads, ...lists.map(({ name }) => name)];
  const headerBytes = utf8(`${header.join(separator)}\r\n`);
  const begin = rowBegin('', job, table);
  const listSize = 8 * lists.length * labels.join('').length;
  const rowSize = begin.row.length + (NUMBER_BYTES + 3) * (labels.length + 1) + listSize;
  const before = headerBytes.length + MARK.length;
  const size = Math.max(Math.min(BLOCK, before + rowSize * (buckets + 1)), 2 * rowSize + before);
  const out = new ByteWriter(size);
  const made = new Map<string, Uint8Array>();
  const listOf = (open: string): Uint8Array => {
    const names = open
      .split(' ')
      .slice(0, -1)
      .map((s) => listedLabel(labels[Number(s)] ?? ''));
    return utf8(textCell(names.join('; ')));
  };
  if (job.mark) out.bytes(MARK);
  out.bytes(headerBytes);
  for (let i = 0; i < buckets; i += 1) {
    out.bytes(begin.at(bounds[i] ?? Number.NaN, bounds[i + 1] ?? Number.NaN));
    for (const [s, { counts }] of series.entries()) {
      const count = counts[i] ?? Number.NaN;
      if (s > 0) out.byte(sign);
      if (!Number.isNaN(count)) out.number(count, decimals);
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
  yield { bytes: out.rest(), rows: buckets };
}

/**
 * The beginning of the rows of a series: its text and the times of the bucket, each followed by a separator. Written
 * once, because few bytes differ from one bucket to the next.
 */
function rowBegin(
  text: string,
  { separator, timed }: Pick<ExportJob, 'separator' | 'timed'>,
  table: ZoneTable,
) {
  const wall = timed ? [LOCAL_DATE, LOCAL_TIME] : [LOCAL_DATE];
  const times = [UTC, UTC, LOCAL, ...wall, ''].join(separator);
  const row = utf8(text + times);
  const first = row.length - times.length;
  const second = first + UTC.length + 1;
  const third = second + UTC.length + 1;
  const start = new TimeText(row.subarray(first));
  const end = new TimeText(row.subarray(second));
  const local = new TimeText(row.subarray(third));
  const date = third + LOCAL.length + 1;
  const clock = date + LOCAL_DATE.length + 1;
  let day = Number.NaN;
  return {
    row,
    /** The row of a bucket, valid until the next call. */
    at: (from: number, to: number): Uint8Array => {
      const offset = offsetAt(table, from);
      start.utc(from);
      end.utc(to);
      local.local(from, offset);
      const today = Math.floor((from + offset) / DAY_MS);
      if (today !== day) row.copyWithin(date, third, third + LOCAL_DATE.length);
      day = today;
      if (timed) for (let i = 0; i < 5; i += 1) row[clock + i] = row[third + 11 + i] ?? 0;
      return row;
    },
  };
}

/** The end of the rows of a series in one state: its text and when the bucket was fetched. */
function rowEnd(text: string) {
  const row = utf8(`${text}${UTC}\r\n`);
  const unfetched = utf8(`${text}\r\n`);
  const fetched = new TimeText(row.subarray(unfetched.length - 2));
  return {
    row,
    /** The row of a time, NaN if missing; valid until the next call. */
    at: (time: number): Uint8Array => {
      if (Number.isNaN(time)) return unfetched;
      fetched.utc(time);
      return row;
    },
  };
}
