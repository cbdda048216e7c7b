import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import { mount } from 'svelte';
import App from './App.svelte';
import { Board } from './board/board.svelte.ts';
import { Clock } from './board/clock.svelte.ts';
import { Exports } from './board/exports.svelte.ts';
import { formatView } from './board/view.ts';
import { Words } from './board/words.ts';
import { createCounts } from './counts/counts.ts';
import { browserMeans } from './export/means.ts';
import { browserStorage } from './settings/storage.ts';
import './ui/base.css';
import { Theme } from './ui/theme.svelte.ts';
import { Toasts } from './ui/toasts.svelte.ts';
import './ui/tokens.css';
import { Address } from './url.svelte.ts';

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

function storage(): Storage | null {
  try {
    return localStorage;
  } catch {
    return null;
  }
}

const locale = writtenLocale(navigator.languages);
const later = (act: () => void, ms: number): unknown => setTimeout(act, ms);
const toasts = new Toasts(later);
const theme = new Theme(matchMedia('(prefers-color-scheme: dark)'), storage(), (dark) => {
  document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
});
const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let unblocked = (): void => undefined;
const counts = createCounts(
  () =>
    toasts.show('Groundswell was updated in another tab.', {
      text: 'Reload',
      act: () => location.reload(),
    }),
  (blocked) => {
    unblocked();
    if (!blocked) return;
    unblocked = toasts.hold(
      'An older Groundswell in another tab keeps the counts of this browser to itself. Close or reload that tab: this one then goes on by itself.',
    );
  },
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
const exports = new Exports(board, toasts, browserMeans(copy, counts.shelf, storage()));
const clock = new Clock(Date.now, setInterval, () => board.series.some((one) => one.run.wait));
const address = new Address(window, Date.now, later, (view, problems) =>
  board.apply(view, problems),
);

const opened = address.opened();
if (opened) board.apply(opened.view, opened.problems);
void board.loadSources();

// The first view is written when there is one, so that an opening page is not a step back.
address.follow(() => (board.sources && !board.untouched ? board.view() : null));

mount(App, {
  target: document.getElementById('app') ?? document.body,
  props: {
    board,
    clock,
    exports,
    theme,
    toasts,
    words: new Words(locale),
    locale,
    settings: {
      shelf: counts.shelf,
      platform: counts.platform,
      storage: browserStorage(navigator.storage),
    },
    browserZone,
    copy,
    link: () => `${location.origin}${location.pathname}#${formatView(board.view())}`,
  },
});

/** How often the service is looked for while it is away, and posts while there are none. */
const LOOK_MS = 5_000;
setInterval(() => {
  const waits = board.shownOffline || board.untouched || board.source?.posts === 0;
  if (waits && document.visibilityState === 'visible') void board.loadSources();
}, LOOK_MS);
addEventListener('online', () => void board.loadSources());
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void board.loadSources();
});
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  void navigator.serviceWorker.register('/sw.js');
}
