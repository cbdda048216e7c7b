import type { Formatter } from '#app/format/formatter.ts';
import { spanName, timesWords } from '#app/insight/drawer/drawer-text.ts';
import { peaksKnown } from '#app/insight/peaks/peaks-found.ts';
import { changeWords, countsWords } from '#app/insight/summary/change-words.ts';
import { coveredPart } from '#app/insight/summary/summary.ts';
import { mainCells } from '#app/insight/summary/summary-rows.ts';
import { causeRows } from '#core/causes/cause-words.ts';
import type { Causes } from '#core/causes/causes.ts';
import { findingOf } from '#core/finding/finding.ts';
import { againstPeriod } from './against.ts';
import { boardPeaks } from './board-peaks.ts';
import type { Board } from './board.svelte.ts';
import type { BoardSeries } from './series.svelte.ts';
import type {
  CauseFigures,
  ChangeFigures,
  Finding,
  PeakFigures,
  TopicFigures,
} from '#core/finding/finding-figures.ts';

/** The phases of an earlier period that loads nothing until the user asks for it. */
const UNBOUGHT: readonly string[] = ['planned', 'paused', 'cancelled'];

/** True if the figures of a series are final and of the whole time in view. */
function isComplete(series: BoardSeries, { time, compared }: Board): boolean {
  const { summary, pending, run, noise, earlier } = series;
  if (pending || !summary || !series.curveOf(time.edges.all)) return false;
  if (summary.share !== 1 || coveredPart(summary) !== 1 || run.upperBounds) return false;
  if (series.kind !== 'query' || !compared) return true;
  if (noise === null || !earlier || earlier.outdated) return false;
  // An earlier period that is not bought gives nothing to compare with, and none comes.
  return earlier.phase === 'done' || (!series.before && UNBOUGHT.includes(earlier.phase));
}

function changeFigures({ before }: BoardSeries, format: Formatter): ChangeFigures | null {
  if (!before?.change.ok) return null;
  const { change, low, high, clear, before: posts, beforeMs } = before.change.value;
  const counts = countsWords(before.change.value, format);
  if (Number.isNaN(change)) return null;
  const size = format.percent(Math.abs(change));
  return {
    value: change,
    text: changeWords(before.change.value, format),
    counts,
    size,
    margin: [format.change(low), format.change(high)],
    // A change that reads as 0 % says nothing.
    clear: clear && size !== format.percent(0),
    unchanged: low <= 0 && high >= 0,
    before: posts / beforeMs,
  };
}

/** The peaks of the visible queries, the largest first; null while those of one are being found. */
function peakFigures(
  board: Board,
  queried: readonly BoardSeries[],
  format: Formatter,
): PeakFigures[] | null {
  const { zone, table, weekStart } = board.time;
  const known = ({ curve }: BoardSeries): boolean => curve !== null && peaksKnown(curve, zone);
  if (board.chart.peaks && !queried.every(known)) return null;
  return boardPeaks(board)
    .peaks.toSorted((a, b) => b.peak.excess - a.peak.excess)
    .map(({ key, seriesId, span, peak: { count, expected }, causes }) => ({
      key,
      topic: seriesId,
      when: spanName(span, table, weekStart, format),
      posts: format.counted(count, 'Post'),
      times: timesWords(count, expected, format),
      cause: causes ? causeFigures(causes, count, format) : null,
    }));
}

/** The first cause of a peak; null if none is clear. @param count - Posts of the peak. */
function causeFigures(causes: Causes, count: number, format: Formatter): CauseFigures | null {
  const [first] = causeRows(causes);
  if (!first?.of) return null;
  return {
    kind: first.of.kind,
    name: first.name,
    share: format.share(first.percent / 100),
    // Of a priced source only a sample is read.
    read: causes.posts < count ? format.counted(causes.posts, 'Post') : '',
  };
}

/**
 * The finding of a board, from the figures of its summary table and its list of peaks.
 *
 * @returns Null while one of them loads, or if there is nothing to say.
 */
export function boardFinding(board: Board, format: Formatter): Finding | null {
  // A sample that is being made has other totals and an earlier period only when it is complete.
  if (board.source.info?.making !== undefined) return null;
  const zoned = format.in(board.time.zone);
  const { now, rested: window, resolution: per } = board.time;
  const series = board.series.visible.filter((each) => !each.blank && each.kind !== 'formula');
  const queried = series.filter((each) => each.queried);
  if (series.some((each) => each.kind === 'query' && !each.queried)) return null;
  if (!queried.every((each) => isComplete(each, board))) return null;
  const peaks = peakFigures(board, queried, zoned);
  if (!peaks) return null;
  const cells = mainCells({ series: queried, per, now, window, format: zoned });
  const topics = queried.flatMap((each, i): TopicFigures[] => {
    const { total, change, share } = cells[i] ?? {};
    if (!total || !change || !share) return [];
    const { value, text } = total;
    const [low, high] = share.band;
    return [
      {
        id: each.id,
        name: each.name,
        complete: Number.isFinite(value),
        total: { value, text },
        change: Number.isNaN(change.value) ? null : changeFigures(each, zoned),
        share: Number.isNaN(share.value) ? null : { low, high, text: share.text },
      },
    ];
  });
  return findingOf({ topics, peaks, against: againstPeriod(board, zoned) });
}
