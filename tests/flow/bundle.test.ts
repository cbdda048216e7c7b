import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { bundleView } from '#app/board/files/open-file.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import type { View } from '#app/board/state/view.ts';
import { CacheInventory } from '#app/counts/cache/cache-inventory.ts';
import { readBundle, writeBundle } from '#app/export/bundle.ts';
import { diffFiles } from '#app/report/main.ts';
import type { CountsFile } from '#contract/counts/report.ts';
import { HOUR_MS } from '#core/time/span.ts';
import { DataFolder } from '#server/data-folder.ts';
import { editorOver } from '#server/posts/editor/editor.ts';
import { openPosts } from '#server/posts/store/post-table.ts';
import { boardOf } from '#tests/app/board/counted-board.ts';
import type { Dashboard } from '#tests/support/browser/dashboard.ts';
import { long } from '#tests/support/run/long.ts';
import { NOW, scene, until } from '#tests/support/data/storms.ts';
import { bundleInput } from '#app/board/files/bundle-input.ts';

const on = scene();

/** A board that has its change; with `bundle`, one of another browser, which has no source. */
async function boardIn(tab: Dashboard, view: View, bundle?: Blob): Promise<Board> {
  const none = { sources: [], offline: false } as const;
  const { board } = boardOf(() => tab.run(), {
    sources: () => (bundle ? Promise.resolve(none) : tab.sources()),
    now: () => tab.client.now(),
    zone: view.zone ?? 'UTC',
    later: (act) => setImmediate(act),
  });
  if (bundle) {
    const opened = bundleView(board, await readBundle(bundle));
    board.apply(opened.view, opened.problems, opened.carried);
  } else {
    board.apply(view, []);
    await board.loadSources();
    // First what costs nothing to ask: in Node a derived value is computed at every reading.
    const isLoaded = ({ run, earlier }: BoardSeries): boolean =>
      [run, earlier].every((each) => each?.phase === 'done');
    const { all } = board.series;
    await until(() => all.every(isLoaded) && all.every(({ before }) => before !== null));
  }
  return board;
}

const changesOf = (board: Board): unknown[] => board.series.all.map(({ before }) => before?.change);

const series = ['storm', 'calm'].map((query) => ({ query, label: '', hidden: false }));
const month = { from: '2026-03-01', to: '2026-03-31' };
const ALL_VIEWS: Record<string, View> = {
  'a month by days': { range: month, resolution: 'day' },
  'a month by hours, elsewhere': { range: month, resolution: 'hour', zone: 'America/New_York' },
  'two days by hours': { range: { from: '2026-03-01', to: '2026-03-02' }, resolution: 'hour' },
  'a year by weeks, against the year before': {
    range: { from: '2025-06-01', to: '2026-05-31' },
    resolution: 'week',
    comparison: 'year',
  },
};

const VIEWS = Object.entries(ALL_VIEWS);
test.each(long() ? VIEWS : VIEWS.slice(0, 1))(
  'a reopened bundle has its change: %s',
  async (_name, part) => {
    const board = await boardIn(on.tab, { source: 'posts', series, ...part });
    const pages = async (): Promise<Blob> => await new CacheInventory(on.tab.cache).export();
    const bundle = await writeBundle(await bundleInput(board, { name: '', notes: [] }, pages));
    const changes = changesOf(board);
    expect(changes[0]).toMatchObject({ ok: true });
    const opened = await boardIn(on.tab, part, bundle);
    expect(changesOf(opened)).toEqual(changes);
    expect(opened.chart.comparison).toBe(board.chart.comparison);

    const again = await bundleInput(opened, { name: '', notes: [] }, pages);
    const bytes = async (blob: Blob): Promise<Uint8Array> =>
      new Uint8Array(await blob.arrayBuffer());
    expect(await bytes(await writeBundle(again))).toEqual(await bytes(bundle));
  },
);

test('two bundles of the same board differ where Posts were added or deleted between them', async () => {
  const view: View = {
    source: 'posts',
    series: series.slice(0, 1),
    range: month,
    resolution: 'day',
  };
  const bundled = async (): Promise<CountsFile> => {
    const board = await boardIn(on.tab, view);
    const pages = async (): Promise<Blob> => await new CacheInventory(on.tab.cache).export();
    const bundle = await writeBundle(await bundleInput(board, { name: '', notes: [] }, pages));
    return { name: 'a.groundswell', bytes: new Uint8Array(await bundle.arrayBuffer()) };
  };
  const fifth = Date.UTC(2026, 2, 5);
  const surroundings = { now: NOW, zone: 'UTC', locale: 'en-US' };
  const old = await bundled();
  on.service.add('posts', [{ id: 9_000_001n, createdAt: fifth + HOUR_MS, text: 'storm' }]);
  const now = await bundled();
  const grown = await diffFiles({ old, new: now }, 10, surroundings);
  expect(grown).toMatchObject([
    {
      topic: 'storm',
      same: 30,
      moved: 1,
      buckets: [{ start: fifth, difference: 1, reason: 'import' }],
    },
  ]);
  const posts = openPosts(new DataFolder(on.service.folder).posts, { random: randomBytes });
  await editorOver(posts, () => NOW).write({ what: 'remove', of: [9_000_001n] });
  posts.close();
  const shrunk = await diffFiles({ old: now, new: await bundled() }, 10, surroundings);
  expect(shrunk).toMatchObject([{ same: 30, moved: 1, reasons: { deletion: 1 } }]);
});
