import { sameBuckets } from '#core/series/series.ts';
import type { SeriesStyle } from '#app/chart/series-style.ts';
import { shareBand } from '#core/series/confidence.ts';
import { shareOver, type WindowShare } from '#core/series/share.ts';
import { medianPerBucket, type Result } from '#core/series/statistics.ts';
import type { Earlier } from '#core/series/comparison.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { DAY_MS, type Span } from '#core/time/span.ts';
import type { Formatter } from '#app/format/formatter.ts';
import { aBucket, reasonWords, type InsightSeries } from './insight.ts';
import { basisWindow, coveredPart, valueWords } from './summary.ts';

/** The columns of the summary, from the left. */
export const COLUMNS = [
  'name',
  'total',
  'mean',
  'median',
  'peak',
  'on',
  'change',
  'share',
  'complete',
] as const;
export type Column = (typeof COLUMNS)[number];
export type Figure = Exclude<Column, 'name'>;
/** The columns that hold figures. */
export const FIGURES = COLUMNS.filter((column): column is Figure => column !== 'name');

/** The columns that a phone has at first. */
export const FEW: ReadonlySet<Column> = new Set(['name', 'total', 'peak', 'change']);

/** What stands in a place of the table. */
export interface Cell {
  readonly text: string;
  /** What the value is ordered by; NaN where there is none. */
  readonly value: number;
  /** Small, beside the value. */
  readonly note: string;
  /** More of it, or why there is none: a sentence. */
  readonly why: string;
  readonly tone: '' | 'rise' | 'fall';
}

/** A series as a row. */
export interface SummaryRow {
  readonly id: number;
  readonly name: string;
  /** What it is, where it is no query. */
  readonly mark: '' | 'computed' | 'from a file';
  readonly style: SeriesStyle;
  readonly hidden: boolean;
  /** Known part of the time that the source covers, 0 to 1; NaN where nothing is counted yet. */
  readonly known: number;
  /** Part of the time that the source covers, 0 to 1; NaN where nothing is counted yet. */
  readonly covered: number;
  readonly cells: Readonly<Record<Figure, Cell>>;
  /** Lower and upper end of the bands at 95 %; NaN without one. */
  readonly bands: Readonly<Record<'change' | 'share', Band>>;
}

/** What the rows are of. */
export interface RowsOf {
  readonly series: readonly InsightSeries[];
  readonly per: Resolution;
  readonly now: number;
  /** The part in view; null where all of it is. */
  readonly window: Span | null;
  readonly words: Formatter;
}

type Band = readonly [low: number, high: number];
/** Difference of the sides of a band that is told: a tenth of a point is lost in rounding. */
const UNEVEN = 0.0015;

const NO_BAND: Band = [Number.NaN, Number.NaN];

function cell(text: string, value: number, over: Partial<Cell> = {}): Cell {
  return { text, value, note: '', why: '', tone: '', ...over };
}

/** No value, and why. */
function none(why: string): Cell {
  return cell('–', Number.NaN, { why });
}

const NOT_IN_FILE =
  'The file tells none of these buckets: it has other times, or longer buckets, or edges that this zone does not have.';
const QUOTIENT =
  'Computed: a quotient’s total is that of the sums, so it has no middle of its own.';

interface Sharing {
  readonly of: readonly InsightSeries[];
  readonly share: WindowShare | null;
  /** What its buckets are. */
  readonly unit: Resolution;
}

/** Share of voice: of the sums of all visible queries, over the time that is known of each of them alike. */
function sharesOf({ series, now, window, per }: RowsOf): Sharing {
  const of = series.filter((one) => one.queried && !one.hidden);
  const curves = of.flatMap(({ curve }) => curve ?? []);
  const [first] = curves;
  const same = curves.every((curve) => first && sameBuckets(curve, first));
  if (!first || curves.length < of.length || !same) return { of, share: null, unit: per };
  const bases = of.flatMap(({ basis }) => basis ?? []);
  const [one] = bases;
  const alike =
    one && bases.length === of.length && bases.every(({ curve }) => sameBuckets(curve, one.curve));
  const within = alike ? basisWindow(first, one, window) : null;
  if (alike && within) {
    const { bounds } = one.curve;
    const [start = 0, end = 0] = [bounds[within.first], bounds[within.end]];
    const until = Math.min(now, end);
    return {
      of,
      share: shareOver(
        bases.map(({ curve }) => curve),
        start,
        until,
      ),
      unit: one.unit,
    };
  }
  const start = window?.start ?? -Infinity;
  const pyramids = of.map(({ pyramid = null }) => pyramid);
  const end = Math.min(now, window?.end ?? now);
  return { of, share: shareOver(curves, start, end, pyramids), unit: per };
}

