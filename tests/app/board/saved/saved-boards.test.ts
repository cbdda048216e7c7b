import { describe, expect, it } from 'vitest';
import { REPORT_START } from '#app/export/report.ts';
import { SavedBoardsState } from '#app/board/saved/saved-boards.svelte.ts';
import { Drafts } from '#app/board/saved/drafts.ts';
import { parseView, type View } from '#app/board/state/view.ts';
import { Workspace } from '#app/board/state/workspace.svelte.ts';
import { readBoard } from '#app/counts/files/board-file.ts';
import type { SavedBoard } from '#app/counts/cache/saved-board.ts';
import { KindSwitches } from '#app/events/event-kinds.svelte.ts';
import { Notes } from '#app/events/notes.svelte.ts';
import { Toasts } from '#app/ui/toasts.svelte.ts';
import { fixedKey, type FixedSeries } from '#core/series/imported-series.ts';
import { archiveOf } from '#tests/support/data/archives.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';
import { testCache } from '#tests/support/run/test-cache.ts';

/** A board that consists of its view only. */
class BareBoard {
  now: View = { source: 'sample', range: { preset: '1y' } };
  view(): View {
    return this.now;
  }
  problems: readonly string[] = [];
  readonly series: { fixed: readonly FixedSeries[] } = { fixed: [] };
  apply(view: View, problems: readonly string[]): void {
    this.now = view;
    this.problems = problems;
  }
}

