import { STATE, STATES } from '#core/series/series.ts';
import { offsetAt, type ZoneTable } from '#core/time/zone.ts';
import { ByteWriter, utf8 } from './bytes.ts';

/** Size of the blocks handed out, in bytes; one takes about 10 ms to fill. */
const BLOCK = 1 << 20;
/** Longest that the times, the count and the marks of one row can be, in bytes. */
const ROW_FIXED = 192;
const COMMA = 0x2c;
/** Columns of times. */
const COLUMN = { start: 0, end: 1, local: 2, fetched: 3 } as const;
const COLUMNS = 4;
const CRLF = utf8('\r\n');
const WIDE_FIXED = ['start_utc', 'end_utc', 'start_local'] as const;
const LONG_HEADER =
  'query,label,start_utc,end_utc,start_local,tweet_count,status,source,fetched_at\r\n';

/** One series as shown; the arrays have one entry per bucket. */
export interface ExportSeries {
  readonly query: string;
  readonly label: string;
  /** NaN: missing, written as an empty cell. */
  readonly counts: Float64Array;
  /** Index into STATES. */
  readonly states: Uint8Array;
  /** Epoch ms; NaN where missing. */
  readonly fetchedAt: Float64Array;
}

/** What a file is made of: the buckets of the view and its visible series. */
export interface ExportJob {
  readonly form: 'long' | 'wide';
  readonly source: string;
  /** Boundaries of the buckets in epoch ms, ascending: one more than there are buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
}

/** A part of the file and how many buckets of all it ends after. */
export interface CsvBlock {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly rows: number;
}

/** How many rows below the header a job makes. */
export function rowCount(job: ExportJob): number {
  const buckets = Math.max(0, job.bounds.length - 1);
  return job.form === 'wide' ? buckets : buckets * job.series.length;
}

/**
 * A text as a CSV cell (RFC 4180) that no spreadsheet takes for a formula: what begins with `=`, `+`, `-`,
 * `@`, `'`, tab or return gets one leading apostrophe, which a reader takes off again.
 */
export function textCell(text: string): string {
  const safe = /^[=+\-@'\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * The labels with a number after those that repeat, so that each names one column: never one of the fixed
 * columns' names either. What was unique stays as it is.
 */
export function uniqueLabels(labels: readonly string[]): string[] {
  const taken = new Set<string>([...WIDE_FIXED, 'incomplete', ...labels]);
  const given = new Set<string>([...WIDE_FIXED, 'incomplete']);
  return labels.map((label) => {
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
 * empty cells. UTC times are written as `Date.toISOString` does, local times with their offset.
 *
 * @param table - Offsets of the zone of the view, over all of `job.bounds`.
 * @throws {@link RangeError} if a series has not one entry per bucket.
 */
export function* csvBlocks(job: ExportJob, table: ZoneTable): Generator<CsvBlock, void, void> {
  const buckets = Math.max(0, job.bounds.length - 1);
  for (const { label, counts, states, fetchedAt } of job.series) {
    if (counts.length !== buckets || states.length !== buckets || fetchedAt.length !== buckets) {
      throw new RangeError(
        `“${label}” has ${counts.length} counts, ${states.length} states and ${fetchedAt.length} times for ${buckets} buckets`,
      );
    }
  }
  yield* job.form === 'long' ? longBlocks(job, table, buckets) : wideBlocks(job, table, buckets);
}

function* longBlocks(job: ExportJob, table: ZoneTable, buckets: number): Generator<CsvBlock> {
  const { bounds } = job;
  const labels = uniqueLabels(job.series.map((series) => series.label));
  const before = job.series.map((series, i) =>
    utf8(`${textCell(series.query)},${textCell(labels[i] ?? '')},`),
  );
  const after = STATES.map((state) => utf8(`,${state},${textCell(job.source)},`));
  const widest = Math.max(
    0,
    ...before.map((text) => text.length),
    ...after.map((text) => text.length),
  );
  const rowSize = 2 * widest + ROW_FIXED;
  const out = new ByteWriter(Math.max(BLOCK, 2 * rowSize), COLUMNS);
  out.bytes(utf8(LONG_HEADER));
  let rows = 0;
  for (const [s, { counts, states, fetchedAt }] of job.series.entries()) {
    const head = before[s] ?? new Uint8Array();
    for (let i = 0; i < buckets; i += 1) {
      const start = bounds[i] ?? Number.NaN;
      const count = counts[i] ?? Number.NaN;
      const at = fetchedAt[i] ?? Number.NaN;
      out.bytes(head);
      writeTimes(out, start, bounds[i + 1] ?? Number.NaN, table);
      if (!Number.isNaN(count)) out.integer(count);
      out.bytes(after[states[i] ?? 0] ?? new Uint8Array());
      if (!Number.isNaN(at)) out.utc(at, COLUMN.fetched);
      out.bytes(CRLF);
      rows += 1;
      if (out.room < rowSize) yield { bytes: out.take(), rows };
    }
  }
  yield { bytes: out.take(), rows };
}

function* wideBlocks(job: ExportJob, table: ZoneTable, buckets: number): Generator<CsvBlock> {
  const { bounds, series } = job;
  const labels = uniqueLabels(series.map((one) => one.label));
  const header = [...WIDE_FIXED, ...labels.map(textCell), 'incomplete'].join(',');
  const rowSize = ROW_FIXED + 18 * labels.length + 8 * labels.join('').length + 4 * labels.length;
  const out = new ByteWriter(Math.max(BLOCK, 2 * rowSize, 2 * header.length * 3), COLUMNS);
  const lists = new Map<string, Uint8Array>();
  out.bytes(utf8(`${header}\r\n`));
  for (let i = 0; i < buckets; i += 1) {
    writeTimes(out, bounds[i] ?? Number.NaN, bounds[i + 1] ?? Number.NaN, table);
    let open = '';
    for (const [s, { counts, states }] of series.entries()) {
      const count = counts[i] ?? Number.NaN;
      if (s > 0) out.byte(COMMA);
      if (!Number.isNaN(count)) out.integer(count);
      if (states[i] !== STATE.settled) open += `${s} `;
    }
    if (series.length > 0) out.byte(COMMA);
    let list = lists.get(open);
    if (!list) {
      const names = open
        .split(' ')
        .slice(0, -1)
        .map((s) => listed(labels[Number(s)] ?? ''));
      list = utf8(textCell(names.join('; ')));
      lists.set(open, list);
    }
    out.bytes(list);
    out.bytes(CRLF);
    if (out.room < rowSize) yield { bytes: out.take(), rows: i + 1 };
  }
  yield { bytes: out.take(), rows: buckets };
}

/** The three times of a bucket, each with a comma behind it. */
function writeTimes(out: ByteWriter, start: number, end: number, table: ZoneTable): void {
  out.utc(start, COLUMN.start);
  out.byte(COMMA);
  out.utc(end, COLUMN.end);
  out.byte(COMMA);
  out.local(start, offsetAt(table, start), COLUMN.local);
  out.byte(COMMA);
}
