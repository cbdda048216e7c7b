import type { Cut } from '#core/series/rollup.ts';
import { sameBuckets, STATE, type Curve } from '#core/series/series.ts';
import type { SeriesStyle } from '#app/ui/series-style.ts';
import { COUNTING, excessOf, shareBand } from '#core/series/confidence.ts';
import { shareOver, type WindowShare } from '#core/series/share.ts';
import { medianPerBucket } from '#core/series/bucket-median.ts';
import { begun, type Result } from '#core/series/statistics.ts';
import { EARLIER_WORDS, type Earlier } from '#core/series/comparison.ts';
import type { Resolution } from '#core/time/resolution.ts';
import type { Span } from '#core/time/span.ts';
import { isoLocal, type ZoneTable } from '#core/time/zone.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { roundedMean, roundedPercent, roundedShare, roundedValue } from '#app/format/rounded.ts';
import { comparedWords, marginWords, unclearWords } from './change-words.ts';
import { reasonWords, type InsightSeries } from '#app/insight/insight.ts';
import { pendingOfAll, pendingWords, sentence } from './pending.ts';
import { basisWindow, coveredPart, valueWords, type Summary } from './summary.ts';

/** Lower and upper end; NaN without one. */
type Band = readonly [low: number, high: number];

/** A cell of the table. */
export interface RowCell {
  readonly text: string;
  /** The value to sort by; NaN if there is none. */
  readonly value: number;
  /** The value as the text rounds it. */
  readonly rounded: number;
  /** Shown small next to the value. */
  readonly note: string;
  /** Details, or why there is no value: a sentence. */
  readonly why: string;
  readonly tone: '' | 'rise' | 'fall';
  /** Lower and upper end of the value at 95 %; NaN without one. */
  readonly band: Band;
}

/** A series as a row. */
export interface SummaryRow {
  readonly id: number;
  readonly name: string;
  /** The kind of the series, if not a query. */
  readonly mark: '' | 'computed' | 'from a file';
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  /** Known part of the time the source covers, 0 to 1; NaN if nothing is counted yet. */
  readonly known: number;
  /** Part of the time the source covers, 0 to 1; NaN if nothing is counted yet. */
  readonly covered: number;
  readonly cells: Readonly<Record<FigureId, RowCell>>;
}

/** The parts from which the rows are made. */
export interface RowsOf {
  readonly series: readonly InsightSeries[];
  readonly per: Resolution;
  /** Several earlier periods, whose totals are columns. */
  readonly periods?: Headed['periods'];
  readonly cut?: Headed['cut'];
  readonly now: number;
  /** The zoom; null if the whole range is in view. */
  readonly window: Span | null;
  readonly format: Formatter;
}

/** The least difference between the sides of a band that is shown: rounding hides a tenth of a point. */
const UNEVEN = 0.0015;

const NO_BAND: Band = [Number.NaN, Number.NaN];

function cell(text: string, value: number, over: Partial<RowCell> = {}): RowCell {
  return { text, value, rounded: value, note: '', why: '', tone: '', band: NO_BAND, ...over };
}

/** No value, and why. */
function none(why: string): RowCell {
  return cell('–', Number.NaN, { why });
}

const NOT_IN_FILE =
  'The file has none of these buckets: its times, bucket lengths or bucket edges differ.';
const QUOTIENT = 'Computed: a ratio has no mean or median.';

interface Shares {
  readonly of: readonly InsightSeries[];
  readonly share: WindowShare | null;
  /** Resolution of its buckets. */
  readonly unit: Resolution;
}

interface Sharing extends Shares {
  /** By how much the variance of each series exceeds that of independent Posts; null while one is not known. */
  readonly excesses: readonly number[] | null;
}

