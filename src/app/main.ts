import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { mount } from 'svelte';
import App from './App.svelte';
import { Board } from '#app/board/state/board.svelte.ts';
import { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import { Clock } from '#app/board/state/clock.svelte.ts';
import { Drafts } from '#app/board/saved/drafts.ts';
import type { History } from '#app/board/state/undo.svelte.ts';
import type { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import { Live } from '#app/board/state/live.svelte.ts';
import { ExportActions } from '#app/board/files/export-actions.svelte.ts';
import { Onboarding } from '#app/board/state/onboarding.svelte.ts';
import { formatView } from '#app/board/state/view.ts';
import { Formatter } from '#app/format/formatter.ts';
import { Workspace } from '#app/board/state/workspace.svelte.ts';
import { createCounts } from './counts/counts.ts';
import { download } from './export/download.ts';
import { registerServiceWorker } from './offline.ts';
import { LaneSwitches } from './lanes/lanes.svelte.ts';
import { Notes } from './lanes/notes.svelte.ts';
import type { OtherKind } from '#app/import/file-kind.ts';
import { ImportQueue } from '#app/import/import-queue.svelte.ts';
import { browserIo } from '#app/export/browser-io.ts';
import { browserStorage } from './settings/storage.ts';
import { secretOf } from '#contract/session.ts';
import './ui/base.css';
import './ui/print.css';
import { Printing } from './ui/printing.svelte.ts';
import { Theme } from './ui/theme.svelte.ts';
import { Toasts } from './ui/toasts.svelte.ts';
import './ui/tokens.css';
import { UrlSync } from './url-sync.svelte.ts';

/** The first of the user's languages that the browser can write numbers and dates in. */
function writtenLocale(languages: readonly string[]): string {
  for (const language of languages) {
    try {
      const [known] = Intl.DateTimeFormat.supportedLocalesOf(language);
      if (known) return known;
    } catch {
      // Not a language tag: `en-US@posix` where the system's locale is C.
    }
  }
  return 'en';
}

/** Monday or Sunday, as the user's region has it. */
function weekStart(locale: string): 1 | 7 {
  const known: Intl.Locale & { getWeekInfo?(): { firstDay: number } } = new Intl.Locale(locale);
  return known.getWeekInfo?.().firstDay === 7 ? 7 : 1;
}

function storage(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch {
    return null;
  }
}

const locale = writtenLocale(navigator.languages);
const later = (act: () => void, ms: number): unknown => setTimeout(act, ms);
const toasts = new Toasts(later);
const theme = new Theme(
  matchMedia('(prefers-color-scheme: dark)'),
  storage('localStorage'),
  (dark) => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  },
);
const printing = new Printing(window, (paper) => theme.print(paper));
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let unblocked = (): void => undefined;
// At once, so that it stays neither in the address bar nor in the history.
const secret = secretOf(location.hash);
if (secret !== null) history.replaceState(null, '', location.pathname);
// Opened where the page is already: a browser only changes the part after #.
addEventListener('popstate', () => {
  if (secretOf(location.hash) !== null) location.reload();
});
const reload = { text: 'Reload', act: (): void => location.reload() };
const counts = createCounts(
  () => toasts.show('Groundswell was updated in another tab.', reload),
  (blocked) => {
    unblocked();
    if (!blocked) return;
    unblocked = toasts.hold(
      'An older Groundswell in another tab keeps the counts of this browser to itself. Close or reload that tab: this one then goes on by itself.',
    );
  },
  async () => {
    const { DELETED_UNDER_PAGE } = await import('./format/fault-text.ts');
    toasts.show(DELETED_UNDER_PAGE, reload);
  },
  secret,
);
const board = new Board({
  run: (name, gate) => counts.run(name, gate),
  sources: () => counts.sources(),
  platform: () => counts.platform.answer(),
  now: () => counts.now(),
  zone: browserZone,
  weekStart: weekStart(locale),
  later,
});
const copy = (text: string): Promise<void> => navigator.clipboard.writeText(text);
const exports = new ExportActions(
  board,
  toasts,
  browserIo(copy, counts.shelf, storage('localStorage')),
);
exports.extras = () => ({ name: shelf.name, notes: notes.written, lanesHidden: lanes.hidden });
const live = new Live(board, () => document.visibilityState === 'visible');
const clock = new Clock(
  Date.now,
  setInterval,
  () => board.live || board.series.all.some((one) => one.run.wait),
);
setInterval(() => void live.tick(Date.now()), 1000);
/** Not `randomUUID`: a page that is opened by the machine's address is no secure context. */
const newId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
const notes = new Notes(newId);
const lanes = new LaneSwitches();
const workspace = new Workspace(board, notes, lanes, board.series);
const shelf = new SavedBoardsState({
  boards: counts.boards,
  onWritten: (hear) => counts.onBoards(hear),
  workspace,
  drafts: new Drafts(storage('sessionStorage')),
  toasts,
  download,
  openBundle: (file) => openOther(file, 'bundle'),
  newId,
  now: () => Date.now(),
});
/** Shows what came in. */
async function showPosts(): Promise<void> {
  await board.loadSources();
  if (board.source.id !== 'posts') board.chooseSource('posts');
}
/** Opens a file of Groundswell itself. */
async function openOther(file: File, kind: OtherKind): Promise<void> {
  const { openFile } = await import('./board/files/open-file.ts');
  const { shelf: cache } = counts;
  await openFile(file, kind, { board, workspace, exports, toasts, shelf: cache, boards: shelf });
}
const intake = new ImportQueue({
  desk: counts.imports,
  now: Date.now,
  id: () => newId(),
  onimported: () => void showPosts(),
  onother: (file, kind) => void openOther(file, kind),
});
const address = new UrlSync(
  window,
  Date.now,
  later,
  (view, problems, own) => void shelf.arrive(view, problems, own),
);

const opened = address.opened();
if (opened) board.apply(opened.view, opened.problems);
void board.loadSources();
void shelf.begin(opened?.view ?? null, opened?.problems, opened?.own);
shelf.follow();

// The first view is written when there is one, so that an opening page is not a step back.
address.follow(() =>
  board.source.all && board.begun && shelf.ready && !(board.untouched && workspace.board === null)
    ? workspace.view()
    : null,
);

mount(App, {
  target: document.getElementById('app') ?? document.body,
  props: {
    board,
    clock,
    live,
    inquiry: (Made: typeof PeakInspector) =>
      new Made(board, {
        search: counts.search,
        run: () => counts.run(() => '', board.series.approval),
        later: (act) => void later(act, 0),
      }),
    exports,
    saved: {
      shelf,
      history: (Made: typeof History) => {
        const history = new Made(workspace, Date.now, (id) => shelf.nameOf(id));
        history.follow(() => board.source.all !== null && shelf.ready);
        shelf.onremoved = (name, acts) => history.did(`deleted the board ${name}`, acts);
        return history;
      },
    },
    lanes: { notes, switches: lanes, search: counts.search },
    guide: new Onboarding(storage('localStorage')),
    intake,
    printing,
    theme,
    toasts,
    words: new Formatter(locale),
    locale,
    settings: {
      shelf: counts.shelf,
      platform: counts.platform,
      storage: browserStorage(navigator.storage),
    },
    browserZone,
    copy,
    link: () => `${location.origin}${location.pathname}#${formatView(workspace.view())}`,
  },
});

/** How often the service is looked for while it is away, and posts while there are none. */
const LOOK_MS = 5_000;
setInterval(() => {
  const waits = board.offline || board.untouched || board.source.info?.posts === 0;
  if (waits && document.visibilityState === 'visible') void board.loadSources();
}, LOOK_MS);
addEventListener('online', () => void board.loadSources());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void board.loadSources();
});
void registerServiceWorker();
