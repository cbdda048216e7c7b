import { describe, expect, it } from 'vitest';
import { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import { Drafts } from '#app/board/saved/drafts.ts';
import { parseView, type View } from '#app/board/state/view.ts';
import { Workspace } from '#app/board/state/workspace.svelte.ts';
import { readBoard } from '#app/counts/files/board-file.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { LaneSwitches } from '#app/lanes/lanes.svelte.ts';
import { Notes } from '#app/lanes/notes.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { archiveOf } from '#tests/support/archives.ts';
import { PLANTS } from '#tests/support/inventory-laws.ts';
import { testCache } from '#tests/support/test-cache.ts';

/** A board that is nothing but its view. */
class BareBoard {
  now: View = { source: 'sample', range: { preset: '1y' } };
  view(): View {
    return this.now;
  }
  problems: readonly string[] = [];
  apply(view: View, problems: readonly string[]): void {
    this.now = view;
    this.problems = problems;
  }
}

function storageOf(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const held = new Map<string, string>();
  return {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
  };
}

/** The saved boards of a browser, and the tabs that hear of their changes. */
function browserOf() {
  const heard: (() => void)[] = [];
  const { boards } = testCache({ onBoards: () => heard.forEach((hear) => hear()) });
  return Object.assign(boards, {
    tabs: (): number => heard.length,
    listen: (hear: () => void) => {
      heard.push(hear);
      return () => void heard.splice(heard.indexOf(hear), 1);
    },
    /** Waits until every tab has read what it heard of. */
    settled: async (): Promise<void> => {
      for (let turns = 0; turns < 50; turns += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  });
}

/** A tab of a browser. */
function tabOf(boards = browserOf(), storage = storageOf()) {
  const board = new BareBoard();
  let ids = 0;
  const name = `t${boards.tabs()}`;
  const newId = (): string => `${name}-${(ids += 1)}`;
  const notes = new Notes(newId);
  const workspace = new Workspace(board, notes, new LaneSwitches(), { fixed: [] });
  const toasts = new Toasts(() => undefined);
  const files: { file: Blob; name: string }[] = [];
  const bundles: string[] = [];
  const clock = { now: 1000 };
  const drafts = new Drafts(storage);
  const shelf = new SavedBoardsState({
    boards,
    onWritten: (hear) => boards.listen(hear),
    workspace,
    drafts,
    toasts,
    download: (file, name) => files.push({ file, name }),
    openBundle: async ({ name }) => void bundles.push(name),
    newId,
    now: () => clock.now,
  });
  return { boards, board, notes, workspace, toasts, files, bundles, clock, shelf, drafts };
}

const said = ({ toasts }: ReturnType<typeof tabOf>): string[] =>
  toasts.list.map(({ text }) => text);
const act = ({ toasts }: ReturnType<typeof tabOf>): void => toasts.list.at(-1)?.action?.act();
const q = (query: string): View => ({
  source: 'sample',
  range: { preset: '1y' },
  series: [{ query, label: '', hidden: false }],
});

/** The beginning of an archive of this kind. */
const archive = (kind: string): Blob =>
  archiveOf([['manifest.json', new TextEncoder().encode(JSON.stringify({ groundswell: kind }))]]);

describe('a file that is chosen as a board', () => {
  it('is opened where it is a bundle, whatever its name', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    const bundle = archive('bundle');
    await tab.shelf.choose(new File([bundle], 'report.groundswell'));
    await tab.shelf.choose(new File([bundle], 'board.json'));
    expect(tab.bundles).toEqual(['report.groundswell', 'board.json']);
    expect(said(tab)).toEqual([]);
  });

  it.each([
    ['counts.csv', 'query,label,start_utc,end_utc\n', /holds counts, not a board\. Drop it/],
    ['cache.bin', archive('backup'), /is a backup of the cache, .* Settings, under Cache\.$/],
    ['posts.json', '[{"id":"1"}]', /is not a board \(\.groundswell-board\) or a bundle/],
    ['x.groundswell-board', 'PK…', /cannot be read as a board\./],
  ])('is named by its kind where it is none: %s', async (name, content, words) => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    await tab.shelf.choose(new File([content], name));
    expect(said(tab)).toEqual([expect.stringMatching(words)]);
    expect(said(tab)[0]).toContain(name);
    expect(tab.bundles).toEqual([]);
    expect(tab.shelf.list).toEqual([]);
  });
});

describe('saved boards on the page', () => {
  it('are changed only where what they show is: not by zoom and tab', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    expect(await tab.shelf.saveAs('Oat')).toBe(true);
    expect(tab.shelf.name).toBe('Oat');
    expect(tab.shelf.dirty).toBe(false);
    tab.board.now = { ...q('oat'), tab: 'table', zoom: { start: 0, end: 60_000 } };
    expect(tab.shelf.dirty).toBe(false);
    tab.board.now = q('rice');
    expect(tab.shelf.dirty).toBe(true);
    await tab.shelf.save();
    expect(tab.shelf.dirty).toBe(false);
    tab.notes.add({ start: 5, text: 'Launch' });
    expect(tab.shelf.dirty).toBe(true);
    expect(tab.workspace.view().board).toBe(tab.shelf.saved?.id);
  });

  it('get names of their own', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    await tab.shelf.saveAs('  Oat ');
    await tab.shelf.saveAs('Oat');
    await tab.shelf.duplicate();
    expect(tab.shelf.list?.map(({ name }) => name)).toEqual(['Oat', 'Oat 2', 'Oat 2 copy']);
    expect(tab.shelf.name).toBe('Oat 2 copy');
    await tab.shelf.rename(' ');
    expect(tab.shelf.name).toBe('Oat 2 copy');
  });

  it('are opened with all they hold; what was not saved can be restored', async () => {
    const tab = tabOf();
    const { was, ...plain } = PLANTS;
    void was;
    await tab.boards.save(plain);
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    tab.notes.add({ start: 5, text: 'Mine' });
    await tab.shelf.open('plants');
    expect(tab.board.now).toEqual(parseView(PLANTS.view).view);
    expect(tab.notes.written).toEqual(PLANTS.notes);
    expect(tab.workspace.state().fixed).toHaveLength(1);
    expect(tab.shelf.dirty).toBe(false);
    expect(said(tab)).toEqual(['Opened Plant drinks. The previous board was not saved.']);
    act(tab);
    expect(tab.board.now).toEqual(q('oat'));
    expect(tab.notes.written.map(({ text }) => text)).toEqual(['Mine']);
    expect(tab.shelf.saved).toBeNull();
  });

  it('are deleted with undo, and stay on the page', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    await tab.shelf.saveAs('Oat');
    const id = tab.shelf.saved?.id;
    const removed: { name: string; acts: { undo(): void; redo(): void } }[] = [];
    tab.shelf.onremoved = (name, acts) => removed.push({ name, acts });
    await tab.shelf.remove();
    expect(tab.shelf.saved).toBeNull();
    expect(tab.workspace.view().board).toBeUndefined();
    expect(tab.board.now).toEqual(q('oat'));
    expect(await tab.boards.list()).toEqual([]);
    act(tab);
    await tab.boards.settled();
    expect((await tab.boards.list()).map((one) => one.id)).toEqual([id]);
    expect(tab.shelf.saved?.id).toBe(id);
    expect(removed.map(({ name }) => name)).toEqual(['Oat']);
    removed[0]?.acts.redo();
    await tab.boards.settled();
    expect(await tab.boards.list()).toEqual([]);
    removed[0]?.acts.undo();
    await tab.boards.settled();
    expect((await tab.boards.list()).map((one) => one.id)).toEqual([id]);
    expect(removed).toHaveLength(1);
  });

  it('that came back and were saved anew stay as they are, whatever is undone and done again', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    await tab.shelf.saveAs('Oat');
    const id = tab.shelf.saved?.id ?? '';
    const removed: { undo(): void; redo(): void }[] = [];
    tab.shelf.onremoved = (_, acts) => removed.push(acts);
    await tab.shelf.remove();
    act(tab);
    await tab.boards.settled();
    tab.board.now = q('matcha');
    await tab.shelf.save();
    const kept = await tab.boards.board(id);
    for (const step of ['undo', 'redo'] as const) {
      removed[0]?.[step]();
      await tab.boards.settled();
      expect(await tab.boards.board(id)).toEqual(kept);
    }
  });

  it('of two tabs are never written over: what the other saved becomes a copy', async () => {
    const one = tabOf();
    await one.shelf.begin(null);
    one.board.now = q('oat');
    await one.shelf.saveAs('Oat');
    const two = tabOf(one.boards);
    two.board.now = q('oat');
    await two.shelf.begin({ board: one.shelf.saved?.id ?? '' });
    expect(two.shelf.name).toBe('Oat');
    await one.shelf.rename('Oats');
    await one.boards.settled();
    expect(two.shelf.name).toBe('Oats');
    expect(two.shelf.dirty).toBe(false);
    one.board.now = q('one');
    await one.shelf.save();
    await one.boards.settled();
    expect(said(two)).toEqual(['Oats was saved in another tab.']);
    expect(two.shelf.dirty).toBe(true);
    two.board.now = q('two');
    await two.shelf.save();
    await one.boards.settled();
    expect(two.shelf.list?.map(({ name }) => name)).toEqual(['Oats', 'Oats (other tab)']);
    const copy = two.shelf.list?.find(({ name }) => name !== 'Oats');
    expect((await two.boards.board(copy?.id ?? ''))?.view).toContain('q=one');
  });

  it('go to a file and come from one; what is none is refused by its name', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    await tab.shelf.saveAs('Oat: 1/2');
    await tab.shelf.exportOne();
    const [given] = tab.files;
    expect(given?.name).toBe('Oat 1 2.groundswell-board');
    const file = given?.file ?? new Blob();
    expect(await readBoard(file)).toEqual(tab.shelf.saved as SavedBoard);
    const other = tabOf();
    await other.shelf.begin(null);
    await other.shelf.importFile(new File([file], 'a.json'));
    expect(other.shelf.name).toBe('Oat: 1/2');
    expect(other.board.now).toEqual(q('oat'));
    await other.shelf.importFile(new File(['[]'], 'b.json'));
    expect(said(other).at(-1)).toBe(
      'b.json cannot be read as a board. It is not a file of Groundswell: it begins with other bytes.',
    );
  });

  it('with an id that this browser does not know are a view like any other', async () => {
    const tab = tabOf();
    tab.board.now = q('oat');
    await tab.shelf.begin({ ...q('oat'), board: 'elsewhere' });
    expect(tab.shelf.ready).toBe(true);
    expect(tab.workspace.view()).toEqual(q('oat'));
    await tab.shelf.arrive({ ...q('rice'), board: 'elsewhere' }, []);
    expect(tab.workspace.view()).toEqual(q('rice'));
  });

  it('bring back what was not saved before a reload', async () => {
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    await tab.shelf.begin(null);
    tab.notes.add({ start: 5, text: 'Launch' });
    expect(await tab.drafts.write(tab.workspace.state())).toBe(true);
    const again = tabOf(tab.boards, storage);
    await again.shelf.begin(null);
    expect(again.notes.written).toEqual(tab.notes.written);
    expect(await again.drafts.read('other')).toBeNull();
  });

  it('keep notes before anything else is done, files once they are packed, no file that was taken away', async () => {
    const [panel] = PLANTS.fixed as [FixedSeries];
    const other = { ...panel, label: 'Another panel' };
    const storage = storageOf();
    const notes = [{ id: 'a', start: 5, end: null, text: 'Launch' }];
    const drafts = new Drafts(storage);
    const writing = drafts.write({ board: null, notes, fixed: [panel] });
    expect(await new Drafts(storage).read(null)).toEqual({ board: null, notes, fixed: [] });
    expect(await writing).toBe(true);
    expect((await new Drafts(storage).read(null))?.fixed.map(fixedKey)).toEqual([fixedKey(panel)]);
    await drafts.write({ board: null, notes, fixed: [panel, other] });
    const less = drafts.write({ board: null, notes, fixed: [other] });
    expect((await new Drafts(storage).read(null))?.fixed.map(fixedKey)).toEqual([fixedKey(other)]);
    await less;
    expect((await new Drafts(storage).read(null))?.fixed.map(fixedKey)).toEqual([fixedKey(other)]);
    await drafts.write({ board: null, notes, fixed: [] });
    expect(await new Drafts(storage).read(null)).toEqual({ board: null, notes, fixed: [] });
    await drafts.write({ board: null, notes, fixed: [panel] });
    storage.setItem('groundswell-draft-files', 'damaged');
    expect(await new Drafts(storage).read(null)).toEqual({ board: null, notes, fixed: [] });
    drafts.clear();
    expect(await new Drafts(storage).read(null)).toBeNull();
  });

  it('say where there is no room, and keep what there is room for', async () => {
    const [panel] = PLANTS.fixed as [FixedSeries];
    const storage = storageOf();
    const small = {
      ...storage,
      setItem: (key: string, value: string) => {
        if (key.endsWith('files')) throw new DOMException('full', 'QuotaExceededError');
        storage.setItem(key, value);
      },
    };
    const notes = [{ id: 'a', start: 5, end: null, text: 'Launch' }];
    const drafts = new Drafts(small);
    expect(await drafts.write({ board: null, notes, fixed: [panel] })).toBe(false);
    expect(await drafts.read(null)).toEqual({ board: null, notes, fixed: [] });
    expect(await drafts.write({ board: null, notes, fixed: [] })).toBe(true);
  });

  it('are left behind where one goes on before they are read', async () => {
    const tab = tabOf();
    await tab.shelf.begin(null);
    tab.board.now = q('oat');
    await tab.shelf.saveAs('Oat');
    const oat = tab.workspace.view();
    tab.board.now = q('rice');
    await tab.shelf.saveAs('Rice');
    const rice = tab.workspace.view();
    await Promise.all([tab.shelf.arrive(oat, []), tab.shelf.arrive(rice, [])]);
    expect(tab.shelf.name).toBe('Rice');
    expect(tab.workspace.view()).toEqual(rice);
  });

  it('keep what is not saved out of a link, which is opened as it is', async () => {
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    await tab.shelf.begin(null);
    tab.notes.add({ start: 5, text: 'Mine' });
    tab.board.now = q('oat');
    expect(await tab.drafts.write(tab.workspace.state())).toBe(true);
    await tab.shelf.arrive(q('rice'), [], false);
    expect(tab.notes.written).toEqual([]);
    expect(said(tab)).toEqual(['Opened the link. The previous board was not saved.']);
    act(tab);
    expect(tab.notes.written.map(({ text }) => text)).toEqual(['Mine']);
    await tab.shelf.arrive(q('rye'), []);
    expect(tab.notes.written).toHaveLength(1);
    const other = tabOf(tab.boards, storage);
    await other.shelf.begin(q('rice'), [], false);
    expect(other.notes.written).toEqual([]);
  });

  it('bring back the files that an address names, and say which ones they do not have', async () => {
    const [panel] = PLANTS.fixed as [FixedSeries];
    const named = (file: string, label: string): View => ({
      ...q('oat'),
      series: [{ query: '', label, hidden: true, file }],
    });
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    expect(await tab.drafts.write({ board: null, notes: [], fixed: [panel] })).toBe(true);
    const again = tabOf(tab.boards, storage);
    await again.shelf.begin(named(fixedKey(panel), 'Our panel'), ['Not a zone.']);
    expect(again.board.now).toEqual(named(fixedKey(panel), 'Our panel'));
    expect(again.workspace.state().fixed.map(fixedKey)).toEqual([fixedKey(panel)]);
    expect(again.board.problems).toEqual(['Not a zone.']);
    await again.shelf.arrive(named('01234567', 'Theirs'), []);
    expect(again.board.problems).toEqual([
      '“Theirs” came from a file, which a link can’t contain. Open the file again to see it.',
    ]);
  });
});
