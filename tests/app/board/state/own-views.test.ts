import { describe, expect, it } from 'vitest';
import { askedRun, type AskedRun } from '#tests/app/board/asked-run.ts';
import { boardOf, given, NOW, PLATFORM_SOURCE, sourceOf } from '#tests/app/board/counted-board.ts';
import { platformAnswer } from '#tests/app/board/platform-answer.ts';
import { Live } from '#app/board/state/live.svelte.ts';
import { OwnViews } from '#app/board/state/own-views.ts';
import { parseView, type View } from '#app/board/state/view.ts';
import { NO_STREAM } from '#tests/app/board/no-stream.ts';

/** `localStorage` in memory. */
function memory(): Pick<Storage, 'getItem' | 'setItem'> & { readonly held: Map<string, string> } {
  const held = new Map<string, string>();
  return {
    held,
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
  };
}

/** A page of one browser. @param storage - Of that browser. */
async function page(storage = memory()) {
  const { board } = boardOf(() => askedRun('done'), {
    sources: given(sourceOf('posts'), PLATFORM_SOURCE),
    platform: () => Promise.resolve(platformAnswer({})),
    ownViews: new OwnViews(storage),
    later: (act) => act(),
  });
  await board.loadSources();
  /** True if the last need of every series of the platform waits until the user loads it. */
  const waits = (): boolean[] =>
    board.series.all.map(
      (series) => (series.run as AskedRun).needs.at(-1)?.foreign?.waits === true,
    );
  /** As the button of the plan does. */
  const load = (): void => {
    for (const series of board.series.all) (series.run as AskedRun).needs.at(-1)?.foreign?.load();
  };
  return { board, waits, load, storage };
}

const link = (text: string): View => parseView(text).view;
const LINK = 'source=platform&range=30d&zone=UTC&by=day&q=storm&q=rain';

