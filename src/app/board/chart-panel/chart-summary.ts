import { withArticle } from '#core/format/plural.ts';
import type { ChartMark } from '#app/chart/chart-props.ts';
import { spreadOf } from '#app/chart/draw/axes.ts';
import { spanName } from '#app/insight/drawer/drawer-text.ts';
import type { SeriesPeak } from '#app/insight/peaks/peaks-found.ts';
import { pendingOf, pendingWords } from '#app/insight/summary/pending.ts';
import { causeRows } from '#core/causes/cause-words.ts';
import { missingSpans, uncoveredSpans } from '#core/series/gaps.ts';
import type { Curve } from '#core/series/series.ts';
import type { Span } from '#core/time/span.ts';
import { bucketAt, bucketsIn } from '#core/series/window.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { periodNames } from '#app/board/state/against.ts';
import { drawnWords } from '#app/board/state/headings.ts';
import { coveredPart, knownPart } from '#app/insight/summary/summary.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import { zoneCity, type Formatter } from '#app/format/formatter.ts';
import { quotientText } from '#app/chart/interact/line-reading.ts';

/** The totals of the earlier periods that are drawn: `; 2025: 4,210; 2024: not known in full`. */
function earlierText(series: BoardSeries, board: Board, format: Formatter): string {
  if (board.chart.comparison === 'none') return '';
  const names = periodNames(board, format);
  return series.earlierSummaries
    .map((summary, i) => {
      const run = series.earlierRuns[i];
      const pending = run ? pendingOf(run, summary?.share ?? 0) : null;
      const unknown = pending ? pendingWords(pending) : 'not known in full';
      const whole = summary?.share === 1 && coveredPart(summary) === 1;
      return `; ${names[i]}: ${whole ? format.count(summary.total) : unknown}`;
    })
    .join('');
}

/** The most stretches that are named with their dates. */
const STRETCHES = 3;

/** The stretches in view without counts, and the unfinished bucket with its count so far. */
function holesText(series: BoardSeries, board: Board, format: Formatter): string {
  const { curve, pyramid } = series;
  const { now, window, resolution, zone } = board.time;
  if (!curve) return '';
  const named = (words: string, spans: readonly Span[]): string => {
    const shown = spans
      .map(({ start, end }) => ({
        start: Math.max(start, window.start),
        end: Math.min(end, window.end),
      }))
      .filter(({ start, end }) => start < end);
    if (shown.length === 0) return '';
    const dates = shown.slice(0, STRETCHES).map((span) => format.span(span, zone));
    const rest = shown.length - dates.length;
    return `; ${words} ${dates.join(', ')}${rest > 0 ? ` and ${format.count(rest)} more times` : ''}`;
  };
  const { bounds, counts } = curve;
  const last = bucketAt(bounds, now);
  const [start = Infinity, end = 0, count = Number.NaN] = [
    bounds[last],
    bounds[last + 1],
    counts[last],
  ];
  const isRunning = start < now && start < window.end && !Number.isNaN(count);
  const unfinished = isRunning
    ? `; unfinished: ${format.bucket(start, end, resolution, zone)}, ${format.count(count)} so far`
    : '';
  const missing = named('missing', missingSpans(curve, now, pyramid));
  return `${missing}${named('no data', uncoveredSpans(curve, now, pyramid))}${unfinished}`;
}

/** The total and the highest count of a series of counts. */
function countsText(series: BoardSeries, board: Board, format: Formatter): string {
  if (!series.summary) return '';
  if (series.pending) return `${series.name}: ${pendingWords(series.pending)}`;
  const { total, peak } = series.summary;
  const part = knownPart(series.summary);
  const whole = part < 1 ? ` of ${format.share(part)} of the time` : '';
  const { bounds = new Float64Array(0) } = series.curve ?? {};
  const bucket = (index: number): string =>
    format.bucket(
      bounds[index] ?? 0,
      bounds[index + 1] ?? 0,
      board.time.resolution,
      board.time.zone,
    );
  const top = peak ? `, highest ${format.count(peak.value)} on ${bucket(peak.index)}` : '';
  const most = series.run.upperBounds ? 'at most ' : '';
  return `${series.name}: ${most}${format.count(total)} Posts${whole}${top}${earlierText(series, board, format)}${holesText(series, board, format)}`;
}

/** The range of a quotient, with the quotient of the totals. */
function quotientWords(series: BoardSeries, curve: Curve, board: Board, format: Formatter): string {
  const { window, now, resolution } = board.time;
  const text = (value: number): string => quotientText(value, series.unit, format);
  const { first, end } = bucketsIn(curve.bounds, window.start, Math.min(now, window.end));
  const spread = spreadOf({ curve, pyramid: series.pyramid }, first, end);
  if (!spread) return '';
  const total = series.summary?.total ?? Number.NaN;
  const all = Number.isNaN(total) ? '' : `${text(total)} in all, `;
  return `${series.name}: ${all}${text(spread.low)} to ${text(spread.high)} ${withArticle(resolution)}`;
}

/** The peaks whose first cause is known, with its share of their Posts. */
function peaksText(
  { time: { table, weekStart, zone } }: Board,
  peaks: readonly SeriesPeak[],
  format: Formatter,
): string {
  const zoned = format.in(zone);
  const known = peaks
    .filter(({ number, causes }) => number !== null && causes && causes.groups.length > 0)
    .toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0))
    .map(({ span, series, causes }) => {
      const [first] = causes ? causeRows(causes) : [];
      const when = spanName(span, table, weekStart, zoned);
      return `${when}, ${series.name}: ${first?.name} ${format.share((first?.percent ?? 0) / 100)}`;
    });
  return known.length > 0 ? ` Peaks and what they were about: ${known.join('; ')}.` : '';
}

/** The text alternative of the chart. */
export function chartSummary(
  board: Board,
  { marks, peaks }: { readonly marks: readonly ChartMark[]; readonly peaks: readonly SeriesPeak[] },
  format: Formatter,
): string {
  const {
    series: { visible },
    time: { resolution, zone },
  } = board;
  const known = visible.filter((series) => (series.summary?.known ?? 0) > 0);
  const counted = known.filter((series) => series.unit === 'count');
  const parts = known.map((series) =>
    series.curve && series.unit !== 'count' && !series.pending
      ? quotientWords(series, series.curve, board, format)
      : countsText(series, board, format),
  );
  const what =
    counted.length > 0 || known.length === 0
      ? drawnWords(board)
      : `Ratios ${withArticle(resolution)}`;
  const dated = marks.length > 0 ? ` Marked: ${marks.map(({ full }) => full).join('; ')}.` : '';
  const { form, rows } = board.chart;
  const scaled = rows === 'shared' ? 'on one scale' : 'each on its own scale';
  const rowed = form === 'multiples' ? `, a row for each series, ${scaled}` : '';
  const range = format.span(board.time.window, zone);
  return `${what}${rowed}, ${range}, ${zoneCity(zone)}. ${parts.filter(Boolean).join('. ')}.${peaksText(board, peaks, format)}${dated}`;
}
