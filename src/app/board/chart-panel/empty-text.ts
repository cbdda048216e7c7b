import type { Board } from '#app/board/state/board.svelte.ts';

/** The reason there is no curve yet, and what to do. */
export function waitingWords(board: Board): string {
  if (board.source.fault && !board.source.all) {
    return board.source.signedOut
      ? 'Sign in to see counts: the note at the top says how.'
      : 'The service doesn’t answer, and this browser has no stored data.';
  }
  if (!board.source.all) return 'Loading the sources…';
  if (!board.source.info) {
    return 'This service doesn’t have that source. Choose another one at the top.';
  }
  if (board.series.all.length === 0) return 'Add a query to see its curve.';
  if (board.series.visible.length === 0) return 'All series are hidden. Show one from the list.';
  if (board.series.approval.waiting.length > 0) return 'Nothing in this view is loaded yet.';
  if (board.series.visible.some((series) => series.busy)) return 'Counting…';
  if (board.series.visible.every((series) => series.text.trim() === '')) {
    return 'Type a query: words, a "phrase", #tag, from:user. Its curve appears here.';
  }
  if (board.series.visible.every((series) => !series.valid)) {
    return 'No query can be counted. The list says why.';
  }
  if (board.series.visible.some((series) => series.run.phase === 'failed')) {
    return `No counts loaded. The ${board.offline ? 'note at the top' : 'list'} says why.`;
  }
  if (board.series.visible.some((series) => series.gap)) return 'Nothing in this view is loaded.';
  if (board.series.visible.every(({ summary }) => summary?.covered === 0)) {
    return 'No data for this time.';
  }
  return 'No counts here yet.';
}
