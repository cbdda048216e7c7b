import { page } from 'vitest/browser';
import App from '#app/App.svelte';
import { createApp } from '#app/create-app.ts';
import * as comparing from '#app/board/state/compare-with.ts';
import type { View } from '#app/board/state/view.ts';
// Imported so that the test's server bundles what the page loads lazily.
import '#app/chart/draw/echarts.ts';
import type { StoredReceipt } from '#app/counts/cache/records.ts';
import type { BoardsClient, BoardSyncClient } from '#app/counts/worker/client.ts';
import '#app/ui/base.css';
import '#app/ui/tokens.css';
import type { PlatformAnswer } from '#contract/counts/platform.ts';
import { omit } from '#core/omit.ts';
import { mounted } from '#tests/support/browser/mounted.ts';
import { given as sources, PLATFORM_SOURCE, sourceOf } from './counted-board.ts';
import { DrawnRun } from './drawn-run.svelte.ts';

export const NOW = Date.UTC(2026, 10, 21, 19, 2);
/** For what is to come. Nothing waits that long; a busy machine is no failure. */
export const WAIT = { timeout: 60_000 };

interface Rig {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** The answer of the platform, or what makes each. */
  readonly platform: PlatformAnswer | (() => PlatformAnswer);
  readonly view: View;
  /** The run of each query, in order. */
  readonly runs: readonly DrawnRun[];
  readonly receipts?: readonly StoredReceipt[];
  /** Replaces the board's `setTimeout`. */
  readonly later?: (act: () => void, ms: number) => unknown;
}

const away = (): Promise<never> => Promise.reject(new Error('not part of this test'));

/** Mounts the whole app on the platform until the test ends, with scripted runs and no saved boards. `end` unmounts it. */
export async function rig({ theme = 'light', width = 1440, height = 900, ...given }: Rig) {
  const later = given.later ?? ((act: () => void, ms: number): unknown => setTimeout(act, ms));
  const runs = [...given.runs];
  const { platform } = given;
  const answer = async (): Promise<PlatformAnswer> =>
    typeof platform === 'function' ? platform() : platform;
  const { props } = createApp({
    counts: () => ({
      run: () => runs.shift() ?? new DrawnRun(NOW),
      sources: sources(sourceOf('sample'), PLATFORM_SOURCE),
      changes: () => Promise.resolve([]),
      now: () => NOW,
      imports: { import: away, stop: away },
      files: { json: away, lines: away },
      platform: { answer, change: away, spending: away },
      client: { send: away, json: away, now: () => NOW },
      live: {
        client: { send: away, now: () => NOW, signIn: away },
        send: away,
        store: { takeLive: away },
        login: '',
      },
      search: () => Promise.resolve({ posts: [], next: null }),
      inventory: {
        series: () => Promise.resolve([]),
        receipts: () => Promise.resolve([...(given.receipts ?? [])]),
        export: away,
        import: away,
        remove: away,
        mayMakeRoom: () => Promise.resolve(false),
        setMayMakeRoom: away,
      },
      boards: {} as BoardsClient,
      boardSync: {} as BoardSyncClient,
      onBoards: () => () => undefined,
    }),
    window,
    page: window,
    local: null,
    session: null,
    storage: {
      estimate: () => Promise.resolve(null),
      persisted: () => Promise.resolve(null),
      persist: () => Promise.resolve(false),
    },
    locale: 'en-GB',
    zone: 'Europe/Berlin',
    weekStart: 1,
    now: () => NOW,
    later,
    every: () => undefined,
    visible: () => true,
    random: (bytes) => new Uint8Array(bytes),
    copy: away,
    reload: () => undefined,
  });
  const { board, toasts } = props;
  props.theme.choose(theme);
  board.comparing = comparing;
  board.apply({ source: 'platform', zone: 'Europe/Berlin', ...given.view }, []);
  await page.viewport(width, height);
  const { target, end } = mounted(App, omit(props, 'saved', 'under'), { tag: 'div' });
  target.id = 'app';
  await board.loadSources();
  return { board, target, toasts, end };
}
