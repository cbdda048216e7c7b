import type { Board } from '#app/board/state/board.svelte.ts';

/** What is waited for where there is no curve yet, or why there is none. */
export function waitingWords(board: Board): string {
  if (board.source.fault && !board.source.all) {
    return board.source.signedOut
      ? 'Sign in to see counts: open the address that Groundswell printed when it started.'
      : 'The service does not answer, and nothing is remembered of it here.';
  }
  if (!board.source.all) return 'Asking the service what it holds …';
  if (!board.source.info) {
    return 'This service has no such source. Choose another one at the top.';
  }
  if (board.series.all.length === 0) return 'Add a query to see its curve.';
  if (board.series.visible.length === 0) return 'Every series is hidden. Show one in the list.';
  if (board.series.approval.waiting.length > 0) return 'Nothing of this view is fetched yet.';
  if (board.series.visible.some((one) => one.busy)) return 'Counting …';
  if (board.series.visible.every((one) => one.text.trim() === '')) {
    return 'Type a query: words, a "phrase", #tag, from:user. Its curve appears here.';
  }
  if (board.series.visible.every((one) => !one.valid)) {
    return 'There is no query that can be counted: the list says what is wrong.';
  }
  if (board.series.visible.some((one) => one.run.phase === 'failed')) {
    return 'No counts came: the list says why.';
  }
  if (board.series.visible.some((one) => one.gap)) return 'Nothing of this view is fetched.';
  return 'Nothing of this view is known here yet.';
}