function storageOf(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** The saved boards of a browser, and the tabs that listen to their changes. */
function browserOf() {
  const listeners: (() => void)[] = [];
  const { boards } = testCache({ onBoards: () => listeners.forEach((listener) => listener()) });
  return Object.assign(boards, {
    tabs: (): number => listeners.length,
    listen: (listener: () => void) => {
      listeners.push(listener);
      return () => void listeners.splice(listeners.indexOf(listener), 1);
    },
    /** Waits until every tab has read the changes. */
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
  const workspace = new Workspace(board, notes, new KindSwitches());
  const toasts = new Toasts(() => undefined);
  const files: { file: Blob; name: string }[] = [];
  const opened: string[] = [];
  const clock = { now: 1000 };
  const drafts = new Drafts(storage);
  const saved = new SavedBoardsState({
    boards,
    exchange: () => Promise.resolve(),
    onWritten: (listener) => boards.listen(listener),
    workspace,
    drafts,
    toasts,
    download: (file, name) => files.push({ file, name }),
    openOwn: async (file, kind) => {
      if (kind === 'board') await saved.importFile(file);
      else opened.push(`${kind} ${file.name}`);
    },
    newId,
    now: () => clock.now,
  });
  return { boards, board, notes, workspace, toasts, files, opened, clock, saved, drafts };
}

const messages = ({ toasts }: ReturnType<typeof tabOf>): string[] =>
  toasts.list.map(({ text }) => text);
const clickAction = ({ toasts }: ReturnType<typeof tabOf>): void =>
  toasts.list.at(-1)?.action?.act();
const viewOf = (query: string): View => ({
  source: 'sample',
  range: { preset: '1y' },
  series: [{ query, label: '', hidden: false }],
});

/** An archive whose manifest has this kind. */
const archive = (kind: string): Blob =>
  archiveOf([['manifest.json', new TextEncoder().encode(JSON.stringify({ groundswell: kind }))]]);

describe('a file chosen to be opened', () => {
  it('is recognised by its content, whatever its name', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    const bundle = archive('bundle');
    await tab.saved.choose(new File([bundle], 'report.groundswell'));
    await tab.saved.choose(new File([bundle], 'board.json'));
    await tab.saved.choose(new File([archive('backup')], 'cache.bin'));
    await tab.saved.choose(new File(['query,label,start_utc,end_utc\n'], 'counts.txt'));
    await tab.saved.choose(new File(['{"program":"Groundswell","version":1,'], 'counts'));
    await tab.saved.choose(new File([`${REPORT_START}\n<html>`], 'page'));
    expect(tab.opened).toEqual([
      'bundle report.groundswell',
      'bundle board.json',
      'backup cache.bin',
      'counts counts.txt',
      'json counts',
      'report page',
    ]);
    expect(messages(tab)).toEqual([]);
  });

  it.each([
    ['posts.json', '[{"id":"1"}]', /is not a file that Groundswell wrote/],
    ['photo.png', '\u0089PNG', /\(image\/png\) is not a file that Groundswell wrote/],
    ['x.groundswell-board', 'PK…', /cannot be read as a board\./],
  ])('is rejected with its actual kind: %s', async (name, content, words) => {
    const tab = tabOf();
    await tab.saved.begin(null);
    const type = name.endsWith('.png') ? 'image/png' : '';
    await tab.saved.choose(new File([content], name, { type }));
    expect(messages(tab)).toEqual([expect.stringMatching(words)]);
    expect(messages(tab)[0]).toContain(name);
    expect(tab.opened).toEqual([]);
    expect(tab.saved.list).toEqual([]);
  });
});

describe('saved boards on the page', () => {
  it('become unsaved through changes to what they store, not through zoom and tab', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    expect(await tab.saved.saveAs('Oat')).toBe(true);
    expect(tab.saved.name).toBe('Oat');
    expect(tab.saved.dirty).toBe(false);
    tab.board.now = { ...viewOf('oat'), tab: 'table', zoom: { start: 0, end: 60_000 } };
    expect(tab.saved.dirty).toBe(false);
    tab.board.now = viewOf('rice');
    expect(tab.saved.dirty).toBe(true);
    await tab.saved.save();
    expect(tab.saved.dirty).toBe(false);
    tab.notes.add({ start: 5, text: 'Launch' });
    expect(tab.saved.dirty).toBe(true);
    expect(tab.workspace.view().board).toBe(tab.saved.saved?.id);
  });

  it('get unique names', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    await tab.saved.saveAs('  Oat ');
    await tab.saved.saveAs('Oat');
    await tab.saved.duplicate();
    expect(tab.saved.list?.map(({ name }) => name)).toEqual(['Oat', 'Oat 2', 'Oat 2 copy']);
    expect(tab.saved.name).toBe('Oat 2 copy');
    await tab.saved.rename(' ');
    expect(tab.saved.name).toBe('Oat 2 copy');
  });

  it('open completely, and an unsaved board can be restored', async () => {
    const tab = tabOf();
    const { was, ...plain } = PLANTS;
    void was;
    await tab.boards.save(plain);
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    tab.notes.add({ start: 5, text: 'Mine' });
    await tab.saved.open('plants');
    expect(tab.board.now).toEqual(parseView(PLANTS.view).view);
    expect(tab.notes.written).toEqual(PLANTS.notes);
    expect(tab.workspace.state().fixed).toHaveLength(1);
    expect(tab.saved.dirty).toBe(false);
    expect(messages(tab)).toEqual(['Opened Plant drinks. The previous board was not saved.']);
    clickAction(tab);
    expect(tab.board.now).toEqual(viewOf('oat'));
    expect(tab.notes.written.map(({ text }) => text)).toEqual(['Mine']);
    expect(tab.saved.saved).toBeNull();
  });

  it('stay on the page when deleted, and can be restored', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    await tab.saved.saveAs('Oat');
    const id = tab.saved.saved?.id;
    const removed: { name: string; acts: { undo(): void; redo(): void } }[] = [];
    tab.saved.onremoved = (name, acts) => removed.push({ name, acts });
    await tab.saved.remove();
    expect(tab.saved.saved).toBeNull();
    expect(tab.workspace.view().board).toBeUndefined();
    expect(tab.board.now).toEqual(viewOf('oat'));
    expect(await tab.boards.list()).toEqual([]);
    expect(messages(tab)).toEqual(['Deleted the board Oat. The page still shows it.']);
    removed[0]?.acts.undo();
    await tab.boards.settled();
    expect(messages(tab)).toEqual([]);
    expect((await tab.boards.list()).map((summary) => summary.id)).toEqual([id]);
    expect(tab.saved.saved?.id).toBe(id);
    expect(removed.map(({ name }) => name)).toEqual(['Oat']);
    removed[0]?.acts.redo();
    await tab.boards.settled();
    expect(await tab.boards.list()).toEqual([]);
    removed[0]?.acts.undo();
    await tab.boards.settled();
    expect((await tab.boards.list()).map((summary) => summary.id)).toEqual([id]);
    expect(removed).toHaveLength(1);
  });

  it('that were restored and saved again ignore later undo and redo of the deletion', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    await tab.saved.saveAs('Oat');
    const id = tab.saved.saved?.id ?? '';
    const removed: { undo(): void; redo(): void }[] = [];
    tab.saved.onremoved = (_, acts) => removed.push(acts);
    await tab.saved.remove();
    clickAction(tab);
    await tab.boards.settled();
    tab.board.now = viewOf('matcha');
    await tab.saved.save();
    const stored = await tab.boards.board(id);
    for (const step of ['undo', 'redo'] as const) {
      removed[0]?.[step]();
      await tab.boards.settled();
      expect(await tab.boards.board(id)).toEqual(stored);
    }
  });

  it('are never overwritten by another tab: the other tab’s version becomes a copy', async () => {
    const one = tabOf();
    await one.saved.begin(null);
    one.board.now = viewOf('oat');
    await one.saved.saveAs('Oat');
    const two = tabOf(one.boards);
    two.board.now = viewOf('oat');
    await two.saved.begin({ board: one.saved.saved?.id ?? '' });
    expect(two.saved.name).toBe('Oat');
    await one.saved.rename('Oats');
    await one.boards.settled();
    expect(two.saved.name).toBe('Oats');
    expect(two.saved.dirty).toBe(false);
    one.board.now = viewOf('one');
    await one.saved.save();
    await one.boards.settled();
    expect(messages(two)).toEqual(['Oats was saved elsewhere.']);
    expect(two.saved.dirty).toBe(true);
    two.board.now = viewOf('two');
    await two.saved.save();
    await one.boards.settled();
    expect(two.saved.list?.map(({ name }) => name)).toEqual(['Oats', 'Oats (other version)']);
    const copy = two.saved.list?.find(({ name }) => name !== 'Oats');
    expect((await two.boards.board(copy?.id ?? ''))?.view).toContain('q=one');
  });

  it('are exported and imported; invalid files are rejected by name', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    await tab.saved.saveAs('Oat: 1/2');
    await tab.saved.exportOne();
    const [given] = tab.files;
    expect(given?.name).toBe('Oat 1 2.groundswell-board');
    const file = given?.file ?? new Blob();
    expect(await readBoard(file)).toEqual(tab.saved.saved as SavedBoard);
    const other = tabOf();
    await other.saved.begin(null);
    await other.saved.importFile(new File([file], 'a.json'));
    expect(other.saved.name).toBe('Oat: 1/2');
    expect(other.board.now).toEqual(viewOf('oat'));
    await other.saved.importFile(new File(['[]'], 'b.json'));
    expect(messages(other).at(-1)).toBe(
      'b.json cannot be read as a board. It is not a Groundswell file: it begins with other bytes.',
    );
  });

  it('with an unknown id open as an ordinary view', async () => {
    const tab = tabOf();
    tab.board.now = viewOf('oat');
    await tab.saved.begin({ ...viewOf('oat'), board: 'elsewhere' });
    expect(tab.saved.ready).toBe(true);
    expect(tab.workspace.view()).toEqual(viewOf('oat'));
    await tab.saved.arrive({ ...viewOf('rice'), board: 'elsewhere' }, []);
    expect(tab.workspace.view()).toEqual(viewOf('rice'));
  });

  it('restore unsaved notes after a reload', async () => {
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    await tab.saved.begin(null);
    tab.notes.add({ start: 5, text: 'Launch' });
    expect(await tab.drafts.write(tab.workspace.state())).toBe(true);
    const again = tabOf(tab.boards, storage);
    await again.saved.begin(null);
    expect(again.notes.written).toEqual(tab.notes.written);
    expect(await again.drafts.read('other')).toBeNull();
  });

  it('draft notes at once, files once they are packed, and drop removed files', async () => {
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

  it('report a full storage, and draft what fits', async () => {
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

  it('are not shown if another is opened before they are read', async () => {
    const tab = tabOf();
    await tab.saved.begin(null);
    tab.board.now = viewOf('oat');
    await tab.saved.saveAs('Oat');
    const oat = tab.workspace.view();
    tab.board.now = viewOf('rice');
    await tab.saved.saveAs('Rice');
    const rice = tab.workspace.view();
    await Promise.all([tab.saved.arrive(oat, []), tab.saved.arrive(rice, [])]);
    expect(tab.saved.name).toBe('Rice');
    expect(tab.workspace.view()).toEqual(rice);
  });

  it('keep unsaved notes out of a link, which opens unchanged', async () => {
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    await tab.saved.begin(null);
    tab.notes.add({ start: 5, text: 'Mine' });
    tab.board.now = viewOf('oat');
    expect(await tab.drafts.write(tab.workspace.state())).toBe(true);
    await tab.saved.arrive(viewOf('rice'), [], false);
    expect(tab.notes.written).toEqual([]);
    expect(messages(tab)).toEqual(['Opened the link. The previous board was not saved.']);
    clickAction(tab);
    expect(tab.notes.written.map(({ text }) => text)).toEqual(['Mine']);
    await tab.saved.arrive(viewOf('rye'), []);
    expect(tab.notes.written).toHaveLength(1);
    const other = tabOf(tab.boards, storage);
    await other.saved.begin(viewOf('rice'), [], false);
    expect(other.notes.written).toEqual([]);
  });

  it('restore the files that an address names, and report missing ones', async () => {
    const [panel] = PLANTS.fixed as [FixedSeries];
    const named = (file: string, label: string): View => ({
      ...viewOf('oat'),
      series: [{ query: '', label, hidden: true, file }],
    });
    const storage = storageOf();
    const tab = tabOf(undefined, storage);
    expect(await tab.drafts.write({ board: null, notes: [], fixed: [panel] })).toBe(true);
    const again = tabOf(tab.boards, storage);
    await again.saved.begin(named(fixedKey(panel), 'Our panel'), ['Not a zone.']);
    expect(again.board.now).toEqual(named(fixedKey(panel), 'Our panel'));
    expect(again.workspace.state().fixed.map(fixedKey)).toEqual([fixedKey(panel)]);
    expect(again.board.problems).toEqual(['Not a zone.']);
    await again.saved.arrive(named('01234567', 'Theirs'), []);
    expect(again.board.problems).toEqual([
      '“Theirs” came from a file, which a link can’t contain. Open the file again to see it.',
    ]);
  });
});
