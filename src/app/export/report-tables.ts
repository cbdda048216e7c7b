import { KIND_FACTS } from '#app/events/event.ts';
import { eventDetails, type FileEvent } from '#app/events/event-file.ts';
import { eventTime } from '#app/events/event-time.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { bucketCell, bucketColumns } from '#app/insight/drawer/bucket-rows.ts';
import { causesLine } from '#app/insight/breakdown/causes-text.ts';
import type { SeriesPeak } from '#app/insight/peaks/peaks-found.ts';
import { lengthsOf } from '#app/insight/summary/change-words.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import type { Peak } from '#core/series/peaks.ts';
import { bucketAt } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';
import type { ReportTable } from './report.ts';
import { summaryCell, summaryColumns, NAME_HEADING } from '#app/insight/summary/summary-columns.ts';
import type { Headed } from '#app/insight/summary/row-cell.ts';

/** Maximum rows of the table of buckets: a longer one is for a spreadsheet. */
const MOST_ROWS = 2_000;

/** A peak as a report lists it. */
type ReportedPeak = Pick<SeriesPeak, 'number' | 'at' | 'count' | 'seriesId' | 'causes'> & {
  readonly peak: Pick<Peak, 'count'>;
};

/** The data from which the tables of a report are made. */
export interface ReportData {
  readonly series: readonly InsightSeries[];
  readonly peaks: readonly ReportedPeak[];
  /** Those in view. */
  readonly events: readonly FileEvent[];
  /** The resolution, and what counts are compared with. */
  readonly headed: Headed;
  /** Boundaries of the buckets in view that have begun, epoch ms; one more than buckets. */
  readonly bounds: Float64Array;
  /** The zoom; null if the whole range is in view. */
  readonly zoom: Span | null;
  readonly now: number;
  /** In the zone of the buckets. */
  readonly format: Formatter;
}

/** A figure with its note: `76.1% (73.5% to 78.4%)`. */
const withNote = ({ text, note }: { readonly text: string; readonly note: string }): string =>
  note === '' ? text : `${text} (${note})`;

function summaryTable({ series, headed, now, zoom, format }: ReportData): ReportTable {
  const rows = summaryRows({ ...headed, series, now, window: zoom, format });
  // A column without a value says nothing.
  const shown = summaryColumns(headed).filter(({ id }) =>
    rows.some((row) => summaryCell(row, id).text !== '–'),
  );
  return {
    heading: 'Summary',
    columns: [NAME_HEADING, ...shown.map(({ heading }) => heading(headed))],
    rows: rows.map((row) => [row.name, ...shown.map(({ id }) => withNote(summaryCell(row, id)))]),
    note: [
      rows.some(({ cells }) => cells.share.note)
        ? 'In parentheses after a share: its 95% margin, estimated from how much comparable periods vary. A Post that matches two queries is counted in both.'
        : '',
      ...lengthsOf(series).map((text) => `A change compares Posts a day: ${text}.`),
    ]
      .filter(Boolean)
      .join(' '),
  };
}

function peakTable({ series, peaks, bounds, headed, format }: ReportData): ReportTable[] {
  const [start = Infinity, end = -Infinity] = [bounds[0], bounds.at(-1)];
  const inside = peaks
    .filter(({ number, at }) => number !== null && at >= start && at < end)
    .sort((a, b) => (a.number ?? 0) - (b.number ?? 0) || b.count - a.count);
  if (inside.length === 0) return [];
  const about = inside.some(({ causes }) => causes);
  const rows = inside.map(({ number, at, count, seriesId, causes, peak }) => {
    const i = bucketAt(bounds, at);
    const name = series.find(({ id }) => id === seriesId)?.name ?? '';
    const bucket = format.bucket(bounds[i] ?? at, bounds[i + 1] ?? at, headed.per);
    const said = about ? [causes ? causesLine(causes, peak.count, format) : '–'] : [];
    return [`${number} ${name}`, bucket, format.count(count), ...said];
  });
  return [
    {
      heading: 'Peaks',
      columns: ['Peak', 'Time', 'Posts', ...(about ? ['What it was about'] : [])],
      rows,
      isText: about,
      note: about
        ? 'Shares are of all Posts of a peak, which may last longer than the time of its highest count. They say what was written more than usual, not why.'
        : '',
    },
  ];
}

function eventTable({ events, format }: ReportData): ReportTable[] {
  if (events.length === 0) return [];
  const about = events.some((event) => eventDetails(event) !== '');
  const rows = events.map((event) => [
    event.title,
    KIND_FACTS[event.kind].one,
    eventTime(format, event.start, event.end),
    ...(about ? [eventDetails(event)] : []),
  ]);
  const columns = ['Event', 'Kind', 'Time', ...(about ? ['Details'] : [])];
  return [{ heading: 'Events', columns, rows, isText: about, note: '' }];
}

function bucketTable({ series, bounds, headed: { per }, now, format }: ReportData): ReportTable {
  const columns = bucketColumns(series, []);
  const buckets = Math.max(0, bounds.length - 1);
  const rows = Array.from({ length: Math.min(MOST_ROWS, buckets) }, (_, k) => {
    const at = buckets - 1 - k;
    const cells = columns.map((column) => bucketCell(column, at, { bounds, per, now, format }));
    return [
      format.bucket(bounds[at] ?? 0, bounds[at + 1] ?? 0, per),
      ...cells.map(({ text, note }) => `${note} ${text}`.trim()),
    ];
  });
  const left = buckets - rows.length;
  return {
    heading: `By ${per}`,
    columns: [per.charAt(0).toUpperCase() + per.slice(1), ...columns.map(({ head }) => head)],
    rows,
    note: left > 0 ? `${format.count(left)} earlier ${per}s are not listed.` : '',
  };
}

/** The tables of a report: the summary, the numbered peaks, events, and the buckets, newest first. */
export function reportTables(data: ReportData): readonly ReportTable[] {
  return [summaryTable(data), ...peakTable(data), ...eventTable(data), bucketTable(data)];
}
