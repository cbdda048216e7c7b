import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import { Clock } from '#app/board/state/clock.svelte.ts';
import { Drafts } from '#app/board/saved/drafts.ts';
import { ExportActions } from '#app/board/files/export-actions.svelte.ts';
import { Onboarding } from '#app/board/state/onboarding.svelte.ts';
import { formatView } from '#app/board/state/view.ts';
import { OwnViews } from '#app/board/state/own-views.ts';
import { Workspace } from '#app/board/state/workspace.svelte.ts';
import type { BoardExchange } from '#app/counts/sync-boards.ts';
import { browserIo } from '#app/export/browser-io.ts';
import { download } from '#app/export/download.ts';
import { Formatter } from '#app/format/formatter.ts';
import type { OtherKind } from '#app/import/file-kind.ts';
import type { BoardEvents } from '#app/events/board-events.svelte.ts';
import { KindSwitches } from '#app/events/event-kinds.svelte.ts';
import { Notes } from '#app/events/notes.svelte.ts';
import { Printing } from '#app/ui/printing.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import type { AppProps } from './app-props.ts';
import type { AppEnvironment, BrowserCounts } from './app-environment.ts';
import { actingAccount, pageTheme } from './page-parts.ts';
import { cacheListener } from './cache-listener.ts';
import { followSources, followUrl } from './follow-page.ts';

/** Exchanges the boards with the service, from the first call on. */
function boardExchange(
  env: AppEnvironment,
  counts: BrowserCounts,
  toasts: Toasts,
): () => Promise<BoardExchange> {
  let exchange: Promise<BoardExchange> | null = null;
  return () =>
    (exchange ??= import('./counts/sync-boards.ts')
      .then(({ followBoards }) =>
        followBoards({
          ...env,
          ...counts,
          sync: counts.boardSync,
          report: (problem) => toasts.show(problem),
        }),
      )
      .catch((error: unknown) => {
        exchange = null;
        throw error;
      }));
}

/** Drafts of this tab for a reload, and of the browser for the next visit, which reads those. */
function drafts(
  { session, local }: AppEnvironment,
  isNextVisit: () => boolean,
): ConstructorParameters<typeof SavedBoardsState>[0]['drafts'] {
  const [draft, lastDraft] = [new Drafts(session), new Drafts(local)];
  return {
    read: (board) => (isNextVisit() ? lastDraft : draft).read(board),
    write: async (now) =>
      (await Promise.all([draft.write(now), lastDraft.write(now)])).every(Boolean),
    clear: () => {
      draft.clear();
      lastDraft.clear();
    },
  };
}

/** The board, which counts as this browser can. */
function openBoard(env: AppEnvironment, counts: BrowserCounts): Board {
  const board = new Board({
    run: (name, approval) => counts.run(name, approval),
    sources: () => counts.sources(),
    platform: () => counts.platform.answer(),
    ownViews: new OwnViews(env.local),
    now: () => counts.now(),
    zone: env.zone,
    weekStart: env.weekStart,
    later: env.later,
  });
  board.time.narrow = env.window.matchMedia('(max-width: 720px)').matches;
  return board;
}

/** Makes the live updates of the board, once their code has loaded. */
function liveOf(env: AppEnvironment, counts: BrowserCounts, board: Board): AppProps['live'] {
  return (Live, browserLive) => {
    const live = new Live(board, {
      visible: env.visible,
      changes: counts.changes,
      ...browserLive(counts.live),
    });
    env.every(() => void live.tick(env.now()), 1000);
    return live;
  };
}

/** Wires the parts of the dashboard. Nothing is fetched before its `start`. */
export function createApp(env: AppEnvironment) {
  const { now, later } = env;
  const toasts = new Toasts(later);
  const theme = pageTheme(env);
  const printing = new Printing(env.window, (paper) => theme.print(paper));
  const reload = { text: 'Reload', act: env.reload };
  const acting = actingAccount(env, toasts);
  const counts = env.counts(cacheListener(toasts, reload), acting);
  const board = openBoard(env, counts);
  const exports = new ExportActions(
    board,
    toasts,
    browserIo(counts.inventory, { storage: env.local, locale: env.locale }),
  );
  const clock = new Clock(
    now,
    env.every,
    () => board.live || board.series.all.some((series) => series.run.wait),
  );
  const newId = (): string =>
    Array.from(env.random(12), (byte) => byte.toString(16).padStart(2, '0')).join('');
  const [notes, kinds] = [new Notes(newId), new KindSwitches()];
  let events: BoardEvents | null = null;
  const workspace = new Workspace(board, notes, kinds);
  let reopened = false;
  const exchanging = boardExchange(env, counts, toasts);
  const saved = new SavedBoardsState({
    boards: counts.boards,
    exchange: async () => (await exchanging()).runAll(),
    onWritten: (listener) => counts.onBoards(listener),
    workspace,
    drafts: drafts(env, () => reopened),
    toasts,
    download,
    openOwn: openOther,
    newId,
    now,
  });
  exports.extras = () => ({
    name: saved.name,
    notes: notes.written,
    events: events?.named ?? [],
    switched: kinds.switched,
  });

  async function showImported(): Promise<void> {
    await board.loadSources();
    if (board.source.id !== 'posts') board.chooseSource('posts');
  }
  /** Opens a file that is not Posts. */
  async function openOther(file: File, kind: OtherKind): Promise<void> {
    const { openOtherFile } = await import('./board/files/open-file.ts');
    const parts = { board, workspace, exports, toasts, counts, events, boards: saved };
    await openOtherFile(file, kind, parts);
  }
  const start = (): void => {
    followUrl(env, { board, workspace, saved }, (isLast) => (reopened = isLast));
    followSources(env, board);
  };

  const extraRun = (): Run => counts.run(() => '', board.series.approval);
  const { location } = env.window;
  const props: AppProps = {
    board,
    clock,
    live: liveOf(env, counts, board),
    inspector: (PeakInspector) =>
      new PeakInspector(board, {
        search: counts.search,
        client: counts.client,
        acting,
        run: extraRun,
        later: (act, ms = 0) => void later(act, ms),
      }),
    exports,
    saved: {
      boards: saved,
      history: (History) => {
        // After the first curve, which its code and its requests would delay.
        exchanging().catch(() => undefined);
        const history = new History(workspace, now, (id) => saved.nameOf(id));
        history.follow(() => board.source.all !== null && saved.ready);
        saved.onremoved = (name, acts) => history.did(`deleted the board ${name}`, acts);
        return history;
      },
    },
    under: {
      notes,
      events: (BoardEvents) => {
        const made = new BoardEvents(notes, kinds, env.local);
        board.hasEvents = () => made.any;
        return (events = made);
      },
      acting,
      search: counts.search,
      client: counts.client,
      files: counts.files,
      run: extraRun,
    },
    onboarding: new Onboarding(env.local),
    imports: (ImportQueue) =>
      new ImportQueue({
        api: counts.imports,
        client: counts.client,
        now,
        id: newId,
        onimported: showImported,
        onother: openOther,
        storage: env.local,
        zone: env.zone,
        board,
      }),
    printing,
    theme,
    toasts,
    format: new Formatter(env.locale),
    locale: env.locale,
    settings: {
      inventory: counts.inventory,
      platform: counts.platform,
      storage: env.storage,
      client: counts.client,
    },
    browserZone: env.zone,
    copy: env.copy,
    link: () => `${location.origin}${location.pathname}#${formatView(workspace.view())}`,
  };
  return { props, start };
}