/** Share of voice among the totals of all visible queries, over the time that is known for all of them. */
function sharesOf({ series, now, window, per }: RowsOf): Shares {
  const of = series.filter((each) => each.queried && !each.hidden);
  const curves = of.flatMap(({ curve }) => curve ?? []);
  const [first] = curves;
  const same = curves.every((curve) => first && sameBuckets(curve, first));
  if (pendingOfAll(of)) return { of, share: null, unit: per };
  if (!first || curves.length < of.length || !same) return { of, share: null, unit: per };
  const bases = of.flatMap(({ basis }) => basis ?? []);
  const [basis] = bases;
  const alike =
    basis &&
    bases.length === of.length &&
    bases.every(({ curve }) => sameBuckets(curve, basis.curve));
  const within = alike ? basisWindow(first, basis, window) : null;
  if (alike && within) {
    const { bounds } = basis.curve;
    const [start = 0, end = 0] = [bounds[within.first], bounds[within.end]];
    const until = Math.min(now, end);
    return {
      of,
      share: shareOver(
        bases.map(({ curve }) => curve),
        start,
        until,
      ),
      unit: basis.unit,
    };
  }
  const start = window?.start ?? -Infinity;
  const pyramids = of.map(({ pyramid = null }) => pyramid);
  const end = Math.min(now, window?.end ?? now);
  return { of, share: shareOver(curves, start, end, pyramids), unit: per };
}

function excessesOf({ of, share }: Shares): Sharing['excesses'] {
  if (!share || of.some(({ noise }) => noise === null)) return null;
  const { elapsedMs } = share;
  return of.map(({ noise }) => excessOf(noise?.(elapsedMs, elapsedMs) ?? COUNTING));
}

/**
 * By how much the variance of a share exceeds that of independent Posts: that of the series and that of the others,
 * each weighed by how much it moves the share (the delta method).
 */
function shareExcess(
  { sums, total }: WindowShare,
  excesses: readonly number[],
  at: number,
): number {
  const own = sums[at] ?? 0;
  const rest = total - own;
  const others = excesses.reduce(
    (sum, excess, i) => sum + (i === at ? 0 : excess * (sums[i] ?? 0)),
    0,
  );
  const ofOthers = rest > 0 ? others / rest : 1;
  return ((excesses[at] ?? 1) * rest + ofOthers * own) / total;
}

function shareCell(
  series: InsightSeries,
  { of, share, unit, excesses }: Sharing,
  { format }: RowsOf,
): RowCell {
  if (series.kind === 'formula') return none('Computed: only queries have a share.');
  if (series.kind === 'file' && !series.queried) {
    return none('From a file that names no query: only queries have a share.');
  }
  if (series.hidden) return none('Hidden: the share is of the visible queries.');
  if (of.length < 2) return none('No other visible query.');
  if (!share) return none('Another visible query is not counted yet.');
  if (share.complete === 0) return none(`No ${unit} is complete in all visible queries.`);
  const at = of.indexOf(series);
  const [value = Number.NaN, sum = 0] = [share.shares[at], share.sums[at]];
  if (Number.isNaN(value)) return none('No visible query has a Post.');
  const missing = share.complete < share.buckets;
  const part = missing ? `of ${format.share(share.complete / share.buckets)}` : '';
  const buckets = `${format.count(share.complete)} of ${format.count(share.buckets)} ${unit}s are complete in all visible queries.`;
  const rounded = roundedPercent(value);
  if (!excesses) return cell(format.percent(value), value, { rounded, note: part, why: buckets });
  const { low, high } = shareBand(sum, share.total, Math.max(1, shareExcess(share, excesses, at)));
  const ends = [format.percent(low), format.percent(high)] as const;
  // With few Posts, or near 0 or 1, the band is lopsided.
  const wide = Math.max(value - low, high - value);
  const even = 2 * wide - (high - low) < UNEVEN && wide <= Math.min(value, 1 - value);
  const spread = even ? `± ${format.points(wide)}` : `${ends[0]} to ${ends[1]}`;
  return cell(format.percent(value), value, {
    rounded,
    note: [spread, part].filter(Boolean).join(' '),
    why: `${ends[0]} to ${ends[1]} at ${format.share(0.95)}. ${buckets}`,
    band: [roundedPercent(low), roundedPercent(high)],
  });
}

