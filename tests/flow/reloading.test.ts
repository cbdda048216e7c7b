import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chartSummary } from '#app/board/chart-panel/chart-summary.ts';
import { boardFinding } from '#app/board/state/board-finding.ts';
import { trustWords } from '#app/board/insight-panel/trust-line.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { Live } from '#app/board/state/live.svelte.ts';
import type { BoardSeries } from '#app/board/state/series.svelte.ts';
import type { CollectionsAnswer } from '#contract/posts/collections.ts';
import { Formatter } from '#app/format/formatter.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import { DAY_MS, SECOND_MS } from '#core/time/span.ts';
import { openDashboard, type Dashboard } from '#tests/support/browser/dashboard.ts';
import { isCounts, lostConnection } from '#tests/support/service/faults.ts';
import type { TestPost } from '#tests/support/service/service.ts';
import { NOW, POSTS, scene, until } from '#tests/support/data/storms.ts';
import { boardOf } from '#tests/app/board/counted-board.ts';
import { NO_STREAM } from '#tests/app/board/no-stream.ts';

const on = scene();
const format = new Formatter('en-GB');

let ids = 20_000_000n;
/** As if imported: Posts from all months of the range. */
const imported = (): TestPost[] =>
  Array.from({ length: 60 }, (_, i) => ({
    id: (ids += 1n),
    createdAt: NOW - (10 + i * 17) * DAY_MS,
    text: i % 2 === 0 ? 'a storm' : 'calm seas',
  }));

/** A board of three years by hours in 36 pages a series: two queries, their share, and the period before. */
async function openBoard(tab: Dashboard) {
  const { board } = boardOf(() => tab.run(), {
    sources: () => tab.sources(),
    now: () => tab.client.now(),
    later: (act) => setImmediate(act),
  });
  const series = ['storm', 'calm'].map((query) => ({ query, label: '', hidden: false }));
  const range = { from: '2025-06-01', to: '2026-11-20' };
  board.apply({ source: 'posts', range, comparison: 'previous', series }, []);
  await board.loadSources();
  const [storm, calm] = board.series.all;
  if (!storm || !calm) throw new Error('expected two series');
  const part = (of: number) => ({ kind: 'series', of }) as const;
  board.series.compute({
    kind: 'quotient',
    a: part(storm.id),
    b: { kind: 'sum', a: part(storm.id), b: part(calm.id) },
  });
  await settled(board);
  let visible = true;
  const live = new Live(board, {
    visible: () => visible,
    changes: (each) => tab.changes.since(each, each),
    ...NO_STREAM,
  });
  return { board, live, hide: (hidden: boolean): void => void (visible = !hidden) };
}

const isOver = ({ run, earlier }: BoardSeries): boolean =>
  [run, earlier].every((each) => !each || each.phase === 'done' || each.phase === 'failed');

/** True if all has loaded. First what costs nothing to ask: in Node a derived value is computed at every reading. */
function isSettled({ series: { all } }: Board): boolean {
  const isFinal = ({ kind, pending, noise }: BoardSeries): boolean =>
    !pending && (kind !== 'query' || noise !== null);
  return all.every(isOver) && all.every(isFinal);
}

async function settled(board: Board): Promise<void> {
  await until(() => isSettled(board));
}

/** The stored parts from which the figures of a board follow; each is replaced whole. */
function storedOf(board: Board): unknown[] {
  const queries = board.series.all.filter(({ kind }) => kind === 'query');
  return queries
    .flatMap(({ run, earlier }) => [run, earlier])
    .flatMap((run) => [
      run?.curve,
      run?.basis,
      run?.phase,
      run?.progress,
      run?.elsewhere,
      run?.outdated,
    ]);
}

/** All figures of a board that are shown as final, as a view of each would write them. */
function figuresOf(board: Board): string[] {
  const { now, rested: window, resolution: per } = board.time;
  const rows = summaryRows({ series: board.series.all, per, now, window, format });
  const figures = rows.flatMap(({ cells }, i) =>
    Object.entries(cells).flatMap(([id, { text }]) =>
      ['–', 'Loading…'].includes(text) ? [] : [`${i} ${id} ${text}`],
    ),
  );
  return [
    ...figures,
    ...board.series.all.flatMap((series, i) => {
      const { summary, pending, before } = series;
      const change = before?.change.ok ? [`${i} changed ${before.change.value.change}`] : [];
      return summary && !pending ? [`${i} totals ${summary.total}`, ...change] : change;
    }),
    ...chartSummary(board, { marks: [], peaks: [] }, format)
      .split('. ')
      .filter((text) => !text.includes('loading') && !text.includes('out of date')),
  ];
}

/** Every final figure of a board until it has settled, and what it said about itself. */
async function watch(board: Board, during: Promise<unknown>) {
  const seen = new Set<string>();
  const said = new Set<string>();
  let over = false;
  void during.finally(() => (over = true));
  let last: unknown[] = [];
  await until(() => {
    const now = storedOf(board);
    const isNew = now.some((part, i) => part !== last[i]);
    last = now;
    if (isNew) for (const figure of figuresOf(board)) seen.add(figure);
    const counts = trustWords(board, board.series.all, format, NOW)?.counts ?? '';
    if (isNew) said.add(counts);
    // A finding speaks of final figures only.
    const isFinal = counts === 'Complete' || counts.startsWith('No data');
    if (isNew && !isFinal) expect(boardFinding(board, format)).toBeNull();
    return over && isSettled(board);
  });
  await during;
  return { seen, said };
}

