import { isDrawable } from '#app/board/chart-panel/chart-input.ts';
import { noteInput } from '#app/board/files/export-input.ts';
import { pptxJob } from '#app/board/files/pptx-job.ts';
import { reportInput, scopeText } from '#app/board/files/report-input.ts';
import { pptxBlocks } from '#app/export/pptx.ts';
import { reportHtml } from '#app/export/report.ts';
import { slideInput, slideTexts } from '#app/export/slide-input.ts';
import { bytesIn } from '#core/export/bytes.ts';
import { storedEvent } from '#app/events/board-events.svelte.ts';
import { byTime, onKinds, shownNotes } from '#app/events/event.ts';
import { Formatter } from '#app/format/formatter.ts';
import { BoardError, type GivenBoard, type ReportBoard } from '#contract/counts/report.ts';
import { countedBoard } from './counted-board.ts';
import { writtenFigures } from './figures.ts';
import { readGiven, type ReportContent } from './given-board.ts';
import { boardReading, postsOf, takeCauses } from './reading.ts';
import { sharedBoard } from './shared-board.ts';
import { shownOn } from './shown.ts';
import { eventsInView } from '#app/board/files/bundle-input.ts';
import { slideContext } from '#app/board/files/slide-context.ts';

/* The program of reports: writes what the dashboard's export writes, without a page. `groundswell report` loads it; see
 * `contract/counts/report.ts`.
 */

export { diffFiles } from './diff.ts';
export { verifyFile } from './verify.ts';

/** As the dialog of a slide offers it first. */
const SLIDE_CHOICE = { shape: '16:9', theme: 'light', peaks: true, causes: null } as const;

/** The source that is counted; null if all counts are in the file. */
function sourceOf({ view, bundle }: ReportContent): ReportBoard['source'] {
  const { series = [], source = 'sample' } = view;
  const asks = series.length === 0 || series.some(({ query, typed }) => query || typed);
  return bundle || !asks ? null : source;
}

export async function openBoard(given: GivenBoard): Promise<ReportBoard> {
  const content = await readGiven(given);
  const { name, view, notes } = content;
  return {
    name,
    zone: view.zone ?? null,
    source: sourceOf(content),
    shared: () => sharedBoard(content),
    figures: (wanted, surroundings, counts) =>
      writtenFigures(content, wanted, surroundings, counts),
    read: (surroundings, counts) => boardReading(content, surroundings, counts),
    write: async (surroundings, counts, form) => {
      const board = await countedBoard(content, surroundings, counts);
      if (!isDrawable(board)) {
        throw new BoardError(`No count of ${name === '' ? 'the view' : `“${name}”`} is known.`);
      }
      const format = new Formatter(surroundings.locale);
      const dated = shownNotes(notes, onKinds(view.events ?? []));
      await takeCauses(board, counts, format);
      const shown = shownOn(board, dated, format);
      const note = await noteInput(board, () => Promise.resolve([]));
      const events = eventsInView(board, dated.map(storedEvent).toSorted(byTime));
      const context = slideContext(board, format.in(board.time.zone));
      const { title, subtitle, ...texts } = slideTexts(context);
      const bytesOf = async (): Promise<Uint8Array<ArrayBuffer>> => {
        if (form === 'html') {
          const input = reportInput(board, shown, { context, note, events });
          return new TextEncoder().encode(reportHtml(input));
        }
        const choice = { ...SLIDE_CHOICE, title, subtitle };
        const job = pptxJob(board, slideInput(shown, choice, context), note, events);
        return await bytesIn(pptxBlocks(job, board.time.table));
      };
      return {
        title: name === '' ? title : name,
        subtitle: scopeText({ subtitle, ...texts }),
        zone: board.time.zone,
        series: board.series.loaded.map(postsOf),
        bytes: await bytesOf(),
      };
    },
  };
}