function changeCell(series: InsightSeries, { per, format }: RowsOf): RowCell {
  if (series.kind === 'formula') return none('Computed: only queries have a change.');
  if (series.kind === 'file' && !series.queried) {
    return none('From a file that names no query: only queries have a change.');
  }
  if (!series.before) return none('The earlier period is not known.');
  const { change: result, unit = per } = series.before;
  if (!result.ok) {
    const text =
      result.why === 'uncovered'
        ? 'No earlier data to compare.'
        : `${reasonWords(result.why, unit).slice(0, -1)}, now or earlier.`;
    return none(text);
  }
  const { change, low, high, clear, compared, buckets } = result.value;
  if (Number.isNaN(change)) return none('No Posts in view or before.');
  const of = `${format.count(compared)} of ${format.count(buckets)} ${unit}s compared`;
  return cell(format.change(change), change, {
    rounded: roundedPercent(change),
    note: unclearWords(result.value),
    why: `${marginWords(result.value, format)} ${of}: ${comparedWords(result.value, format)}`,
    tone: clear ? (change > 0 ? 'rise' : 'fall') : '',
    band: [roundedPercent(low), roundedPercent(high)],
  });
}

/** A counted series, and what its figures depend on. */
interface Counted {
  readonly series: InsightSeries;
  readonly curve: Curve;
  readonly summary: Summary;
  readonly all: Sharing;
  readonly rows: RowsOf;
}

function totalCell({ series, summary, rows: { format } }: Counted): RowCell {
  const { total, unit, share: known } = summary;
  if (!Number.isFinite(total))
    return none(series.kind === 'file' ? QUOTIENT : 'The divisor is zero.');
  const note = [
    series.run.upperBounds ? 'at most' : '',
    known < 1 ? `of ${format.share(known)}` : '',
  ];
  return cell(valueWords(total, unit, format), total, {
    rounded: roundedValue(total, unit),
    note: note.filter(Boolean).join(', '),
  });
}

/** The number of buckets that a mean leaves out although neither the range nor now cuts them. */
function leftOut({ curve, summary: { of }, rows: { now, window, cut } }: Counted): number {
  const { bounds, states } = curve;
  const { first, end } = begun(curve, now, window);
  const cuts = [
    cut?.first === false ? -1 : 0,
    cut?.last === false ? -1 : states.length - 1,
    (bounds[end] ?? 0) > now ? end - 1 : -1,
  ];
  const outer = [...new Set(cuts)].filter(
    (i) => i >= first && i < end && states[i] === STATE.partial,
  );
  return of.known - of.whole - outer.length;
}

/** The mean or the median; only counts of Posts have one. */
function middleCell(counted: Counted, middle: () => Result<number>): RowCell {
  const { summary, rows } = counted;
  const { per, format } = rows;
  const { whole, buckets } = summary.of;
  if (summary.unit !== 'posts') return none(QUOTIENT);
  const result = middle();
  if (!result.ok) return none(reasonWords(result.why, per));
  // A row of which less is covered says so already.
  const isShort = coveredPart(summary) === 1 && leftOut(counted) > 0;
  return cell(format.mean(result.value), result.value, {
    rounded: roundedMean(result.value),
    note: isShort ? `${format.count(whole)} of ${format.count(buckets)} ${per}s` : '',
    why: isShort ? `The source has data for a part of some ${per}s: they are left out.` : '',
  });
}

const noPeak = ({ series: { kind }, summary: { unit }, rows: { per } }: Counted): RowCell =>
  none(
    unit === 'posts' && kind !== 'formula'
      ? 'No Post is known.'
      : `No ${per} with a value is whole.`,
  );

function peakCell(counted: Counted): RowCell {
  const { summary, rows } = counted;
  const { peak, unit, share: known } = summary;
  const why = known < 1 ? 'The highest known value.' : '';
  return peak
    ? cell(valueWords(peak.value, unit, rows.format), peak.value, {
        rounded: roundedValue(peak.value, unit),
        why,
      })
    : noPeak(counted);
}