describe('while pages load, a figure says so', () => {
  test('after an import into an open board every final figure is that before or that after', async () => {
    const { board } = await openBoard(on.tab);
    const before = figuresOf(board);
    expect(before.filter((figure) => figure.includes('totals'))).toHaveLength(3);
    expect(before.filter((figure) => figure.includes('changed'))).toHaveLength(2);
    on.service.add('posts', imported());
    const { seen, said } = await watch(board, board.loadSources());
    const after = figuresOf(board);
    const truths = new Set([...before, ...after]);
    expect([...seen].filter((figure) => !truths.has(figure))).toEqual([]);
    expect(after).not.toEqual(before);
    const storms = POSTS.filter(
      ({ text, createdAt }) =>
        text?.includes('storm') && Number(createdAt) >= Date.parse('2025-06-01'),
    ).length;
    expect(board.series.all[0]?.summary?.total).toBe(storms + 16);
    expect([...said].some((text) => /^Reloading, \d+ of \d+$/.test(text))).toBe(true);
  });

  test('pages that fail leave figures out of date, not complete', async () => {
    const { board } = await openBoard(on.tab);
    on.service.add('posts', imported());
    let pages = 0;
    on.tab.faults.inject((request) => isCounts(request) && (pages += 1) > 20, lostConnection);
    await board.loadSources();
    await until(() =>
      board.series.all.every(({ run }) => run.phase === 'done' || run.phase === 'failed'),
    );
    const [storm, , share] = board.series.all;
    expect(storm?.run.phase).toBe('failed');
    expect(boardFinding(board, format)).toBeNull();
    expect(trustWords(board, board.series.all, format, NOW)?.counts).toMatch(/^Out of date/);
    expect(share?.pending).toMatchObject({ outdated: true });
    expect(figuresOf(board).filter((figure) => figure.includes('totals'))).toEqual([]);
  });

  test('a new query says how many pages are to come', { tags: 'long' }, async () => {
    const { board } = await openBoard(on.tab);
    board.series.addQueries([{ query: 'seas', label: '' }]);
    const { said } = await watch(board, Promise.resolve());
    expect([...said].some((text) => /^Loading, \d+ of \d+$/.test(text))).toBe(true);
    expect(trustWords(board, board.series.all, format, NOW)?.counts).not.toMatch(/oading/);
  });
});

/** Ticks as often as the page does, for the time in which an open board must notice. */
async function fifteenSeconds(live: Live): Promise<void> {
  for (let second = 0; second < 15; second += 1) {
    on.time.now += SECOND_MS;
    await live.tick(on.time.now);
  }
}

describe('an open board notices within 15 s', () => {
  const total = (board: Board): number | undefined => board.series.all[0]?.summary?.total;

  test('that another program imported a file', async () => {
    const { board, live } = await openBoard(on.tab);
    const before = total(board) ?? 0;
    on.service.add('posts', imported());
    await fifteenSeconds(live);
    await settled(board);
    expect(total(board)).toBe(before + 16);
  });

  test('that a collection was switched out', { tags: 'long' }, async () => {
    const { board, live } = await openBoard(on.tab);
    const before = total(board) ?? 0;
    const headers = { cookie: on.service.cookie };
    const rows = imported().map(
      ({ id, createdAt, text }) => `${id},${new Date(createdAt).toISOString()},ann,${text}\n`,
    );
    const body = `id,created_at,author,text\n${rows.join('')}`;
    const answer = await on.service.request('/import?name=more.csv', {
      method: 'POST',
      body,
      headers: { ...headers, 'content-length': String(body.length) },
    });
    expect(await answer.text()).toContain('"imported"');
    await fifteenSeconds(live);
    await settled(board);
    expect(total(board)).toBe(before + 16);
    const listed = await on.service.request('/collections', { headers });
    const { collections } = (await listed.json()) as CollectionsAnswer;
    await on.service.request(`/collections/${collections[0]?.id}`, {
      method: 'PUT',
      body: JSON.stringify({ included: false }),
      headers: { ...headers, 'content-type': 'application/json' },
    });
    await fifteenSeconds(live);
    await settled(board);
    expect(total(board)).toBe(before);
  });

  test('that a store was restored from a backup', { tags: 'long' }, async () => {
    const file = (name: string): string => join(on.service.folder, name);
    await on.service.restart(() => copyFileSync(file('posts.sqlite'), file('backup')));
    const first = await openBoard(openDashboard(on.service, { time: on.time }));
    const before = total(first.board);
    on.service.add('posts', imported());
    const { board, live } = await openBoard(on.tab);
    expect(total(board)).not.toBe(before);
    await on.service.restart(() => {
      for (const end of ['', '-wal', '-shm'])
        rmSync(`${file('posts.sqlite')}${end}`, { force: true });
      copyFileSync(file('backup'), file('posts.sqlite'));
    });
    await fifteenSeconds(live);
    await settled(board);
    expect(total(board)).toBe(before);
  });

  test('once it is visible again', { tags: 'long' }, async () => {
    const { board, live, hide } = await openBoard(on.tab);
    const before = total(board) ?? 0;
    hide(true);
    on.service.add('posts', imported());
    await fifteenSeconds(live);
    expect(total(board)).toBe(before);
    hide(false);
    await fifteenSeconds(live);
    await settled(board);
    expect(total(board)).toBe(before + 16);
  });

  test('but leaves new Posts to a refresh', async () => {
    const { board, live } = await openBoard(on.tab);
    const before = total(board) ?? 0;
    on.service.add('posts', [{ id: (ids += 1n), createdAt: on.time.now, text: 'a storm' }]);
    await fifteenSeconds(live);
    expect(board.series.all.every(isOver)).toBe(true);
    expect(total(board)).toBe(before);
  });
});
