import type { FileEvent } from '#app/events/event-file.ts';
import { methodLines, methodNote, type NoteInput } from '#app/export/note.ts';
import { deckOf } from '#app/export/pptx-slide.ts';
import type { PptxJob } from '#app/export/pptx.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { isTimed } from '#core/time/resolution.ts';
import { bucketsInView } from './export-input.ts';
import type { SlideInput } from '#app/export/slide-rows.ts';

/** The job that writes a slide of the board as a presentation. @param note - Without events. */
export function pptxJob(
  board: Board,
  slide: SlideInput,
  note: NoteInput,
  events: readonly FileEvent[],
): PptxJob {
  const book = { timed: isTimed(board.time.resolution), ...bucketsInView(board) };
  const method = methodNote({ ...note, events })
    .trimEnd()
    .split('\n');
  const deck = deckOf(slide, book, method, board.time.now);
  return { form: 'pptx', ...book, method: methodLines(note), events, deck };
}
