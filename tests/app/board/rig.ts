import { mount, unmount } from 'svelte';
import { page } from 'vitest/browser';
import App from '#app/App.svelte';
import { compareWith } from '#app/board/state/compare-with.ts';
import { Board } from '#app/board/state/board.svelte.ts';
import { Clock } from '#app/board/state/clock.svelte.ts';
import type { PeakInspector } from '#app/board/state/peak-inspector.svelte.ts';
import { Live } from '#app/board/state/live.svelte.ts';
import { ExportActions } from '#app/board/files/export-actions.svelte.ts';
import { Onboarding } from '#app/board/state/onboarding.svelte.ts';
import { browserIo } from '#app/export/browser-io.ts';
import type { View } from '#app/board/state/view.ts';
import { Formatter } from '#app/format/formatter.ts';
// Named here so that the test's server finds what the page fetches late.
import '#app/chart/echarts.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { InventoryClient } from '#app/counts/worker/client.ts';
import '#app/ui/base.css';
import { Printing } from '#app/ui/printing.svelte.ts';
import { Theme } from '#app/ui/theme.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import '#app/ui/tokens.css';
import type { PlatformAnswer } from '#contract/platform.ts';
import type { SourceInfo } from '#contract/source.ts';
import { quietIntake } from '#tests/app/import/quiet-import.ts';
import { DrawnRun, drawnRun } from './drawn-run.svelte.ts';

export const NOW = Date.UTC(2026, 10, 21, 19, 2);
export const WAIT = { timeout: 10_000 };

const SOURCES: readonly SourceInfo[] = [
  {
    id: 'sample',
    store: 'sample',
    revision: 1,
    posts: 9,
    first: '2023-11-20T00:00:00Z',
    last: '2026-11-20T13:00:00Z',
    coverage: { start: '2006-03-21T00:00:00Z', end: null },
  },
  {
    id: 'platform',
    store: 'platform.test',
    revision: 0,
    posts: null,
    first: '2006-03-21T00:00:00.000Z',
    last: null,
    coverage: { start: '2006-03-21T00:00:00Z', end: null },
  },
];

interface Rig {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly platform: PlatformAnswer;
  readonly view: View;
  /** The run of each query, in order. */
  readonly runs: readonly DrawnRun[];
  readonly receipts?: readonly StoredReceipt[];
  /** In the place of `setTimeout` for the board. */
  readonly later?: (act: () => void, ms: number) => unknown;
}

const away = (): Promise<never> => Promise.reject(new Error('not played here'));

/** The whole page on the platform, its runs played. @returns What there is, and what takes it away again. */
export async function rig({ theme = 'light', width = 1440, height = 900, ...given }: Rig) {
  const later = (act: () => void, ms: number): unknown => setTimeout(act, ms);
  const look = new Theme(matchMedia('(prefers-color-scheme: dark)'), null, (dark) => {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
  });
  look.choose(theme);
  const toasts = new Toasts(later);
  const runs = [...given.runs];
  const board = new Board({
    run: () => runs.shift() ?? new DrawnRun(NOW),
    sources: () => Promise.resolve({ sources: SOURCES, offline: false }),
    platform: () => Promise.resolve(given.platform),
    now: () => NOW,
    zone: 'Europe/Berlin',
    weekStart: 1,
    later: given.later ?? later,
  });
  board.compareWith = compareWith;
  const shelf: InventoryClient = {
    series: () => Promise.resolve([]),
    receipts: () => Promise.resolve([...(given.receipts ?? [])]),
    export: away,
    import: away,
    remove: away,
    mayMakeRoom: () => Promise.resolve(false),
    setMayMakeRoom: away,
  };
  document.documentElement.lang = 'en';
  document.title = 'Groundswell';
  const target = document.createElement('div');
  target.id = 'app';
  document.body.append(target);
  board.apply({ source: 'platform', zone: 'Europe/Berlin', ...given.view }, []);
  await page.viewport(width, height);
  const app = mount(App, {
    target,
    props: {
      board,
      theme: look,
      toasts,
      copy: away,
      locale: 'en-GB',
      browserZone: 'Europe/Berlin',
      live: new Live(board, () => true),
      inquiry: (Made: typeof PeakInspector) =>
        new Made(board, {
          search: () => Promise.resolve({ posts: [], next: null }),
          run: () => drawnRun(NOW),
          later: (act: () => void) => void setTimeout(act),
        }),
      clock: new Clock(
        () => NOW,
        () => undefined,
        () => false,
      ),
      guide: new Onboarding(null),
      printing: new Printing(window, () => undefined),
      intake: quietIntake(),
      exports: new ExportActions(board, toasts, browserIo(away, shelf, null)),
      words: new Formatter('en-GB'),
      link: () => '',
      settings: {
        shelf,
        platform: { answer: () => Promise.resolve(given.platform), change: away, spending: away },
        storage: {
          estimate: () => Promise.resolve(null),
          persisted: () => Promise.resolve(null),
          persist: () => Promise.resolve(false),
        },
      },
    },
  });
  await board.loadSources();
  const end = async (): Promise<void> => {
    await unmount(app);
    target.remove();
  };
  return { board, target, toasts, end };
}