function peakStartCell(counted: Counted): RowCell {
  const { curve, summary, rows } = counted;
  const { peak } = summary;
  if (!peak) return noPeak(counted);
  const [start = Number.NaN, end = Number.NaN] = curve.bounds.subarray(peak.index, peak.index + 2);
  return cell(rows.format.bucket(start, end, rows.per), start);
}

function completeCell({ summary, rows: { format } }: Counted): RowCell {
  const { share: known, covered } = summary;
  const inReach = coveredPart(summary);
  return cell(format.share(known), known, {
    rounded: roundedShare(known),
    note: inReach < 1 ? `of ${format.share(inReach)} covered` : '',
    why: covered < 1 ? `The source covers ${format.share(covered)} of this time.` : '',
  });
}

const EARLIER_HEADS: Readonly<Record<Earlier, string>> = {
  previous: 'previous',
  weekdays: 'weekdays',
  year: 'last year',
};

/** The facts on which a heading depends. */
export interface Headed {
  readonly per: Resolution;
  /** The period of the comparison; null if there is none, or a chosen one. */
  readonly earlier: Earlier | null;
  /** The dates of a chosen period. */
  readonly period?: string;
  /** Several earlier periods, the latest first. */
  readonly periods?: readonly { readonly name: string; readonly dates: string }[] | undefined;
  /** The outer buckets that the range cuts; absent: it may cut both. */
  readonly cut?: Cut;
}

/** The id of the totals of an earlier period, by its position. */
type EarlierId = `earlier-${number}`;
export type FigureId = ColumnId | EarlierId;

/** A column of figures: in the table, in its copy, and in the summary that the Export menu copies. */
interface Column {
  readonly id: string;
  /** Shown on hover over the heading. */
  readonly title?: string;
  readonly heading: (of: Headed) => string;
  readonly cell: (counted: Counted) => RowCell;
  /** The content of the copy, if not just the value; `band` adds columns `from` and `to`. */
  readonly copied?: 'text' | 'band';
  /** The Export menu's copy: a heading that is clear on its own, and the value if it is not a number. */
  readonly exported: {
    readonly heading: (of: Headed) => string;
    readonly value?: (cell: RowCell, zone: ZoneTable) => string;
  };
  /** True if a phone shows it at first. */
  readonly phone?: true;
}

/** The columns of figures, after that of the names. */
export const COLUMNS = [
  {
    id: 'total',
    heading: () => 'Total',
    cell: totalCell,
    exported: { heading: () => 'total' },
    phone: true,
  },
  {
    id: 'mean',
    heading: ({ per }) => `Mean per ${per}`,
    cell: (counted) => middleCell(counted, () => counted.summary.of.mean),
    exported: { heading: ({ per }) => `mean per ${per}` },
  },
  {
    id: 'median',
    heading: () => 'Median',
    cell: (counted) => {
      const { curve, summary, rows } = counted;
      return middleCell(counted, () => medianPerBucket(curve, summary.of, rows.now, rows.window));
    },
    exported: { heading: ({ per }) => `median per ${per}` },
  },
  {
    id: 'peak',
    heading: () => 'Peak',
    cell: peakCell,
    exported: { heading: () => 'peak' },
    phone: true,
  },
  {
    id: 'on',
    heading: () => 'Peak date',
    cell: peakStartCell,
    copied: 'text',
    exported: {
      heading: () => 'peak start',
      value: ({ value }, zone) => (Number.isFinite(value) ? isoLocal(zone, value) : ''),
    },
  },
  {
    id: 'change',
    heading: ({ earlier, period }) => `vs. ${period ?? EARLIER_HEADS[earlier ?? 'previous']}`,
    cell: ({ series, rows }) => changeCell(series, rows),
    copied: 'band',
    exported: {
      heading: ({ earlier, period = 'before' }) =>
        `change since ${earlier ? EARLIER_WORDS[earlier] : period}`,
    },
    phone: true,
  },
  {
    id: 'share',
    heading: () => 'Share of voice',
    cell: ({ series, all, rows }) => shareCell(series, all, rows),
    copied: 'band',
    exported: { heading: () => 'share' },
  },
  {
    id: 'complete',
    heading: () => 'Complete',
    cell: completeCell,
    exported: { heading: () => 'complete' },
  },
] as const satisfies readonly Column[];
export type ColumnId = (typeof COLUMNS)[number]['id'];

