import type { Board } from '#app/board/state/board.svelte.ts';
import type { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import type { Workspace } from '#app/board/state/workspace.svelte.ts';
import { UrlSync } from './url-sync.svelte.ts';
import type { AppEnvironment } from './app-environment.ts';

/** The interval at which the service is asked again while it is away, and for Posts while there are none. */
const RETRY_MS = 5_000;
/** The interval at which a sample that is being made is read again. */
const FOLLOW_MS = 1_000;

/** Reads the sources again while they are away or empty, and when the page or the network comes back. */
export function followSources(env: AppEnvironment, board: Board): void {
  env.every(() => {
    const waits = board.offline || board.untouched || board.source.info?.posts === 0;
    if (waits && env.visible()) void board.loadSources();
  }, RETRY_MS);
  let reading = false;
  env.every(() => {
    const { info } = board.source;
    if (reading || info?.making === undefined || board.offline || !env.visible()) return;
    reading = true;
    void board.loadSources().finally(() => (reading = false));
  }, FOLLOW_MS);
  env.window.addEventListener('online', () => void board.loadSources());
  env.window.document.addEventListener('visibilitychange', () => {
    if (env.visible()) void board.loadSources();
  });
}

/** The parts of the dashboard that the URL and the page's surroundings change. */
interface FollowedParts {
  readonly board: Board;
  readonly workspace: Workspace;
  readonly saved: SavedBoardsState;
}

/**
 * Shows the view of the URL, and keeps the URL at the view that is shown; back and forward open theirs.
 *
 * @param onopened - Called before the saved boards are read, with true if the view is that of the last visit.
 */
export function followUrl(
  { page, now, later, local }: AppEnvironment,
  { board, workspace, saved }: FollowedParts,
  onopened: (isLast: boolean) => void,
): void {
  const url = new UrlSync(page, now, later, local, (...arrived) => void saved.arrive(...arrived));
  const opened = url.opened();
  onopened(opened?.last ?? false);
  if (opened) board.apply(opened.view, opened.problems);
  void board.loadSources();
  void saved.begin(opened?.view ?? null, opened?.problems, opened?.own);
  saved.follow();
  // The first view is written once there is one, so that opening the page adds no step back.
  url.follow(() =>
    board.source.all && board.begun && saved.ready && !(board.untouched && workspace.board === null)
      ? workspace.view()
      : null,
  );
}
