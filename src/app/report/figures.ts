import { csvJob, jsonJob } from '#app/board/files/export-input.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { View } from '#app/board/state/view.ts';
import { isDrawable } from '#app/board/chart-panel/chart-input.ts';
import { onKinds, shownNotes } from '#app/events/event.ts';
import { reportPicture } from '#app/export/slide-input.ts';
import { slideOf } from '#app/export/slide.ts';
import { Formatter } from '#app/format/formatter.ts';
import {
  BoardError,
  TooManyRowsError,
  type BoardFigures,
  type ReportCounts,
  type ReportSurroundings,
  type ShownTime,
  type WantedFigures,
} from '#contract/counts/report.ts';
import { csvBlocks, type CsvBlock, type ExportSeries } from '#core/export/csv.ts';
import { jsonBlocks } from '#core/export/json.ts';
import { grouped } from '#core/format/number-text.ts';
import { omit } from '#core/omit.ts';
import { aboutBuckets } from '#core/time/range.ts';
import { countedBoard } from './counted-board.ts';
import type { ReportContent } from './given-board.ts';
import { shownOn } from './shown.ts';
import { slideContext } from '#app/board/files/slide-context.ts';

/** As `groundswell counts` writes a CSV. */
const COMMAS = { separator: ',', mark: false } as const;

/** The view with what is wanted instead. What only pictures show would count more. */
function wantedView(view: View, { file, last, by, zone }: WantedFigures): View {
  const counted =
    file === 'chart.svg' ? view : omit(view, 'comparison', 'forecast', 'trend', 'tab', 'picked');
  const ranged =
    last === null ? counted : { ...omit(counted, 'zoom', 'fine'), range: { preset: last } };
  return {
    ...ranged,
    ...(by !== null && { resolution: by, ...(ranged.zoom && { fine: 'off' as const }) }),
    ...(zone !== null && { zone }),
  };
}

/** @throws {@link TooManyRowsError} if a board would have more rows than are wanted. */
function checkRows({ time, series }: Board, { file, maxRows }: WantedFigures): void {
  const { resolution, zoom, asked } = time;
  const form = file === 'wide.csv' ? 'wide' : 'long';
  const about = Math.ceil(aboutBuckets(zoom ?? asked, resolution));
  // The edges of many more would take longer than to refuse them.
  const exact = about <= 2 * maxRows;
  const buckets = exact ? time.rows.to - time.rows.from : about;
  const rows = buckets * (form === 'wide' ? 1 : Math.max(1, series.loaded.length));
  if (rows <= maxRows) return;
  const number = `${exact ? '' : 'about '}${grouped(rows)}`;
  throw new TooManyRowsError(
    `The answer would have ${number} rows: expected at most ${grouped(maxRows)}. Ask for a shorter time or longer buckets.`,
  );
}

/** Part of the counts that are known. */
export function knownCounts(series: readonly ExportSeries[]): number {
  let [known, all] = [0, 0];
  for (const { counts } of series) {
    all += counts.length;
    for (const count of counts) if (!Number.isNaN(count)) known += 1;
  }
  return all === 0 ? 1 : known / all;
}

export function joined(blocks: Iterable<CsvBlock>): Uint8Array<ArrayBuffer> {
  // Each is valid only until the block after the next one.
  const parts = Array.from(blocks, ({ bytes }) => bytes.slice());
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The picture of the board's report. */
function pictureOf(
  board: Board,
  { notes, view }: ReportContent,
  { theme }: WantedFigures,
  locale: string,
): Uint8Array<ArrayBuffer> {
  if (!isDrawable(board)) throw new BoardError('No count of the board is known.');
  const format = new Formatter(locale);
  const shown = shownOn(board, shownNotes(notes, onKinds(view.events ?? [])), format);
  const context = slideContext(board, format.in(board.time.zone));
  return new TextEncoder().encode(slideOf(reportPicture(shown, context)[theme], null).svg);
}

function timeOf({ time, source }: Board): ShownTime {
  const { range, zoom, asked, resolution, zone, weekStart } = time;
  const preset = !zoom && 'preset' in range ? range.preset : null;
  return { source: source.id, span: zoom ?? asked, preset, resolution, zone, weekStart };
}

/** Counts a board and writes its figures. @throws As `ReportBoard.figures`. */
export async function writtenFigures(
  content: ReportContent,
  wanted: WantedFigures,
  surroundings: ReportSurroundings,
  counts: ReportCounts,
): Promise<BoardFigures> {
  const shown = { ...content, view: wantedView(content.view, wanted) };
  const check = (board: Board): void => checkRows(board, wanted);
  const { file } = wanted;
  const board = await countedBoard(shown, surroundings, counts, check, file !== 'chart.svg');
  const json = jsonJob(board);
  const known = knownCounts(json.series);
  const { table } = board.time;
  const bytes =
    file === 'chart.svg'
      ? pictureOf(board, shown, wanted, surroundings.locale)
      : file === 'series.json'
        ? joined(jsonBlocks({ ...json, known }, table))
        : joined(csvBlocks(csvJob(board, file === 'wide.csv' ? 'wide' : 'long', COMMAS), table));
  return { bytes, known, time: timeOf(board) };
}