type Figures = Column & { readonly id: FigureId };

/** The total of an earlier period. A part of one would look like a fall, so there is none. */
function earlierCell({ series, rows: { per, format } }: Counted, at: number): RowCell {
  if (series.kind === 'formula') return none('Computed: only queries have earlier periods.');
  const summary = series.earlierSummaries?.[at];
  if (!summary) return none('The earlier period is not known.');
  const { share, total } = summary;
  const covered = coveredPart(summary);
  if (Number.isNaN(share)) return none(reasonWords('uncovered', per));
  if (covered < 1) return none(`The source covers ${format.share(covered)} of this time.`);
  if (share < 1) return none(reasonWords('missing', per));
  return cell(format.count(total), total, { note: series.run.upperBounds ? 'at most' : '' });
}

/** The columns of figures: with the totals of several earlier periods after that of the time in view. */
export function summaryColumns({ periods = [] }: Pick<Headed, 'periods'>): readonly Figures[] {
  const earlier = periods.map(({ name, dates }, at): Figures => ({
    id: `earlier-${at}`,
    title: dates,
    heading: () => name,
    cell: (counted) => earlierCell(counted, at),
    exported: { heading: () => `total ${name}` },
  }));
  const [total, ...others] = COLUMNS;
  return [total, ...earlier, ...others];
}

/** Heading of the column of names. */
export const NAME_HEADING = 'Series';

/** Heading of a column of the table. */
export function headingOf(id: ColumnId, of: Headed): string {
  return (
    summaryColumns(of)
      .find((column) => column.id === id)
      ?.heading(of) ?? ''
  );
}

function cellsOf(rows: RowsOf, cellIn: (column: Column) => RowCell): SummaryRow['cells'] {
  return Object.fromEntries(
    summaryColumns(rows).map((column) => [column.id, cellIn(column)]),
  ) as SummaryRow['cells'];
}

function rowOf(series: InsightSeries, all: Sharing, rows: RowsOf): SummaryRow {
  const { per } = rows;
  const { id, name, style, hidden, summary, curve } = series;
  const mark = series.kind === 'formula' ? 'computed' : series.kind === 'file' ? 'from a file' : '';
  const head = { id, name, style, hidden, mark } as const;
  if (!summary || !curve || summary.known === 0) {
    const uncovered = summary !== null && Number.isNaN(summary.share);
    const why =
      series.kind === 'file'
        ? NOT_IN_FILE
        : uncovered
          ? reasonWords('uncovered', per)
          : series.pending
            ? `${sentence(pendingWords(series.pending))}…`
            : 'Not counted yet.';
    const empty = none(summary && summary.of.undefined > 0 ? 'The divisor is zero.' : why);
    const parts = { known: Number.NaN, covered: uncovered ? 0 : Number.NaN };
    return { ...head, ...parts, cells: cellsOf(rows, () => empty) };
  }
  if (series.pending) {
    const waits = none(`Not final: ${pendingWords(series.pending)}.`);
    return { ...head, known: Number.NaN, covered: Number.NaN, cells: cellsOf(rows, () => waits) };
  }
  const counted = { series, curve, summary, all, rows };
  const { share: known, covered } = summary;
  return { ...head, known, covered, cells: cellsOf(rows, (column) => column.cell(counted)) };
}

function sharingOf(rows: RowsOf): Sharing {
  const shares = sharesOf(rows);
  return { ...shares, excesses: excessesOf(shares) };
}