function shareCell(
  one: InsightSeries,
  { of, share, unit }: Sharing,
  { words }: RowsOf,
): { cell: Cell; band: Band } {
  const without = (why: string): { cell: Cell; band: Band } => ({
    cell: none(why),
    band: NO_BAND,
  });
  if (one.kind === 'formula') return without('Computed: only queries have a share.');
  if (one.kind === 'file' && !one.queried) {
    return without('From a file that names no query: only queries have a share.');
  }
  if (one.hidden) return without('Hidden: the share is of the visible queries.');
  if (of.length < 2) return without('There is no other visible query.');
  if (!share) return without('Another visible query is not counted yet.');
  if (share.complete === 0) return without(`No ${unit} is complete in all visible queries.`);
  const at = of.indexOf(one);
  const [value = Number.NaN, sum = 0] = [share.shares[at], share.sums[at]];
  if (Number.isNaN(value)) return without('No visible query has a Post.');
  const { low, high } = shareBand(sum, share.total);
  const missing = share.complete < share.buckets;
  const part = share.complete / share.buckets;
  const ends = [words.percent(low), words.percent(high)] as const;
  // Of few Posts, or near an end of the scale, it reaches farther to one side.
  const wide = Math.max(value - low, high - value);
  const even = 2 * wide - (high - low) < UNEVEN && wide <= Math.min(value, 1 - value);
  const spread = even ? `± ${words.points(wide)}` : `${ends[0]} to ${ends[1]}`;
  const buckets = `${words.count(share.complete)} of ${words.count(share.buckets)} ${unit}s are complete in all visible queries.`;
  return {
    cell: cell(words.percent(value), value, {
      note: `${spread}${missing ? ` of ${words.share(part)}` : ''}`,
      why: `${ends[0]} to ${ends[1]} at ${words.share(0.95)}. ${buckets}`,
    }),
    band: [low, high],
  };
}

function changeCell(one: InsightSeries, { per, words }: RowsOf): { cell: Cell; band: Band } {
  if (one.kind !== 'query') {
    const what = one.kind === 'formula' ? 'Computed' : 'From a file';
    return { cell: none(`${what}: only queries have a change.`), band: NO_BAND };
  }
  if (!one.before) return { cell: none('The time before is not known.'), band: NO_BAND };
  const { change: had, unit = per } = one.before;
  if (!had.ok) {
    const text =
      had.why === 'uncovered'
        ? 'No earlier data to compare.'
        : `${reasonWords(had.why, unit).slice(0, -1)}, in view or before.`;
    return { cell: none(text), band: NO_BAND };
  }
  const { change, low, high, clear, compared, buckets, before, after } = had.value;
  const { beforeMs, afterMs } = had.value;
  if (Number.isNaN(change))
    return { cell: none('No Post in view, and none before.'), band: NO_BAND };
  const ends = [words.change(low), words.change(high)] as const;
  const sums = `${words.count(after)} Posts against ${words.count(before)}.`;
  const days = (ms: number): string => `${words.count(Math.round(ms / DAY_MS))} days`;
  // A clock that was changed makes an hour's difference, months of unequal length make days.
  const unequal = Math.abs(beforeMs - afterMs) >= DAY_MS / 2;
  const lengths = unequal ? `, ${days(afterMs)} with ${days(beforeMs)} before` : '';
  const of = `${words.count(compared)} of ${words.count(buckets)} ${unit}s compared${lengths}: ${sums}`;
  return {
    cell: cell(words.change(change), change, {
      note: clear ? '' : 'within noise',
      why: `${ends[0]} to ${ends[1]} at ${words.share(0.95)}. ${of}`,
      tone: clear ? (change > 0 ? 'rise' : 'fall') : '',
    }),
    band: [low, high],
  };
}

