import type { Shown } from '#app/chart/draw/picture.ts';
import { csvBlocks } from '#core/export/csv.ts';
import { methodLines, type NoteInput } from '#app/export/note.ts';
import type { ReportInput } from '#app/export/report.ts';
import { reportTables } from '#app/export/report-tables.ts';
import { reportPicture, slideTexts, type SlideContext } from '#app/export/slide-input.ts';
import { slideOf } from '#app/export/slide.ts';
import type { FileEvent } from '#app/events/event-file.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { boardPeaks } from '#app/board/state/board-peaks.ts';
import { headedBy } from '#app/board/state/headings.ts';
import { csvJob } from './export-input.ts';

/** Maximum rows of counts inside a report, about 3 MB: a longer file is slow to open. */
const MOST_COUNTS = 20_000;

function csvOf(board: Board): string | null {
  const { from, to } = board.time.rows;
  if ((to - from) * board.series.loaded.length > MOST_COUNTS) return null;
  const decoder = new TextDecoder();
  const job = csvJob(board, 'long', { separator: ',', mark: false });
  return [...csvBlocks(job, board.time.table)]
    .map(({ bytes }) => decoder.decode(bytes, { stream: true }))
    .join('');
}

/** The subtitle of a slide with its scope: a reader elsewhere has no dates but these. */
export const scopeText = ({
  subtitle,
  about,
}: Pick<ReturnType<typeof slideTexts>, 'subtitle' | 'about'>): string =>
  [...new Set([subtitle, about])].join(' ');

/**
 * The screen as a report.
 *
 * @param given - The statements of the board, and the parts of the method note and of the table of events.
 */
export function reportInput(
  board: Board,
  shown: Shown,
  given: {
    readonly context: SlideContext;
    readonly note: NoteInput;
    readonly events: readonly FileEvent[];
  },
): ReportInput {
  const { now, rested, edges, rows } = board.time;
  const { context } = given;
  const { format } = context;
  const { light, dark } = reportPicture(shown, context);
  const texts = slideTexts(context);
  const { title, foot } = texts;
  return {
    title,
    subtitle: scopeText(texts),
    foot,
    picture: { light: slideOf(light, null).svg, dark: slideOf(dark, null).svg },
    tables: reportTables({
      series: board.series.loaded,
      peaks: boardPeaks(board).peaks,
      events: given.events,
      headed: headedBy(board, format),
      bounds: edges.all.slice(rows.from, rows.to + 1),
      zoom: rested,
      now,
      format,
    }),
    method: methodLines(given.note),
    csv: csvOf(board),
  };
}