/** The cell of a row in a column; without a value if the row has no such column. */
export function summaryCell({ cells }: SummaryRow, id: FigureId): RowCell {
  return cells[id] ?? none('');
}

/** The rows of the summary, in the order of the series. */
export function summaryRows(rows: RowsOf): SummaryRow[] {
  const all = sharingOf(rows);
  return rows.series.map((series) => rowOf(series, all, rows));
}

/** Three cells of each row of the summary, in the order of the series; null without final counts. */
export function mainCells(
  rows: RowsOf,
): (Pick<SummaryRow['cells'], 'total' | 'change' | 'share'> | null)[] {
  const all = sharingOf(rows);
  return rows.series.map((series) => {
    const { summary, curve, pending } = series;
    if (!summary || !curve || pending || summary.known === 0) return null;
    return {
      total: totalCell({ series, curve, summary, all, rows }),
      change: changeCell(series, rows),
      share: shareCell(series, all, rows),
    };
  });
}

/** The id of the element of a row of the summary. */
export const rowElement = (series: number): string => `summary-row-${series}`;

/** An order of rows. */
export interface RowOrder {
  readonly by: 'name' | FigureId;
  readonly way: 'ascending' | 'descending';
}

/** The order after a click on a heading: names ascending, numbers descending; then reversed; then that of the list. */
export function nextOrder(order: RowOrder | null, by: RowOrder['by']): RowOrder | null {
  const first = by === 'name' ? 'ascending' : 'descending';
  if (order?.by !== by) return { by, way: first };
  return order.way === first
    ? { by, way: first === 'ascending' ? 'descending' : 'ascending' }
    : null;
}

/** Rows in an order; those without a value come last in both directions, and equal ones keep their order. */
export function ordered(
  rows: readonly SummaryRow[],
  order: RowOrder | null,
): readonly SummaryRow[] {
  if (!order) return rows;
  const { by } = order;
  const sign = order.way === 'ascending' ? 1 : -1;
  if (by === 'name') return rows.toSorted((a, b) => sign * a.name.localeCompare(b.name));
  return rows.toSorted((a, b) => {
    const [left, right] = [summaryCell(a, by).value, summaryCell(b, by).value];
    if (Number.isNaN(left) || Number.isNaN(right))
      return Number(Number.isNaN(left)) - Number(Number.isNaN(right));
    return sign * (left - right);
  });
}

/**
 * The table for the clipboard: a header, then a row per series, with figures as numbers, rounded as on the page; NaN if
 * there is no value.
 */
export function summaryTable(rows: readonly SummaryRow[], of: Headed): (string | number)[][] {
  const columns = summaryColumns(of);
  return [
    [
      NAME_HEADING,
      ...columns.flatMap(({ heading, copied }) =>
        copied === 'band' ? [heading(of), 'from', 'to'] : [heading(of)],
      ),
      'Covered',
    ],
    ...rows.map((row) => [
      row.name,
      ...columns.flatMap(({ id, copied }) => {
        const { text, rounded, band } = summaryCell(row, id);
        const shown = copied === 'text' || rounded === Infinity ? text : rounded;
        return copied === 'band' ? [shown, ...band] : [shown];
      }),
      roundedShare(row.covered),
    ]),
  ];
}

/**
 * The summary for the Export menu: plain numbers, the start of the peak's bucket in the zone, shares as parts of 1;
 * null if there is no value.
 */
export function exportedSummary(
  rows: readonly SummaryRow[],
  of: Headed,
  zone: ZoneTable,
): (string | number | null)[][] {
  const columns = summaryColumns(of);
  const known = (value: number): number | null => (Number.isFinite(value) ? value : null);
  return [
    ['series', ...columns.map(({ exported }) => exported.heading(of)), 'covered'],
    ...rows.map((row) => [
      row.name,
      ...columns.map(({ id, exported: { value } }) => {
        const cell = summaryCell(row, id);
        return (value && value(cell, zone)) || known(cell.rounded);
      }),
      known(roundedShare(row.covered)),
    ]),
  ];
}