function rowOf(one: InsightSeries, all: Sharing, rows: RowsOf): SummaryRow {
  const { now, window, per, words } = rows;
  const { summary, curve } = one;
  const { id, name, style, hidden } = one;
  const mark = one.kind === 'formula' ? 'computed' : one.kind === 'file' ? 'from a file' : '';
  const head = { id, name, style, hidden, mark } as const;
  if (!summary || !curve || summary.known === 0) {
    const uncovered = summary !== null && Number.isNaN(summary.share);
    const why =
      one.kind === 'file'
        ? NOT_IN_FILE
        : uncovered
          ? reasonWords('uncovered', per)
          : 'Not counted yet.';
    const empty = none(summary && summary.of.undefined > 0 ? 'The divisor is zero.' : why);
    const cells = Object.fromEntries(
      FIGURES.map((column) => [column, empty]),
    ) as SummaryRow['cells'];
    const parts = { known: Number.NaN, covered: uncovered ? 0 : Number.NaN };
    return { ...head, ...parts, cells, bands: { change: NO_BAND, share: NO_BAND } };
  }
  const { unit, of, peak, total, share: known, covered } = summary;
  const said = (value: number): string => valueWords(value, unit, words);
  const middle = (result: Result<number>): Cell => {
    if (unit !== 'posts') return none(QUOTIENT);
    return result.ok
      ? cell(words.mean(result.value), result.value)
      : none(reasonWords(result.why, per));
  };
  const note = [one.run.upperBounds ? 'at most' : '', known < 1 ? `of ${words.share(known)}` : ''];
  const inReach = coveredPart(summary);
  const coverage = covered < 1 ? `The source covers ${words.share(covered)} of this time.` : '';
  const start = curve.bounds[peak?.index ?? -1] ?? Number.NaN;
  const end = curve.bounds[(peak?.index ?? -1) + 1] ?? Number.NaN;
  const unsure = known < 1 ? 'The highest that is known.' : '';
  const nothing = none(unit === 'posts' ? 'No Post is known.' : `No ${per} with a value is whole.`);
  const change = changeCell(one, rows);
  const share = shareCell(one, all, rows);
  return {
    ...head,
    known,
    covered,
    cells: {
      total: Number.isFinite(total)
        ? cell(said(total), total, { note: note.filter(Boolean).join(', ') })
        : none(one.kind === 'file' ? QUOTIENT : 'The divisor is zero.'),
      mean: middle(of.mean),
      median: unit === 'posts' ? middle(medianPerBucket(curve, of, now, window)) : none(QUOTIENT),
      peak: peak ? cell(said(peak.value), peak.value, { why: unsure }) : nothing,
      on: peak ? cell(words.bucket(start, end, per), start) : nothing,
      change: change.cell,
      share: share.cell,
      complete: cell(words.share(known), known, {
        note: inReach < 1 ? `of ${words.share(inReach)} covered` : '',
        why: coverage,
      }),
    },
    bands: { change: change.band, share: share.band },
  };
}

/** The rows of the summary, in the order of the series. */
export function summaryRows(rows: RowsOf): SummaryRow[] {
  const all = sharesOf(rows);
  return rows.series.map((one) => rowOf(one, all, rows));
}

const EARLIER_HEADS: Readonly<Record<Earlier, string>> = {
  previous: 'Before',
  weekdays: 'Weekdays',
  year: 'Year',
};

/** What heads each column. */
export function headings(per: Resolution, earlier: Earlier): Readonly<Record<Column, string>> {
  return {
    name: 'Series',
    total: 'Total',
    mean: `Mean ${aBucket(per)}`,
    median: 'Median',
    peak: 'Peak',
    on: 'on',
    change: EARLIER_HEADS[earlier],
    share: 'Share',
    complete: 'Complete',
  };
}

/** An order of rows; `list` is that of the series. */
export interface Order {
  readonly by: Column;
  readonly way: 'ascending' | 'descending';
}

/** The order after a click on a column's head: names from A, numbers from the greatest; then turned; then the list's. */
export function nextOrder(order: Order | null, by: Column): Order | null {
  const first = by === 'name' ? 'ascending' : 'descending';
  if (order?.by !== by) return { by, way: first };
  return order.way === first
    ? { by, way: first === 'ascending' ? 'descending' : 'ascending' }
    : null;
}

/** Rows in an order, those without a value last either way, equals as they stood. */
export function ordered(rows: readonly SummaryRow[], order: Order | null): readonly SummaryRow[] {
  if (!order) return rows;
  const { by } = order;
  const sign = order.way === 'ascending' ? 1 : -1;
  if (by === 'name') return rows.toSorted((a, b) => sign * a.name.localeCompare(b.name));
  return rows.toSorted((a, b) => {
    const [one, other] = [a.cells[by].value, b.cells[by].value];
    if (Number.isNaN(one) || Number.isNaN(other))
      return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return sign * (one - other);
  });
}

/** The table as it is copied: a head, then a row per series, figures as numbers; a place without a value is empty. */
export function summaryTable(
  rows: readonly SummaryRow[],
  heads: Readonly<Record<Column, string>>,
): (string | number)[][] {
  const band = ['from', 'to'];
  const spread = <T>(column: Column, first: T, more: readonly T[]): T[] =>
    column === 'change' || column === 'share' ? [first, ...more] : [first];
  return [
    [heads.name, ...FIGURES.flatMap((column) => spread(column, heads[column], band)), 'Covered'],
    ...rows.map(({ name, covered, cells, bands }) => [
      name,
      ...FIGURES.flatMap((column) => {
        const { text, value } = cells[column];
        const ends = column === 'change' || column === 'share' ? bands[column] : [];
        return spread<string | number>(
          column,
          column === 'on' || value === Infinity ? text : value,
          ends,
        );
      }),
      covered,
    ]),
  ];
}