describe('a view that this user did not make', () => {
  it('waits to be loaded; the same view is the user’s in every later page of the browser', async () => {
    const { board, waits, load, storage } = await page();
    board.apply(link(LINK), []);
    expect([board.foreign, waits()]).toEqual([true, [true, true]]);
    const later = await page(storage);
    later.board.apply(link(LINK), []);
    expect(later.waits()).toEqual([true, true]);
    load();
    expect([board.foreign, waits()]).toEqual([false, [false, false]]);
    const last = await page(storage);
    last.board.apply(link(LINK), []);
    expect([last.board.foreign, last.waits()]).toEqual([false, [false, false]]);
  });

  it.each([
    ['another query', 'source=platform&range=30d&zone=UTC&by=day&q=storm&q=snow'],
    ['another range', 'source=platform&range=1y&zone=UTC&by=day&q=storm&q=rain'],
    ['a comparison', `${LINK.replace('&q', '&against=previous&q')}`],
    ['more earlier periods', `${LINK.replace('&q', '&against=previous-3&q')}`],
    ['another zone', 'source=platform&range=30d&zone=Asia/Kolkata&by=day&q=storm&q=rain'],
    ['another resolution', 'source=platform&range=30d&zone=UTC&by=minute&q=storm&q=rain'],
  ])('waits again with %s', async (_, other) => {
    const { board, waits, load } = await page();
    board.apply(link(LINK), []);
    load();
    board.apply(link(other), []);
    expect(waits()).toEqual([true, true]);
  });

  it('does not wait with fewer of its series, in another order, with another form, tab or name', async () => {
    const { board, waits, load } = await page();
    board.apply(link(LINK), []);
    load();
    board.apply(
      link('source=platform&range=30d&zone=UTC&by=day&tab=peaks&form=bars&q=rain&name=Wet'),
      [],
    );
    expect(waits()).toEqual([false]);
  });

  it('is one after a switch to the platform, and stays one when its range or zoom changes', async () => {
    const { board, waits, load } = await page();
    board.apply(link('source=posts&range=30d&zone=UTC&q=storm'), []);
    expect(waits()).toEqual([false]);
    board.chooseSource('platform');
    expect(waits()).toEqual([true]);
    board.choosePreset('90d');
    board.chooseComparison('previous');
    expect(waits()).toEqual([true]);
    load();
    board.choosePreset('7d');
    expect(waits()).toEqual([false]);
    board.chooseSource('posts');
    board.chooseSource('platform');
    expect(waits()).toEqual([true]);
  });

  it('is the user’s where the user types the query', async () => {
    const { board, waits } = await page();
    board.apply(link(LINK), []);
    const [series] = board.series.all;
    if (!series) throw new Error('expected a series');
    board.type(series, 'thunder');
    board.commit(series);
    expect(waits()).toEqual([false, true]);
    const typed = board.series.add();
    board.type(typed, 'hail');
    board.commit(typed);
    expect(waits()).toEqual([false, true, false]);
  });

  it('covers the period it is compared with by the same approval', async () => {
    const { board } = await page();
    board.apply(link('source=platform&range=30d&zone=UTC&by=day&against=previous&q=storm'), []);
    const [series] = board.series.all;
    const run = series?.run as AskedRun | undefined;
    const later = run?.needs.at(-1)?.foreign?.later() ?? [];
    expect(later.map(({ what, need }) => [what, need.query])).toEqual([
      ['earlier period', 'storm'],
    ]);
  });

  it('is never refreshed by a live board', async () => {
    const { board, load } = await page();
    board.apply(link(LINK), []);
    const live = new Live(board, { visible: () => true, changes: async () => [], ...NO_STREAM });
    const needs = (): number =>
      board.series.all.reduce((sum, { run }) => sum + (run as AskedRun).needs.length, 0);
    const before = needs();
    await live.toggle(NOW);
    for (let at = 0; at < 3; at += 1) await live.tick(NOW + at * 3_600_000);
    expect([board.live, live.next, needs()]).toEqual([true, null, before]);
    load();
    await live.tick(NOW);
    await live.tick(NOW + 24 * 3_600_000);
    expect(needs()).toBeGreaterThan(before);
  });

  it('cannot claim to be the user’s by anything that an address holds', async () => {
    const { board, waits, storage } = await page();
    const texts = [...storage.held].map(([key, value]) => `${key}=${value}`);
    board.apply(link(`${LINK}&own=1&foreign=false&groundswell-own-views=${texts.join()}`), []);
    expect(waits()).toEqual([true, true]);
  });
});

describe('the user’s own views', () => {
  it('are noted as the user types, and survive storage that is damaged, full or missing', async () => {
    const { board, storage } = await page();
    board.chooseSource('platform');
    const series = board.series.add();
    board.type(series, 'storm');
    board.commit(series);
    const view = board.view();
    expect(new OwnViews(storage).has(view)).toBe(true);
    storage.setItem('groundswell-own-views', '{');
    expect(new OwnViews(storage).has(view)).toBe(false);
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    for (const none of [null, full]) {
      const own = new OwnViews(none);
      own.add(view);
      expect(own.has(view)).toBe(true);
    }
  });

  it('forget the oldest beyond the limit of characters', () => {
    const own = new OwnViews(memory());
    const at = (i: number): View => link(`source=platform&q=${'x'.repeat(99_900)}${i}`);
    for (let i = 0; i < 5; i += 1) own.add(at(i));
    expect([0, 1, 2, 3, 4].map((i) => own.has(at(i)))).toEqual([false, true, true, true, true]);
  });

  it('are read and written once per act, however many series it loads', async () => {
    const storage = memory();
    let reads = 0;
    const counting = {
      ...storage,
      getItem: (key: string) => {
        reads += 1;
        return storage.getItem(key);
      },
    };
    const { board } = await page({ ...counting, held: storage.held });
    board.chooseSource('platform');
    for (let i = 0; i < 5; i += 1)
      board.series.add({ query: `tea ${i}`, label: '', hidden: false });
    reads = 0;
    board.load();
    expect(reads).toBe(1);
  });
});
