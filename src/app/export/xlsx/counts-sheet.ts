import { STATE, STATES } from '#core/series/series.ts';
import { wallTime, type ZoneTable } from '#core/time/zone.ts';
import {
  exportedBuckets,
  DATE,
  INCOMPLETE,
  listedLabel,
  rowCount,
  TIME,
  UNCOVERED,
  uniqueLabels,
  type CsvBlock,
  type ExportSeries,
} from '#core/export/csv.ts';
import type { FileEvent } from '#app/events/event-file.ts';
import type { NoteLine } from '#app/export/note.ts';
import { CELL_FORMAT } from './package-parts.ts';
import { type SheetRows, type SharedTexts, wallCells } from './sheet-rows.ts';
import { type SheetColumn, namedColumns, sheetBlocks } from './sheet.ts';

/** Columns of a long sheet after {@link DATE} and, in a sheet with times, {@link TIME}. */
export const LONG_SHEET = [
  'label',
  'tweet_count',
  'status',
  'query',
  'source',
  'start_utc',
  'end_utc',
  'fetched_at',
] as const;

/** See {@link XlsxJob.moment}. */
export const START_LOCAL = 'start_local';
/** Last columns of a wide sheet. */
export const WIDE_SHEET = ['start_utc', 'end_utc'] as const;

/** Limits of Excel. https://support.microsoft.com/office/1672b34d-7043-467e-8e27-269d656771c3 */
const MOST_ROWS = 1_048_576;

/** Content of a workbook. */
export interface XlsxJob {
  readonly form: 'xlsx';
  /** A row per series and bucket, or a row per bucket. */
  readonly shape: 'long' | 'wide';
  /** True if buckets are shorter than a day, so that there is a column of times. */
  readonly timed: boolean;
  /** True if the local time follows once more in one cell, as an axis of a chart needs it. */
  readonly moment?: boolean;
  /** Boundaries of the buckets, epoch ms, ascending; one more than buckets. */
  readonly bounds: Float64Array;
  readonly series: readonly ExportSeries[];
  readonly method: readonly NoteLine[];
  /** Without any there is no sheet of them. */
  readonly events: readonly FileEvent[];
}

/** The format of a series' counts: whole numbers have separators. */
const formatOf = ({ counts }: ExportSeries): number =>
  counts.every((count) => Number.isNaN(count) || Number.isInteger(count))
    ? CELL_FORMAT.count
    : CELL_FORMAT.plain;

/** A sheet of counts while it is written. */
interface Writing {
  readonly job: XlsxJob;
  readonly labels: readonly string[];
  readonly rows: SheetRows;
  /** Writes the date and, if wanted, the time of an instant in the zone. */
  local(at: number): void;
}

/** Writes the rows one by one. @returns The row after each that was written. */
type RowWriter = (sheet: Writing) => Generator<void>;

function* longRows({ job: { bounds, series }, labels, rows, local }: Writing): Generator<void> {
  for (const [s, written] of series.entries()) {
    const format = formatOf(written);
    const [label, query, source] = [labels[s] ?? '', written.query, written.source];
    for (const [i, count] of written.counts.entries()) {
      const start = bounds[i] ?? Number.NaN;
      rows.begin();
      local(start);
      rows.text(label);
      rows.number(count, format);
      rows.text(STATES[written.states[i] ?? 0] ?? '');
      rows.text(query);
      rows.text(source);
      rows.instant(start);
      rows.instant(bounds[i + 1] ?? Number.NaN);
      rows.instant(written.fetchedAt[i] ?? Number.NaN);
      rows.end();
      yield;
    }
  }
}

function* wideRows({ job, labels, rows, local }: Writing): Generator<void> {
  const { bounds, series } = job;
  const formats = series.map(formatOf);
  const lists = listsOf(job);
  for (let i = 0; i + 1 < bounds.length; i += 1) {
    const start = bounds[i] ?? Number.NaN;
    rows.begin();
    local(start);
    for (const [s, { counts }] of series.entries()) {
      rows.number(counts[i] ?? Number.NaN, formats[s] ?? CELL_FORMAT.plain);
    }
    for (const { takes } of lists) {
      const open = labels.filter((_, s) => takes(series[s]?.states[i] ?? 0));
      rows.text(open.map(listedLabel).join('; '));
    }
    rows.instant(start);
    rows.instant(bounds[i + 1] ?? Number.NaN);
    rows.end();
    yield;
  }
}

/** The columns of lists of labels. */
function listsOf({ series }: Pick<XlsxJob, 'series'>) {
  const uncovered = series.some(({ states }) => states.includes(STATE.uncovered));
  return [
    { name: INCOMPLETE, takes: (state: number) => state !== STATE.settled },
    ...(uncovered
      ? [{ name: UNCOVERED, takes: (state: number) => state === STATE.uncovered }]
      : []),
  ];
}

/** The columns of the sheet of counts. */
function columnsOf(job: XlsxJob, labels: readonly string[]): readonly SheetColumn[] {
  const dates = namedColumns([
    DATE,
    ...(job.timed ? [TIME] : []),
    ...(job.moment ? [START_LOCAL] : []),
  ]);
  if (job.shape === 'long') return [...dates, ...namedColumns(LONG_SHEET)];
  const counts = labels.map((name) => ({
    name,
    width: Math.min(40, Math.max(12, name.length + 2)),
  }));
  return [
    ...dates,
    ...counts,
    ...namedColumns([...listsOf(job).map(({ name }) => name), ...WIDE_SHEET]),
  ];
}

/** The sheet of counts. */
export function* countsSheet(
  job: XlsxJob,
  table: ZoneTable,
  texts: SharedTexts,
): Generator<CsvBlock> {
  exportedBuckets(job);
  if (rowCount({ ...job, form: job.shape }) >= MOST_ROWS) {
    throw new RangeError(
      `An Excel sheet holds at most ${MOST_ROWS} rows, and this export needs more. Choose CSV, a shorter range or longer buckets.`,
    );
  }
  const labels = uniqueLabels(job.series.map(({ label }) => label));
  const local = (rows: SheetRows, at: number): void => {
    const wall = wallTime(table, at);
    wallCells(rows, wall, job.timed);
    if (job.moment) rows.instant(wall);
  };
  const write: RowWriter = job.shape === 'long' ? longRows : wideRows;
  yield* sheetBlocks(columnsOf(job, labels), texts, true, (rows) =>
    write({ job, labels, rows, local: (at) => local(rows, at) }),
  );
}
