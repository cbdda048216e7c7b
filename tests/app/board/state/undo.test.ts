import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History } from '#app/board/state/undo.svelte.ts';
import { Workspace } from '#app/board/state/workspace.svelte.ts';
import { formatView } from '#app/board/state/view.ts';
import { KindSwitches } from '#app/events/event-kinds.svelte.ts';
import { Notes } from '#app/events/notes.svelte.ts';
import { PAIR_NAMES, pairOf } from '#tests/core/series/formulas.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { runs } from '#tests/support/run/runs.ts';
import { PLANTS } from '#tests/support/data/inventory-laws.ts';
import { askedRun } from '#tests/app/board/asked-run.ts';
import { boardOf, given, sourceOf } from '#tests/app/board/counted-board.ts';

const [PANEL] = PLANTS.fixed as [FixedSeries];
const PAUSE = 5_000;

async function openBoard(
  series: readonly string[] = ['matcha', 'oat'],
  source: 'posts' | 'platform' = 'posts',
) {
  const own = { first: '2014-07-12T10:00:00Z', last: '2017-09-30T10:00:00Z' };
  const sources = (['sample', 'posts', 'platform'] as const).map((id) => sourceOf(id, own));
  const { board, runs } = boardOf(() => askedRun(), {
    sources: given(...sources),
    later: (act) => act(),
  });
  board.apply(
    {
      source,
      range: { from: '2016-01-01', to: '2016-12-31' },
      series: series.map((query) => ({ query, label: '', hidden: false })),
    },
    [],
  );
  await board.loadSources();
  let ids = 0;
  const notes = new Notes(() => `n${(ids += 1)}`);
  const kinds = new KindSwitches();
  const workspace = new Workspace(board, notes, kinds);
  const clock = { now: 0 };
  const history = new History(
    workspace,
    () => clock.now,
    (id) => `Board ${id}`,
  );
  history.record();
  return { board, notes, kinds, workspace, history, clock, runs };
}
type Opened = Awaited<ReturnType<typeof openBoard>>;

const one = (d: Opened, n: number) =>
  d.board.series.all[n % Math.max(1, d.board.series.all.length)];
const first = Date.UTC(2016, 2, 1);

/** Changes that a user can make; the number selects the target or value. */
const CHANGES: Readonly<Record<string, (d: Opened, n: number) => void>> = {
  add: ({ board }, n) =>
    void board.series.add({ query: `q${n}`, label: n % 2 ? `Name ${n}` : '', hidden: false }),
  paste: ({ board }, n) => board.series.paste([`p${n}`, `r${n}`]),
  remove: (d, n) => {
    const gone = one(d, n);
    if (gone) d.board.series.remove(gone);
  },
  type: (d, n) => {
    const typed = one(d, n);
    if (typed) d.board.type(typed, `${typed.text}${n}`);
  },
  clear: (d, n) => {
    const typed = one(d, n);
    if (typed) d.board.type(typed, '');
  },
  enter: (d, n) => {
    const typed = one(d, n);
    if (typed) d.board.commit(typed);
  },
  duplicate: (d, n) => {
    const copied = one(d, n);
    if (copied) d.board.series.duplicate(copied);
  },
  name: (d, n) => {
    const named = one(d, n);
    if (named) named.label = `L${n}`;
  },
  hide: (d, n) => {
    const hidden = one(d, n);
    if (hidden) hidden.hidden = !hidden.hidden;
  },
  solo: (d, n) => {
    const alone = one(d, n);
    if (alone) d.board.series.solo(alone);
  },
  reorder: ({ board }) => (board.series.all = board.series.all.toReversed()),
  preset: ({ board }, n) => board.choosePreset(n % 2 ? '30d' : '1y'),
  range: ({ board }, n) => board.chooseRange({ from: '2016-02-01', to: `2016-0${3 + (n % 5)}-01` }),
  zone: ({ board }, n) => board.chooseZone(n % 2 ? 'Asia/Tokyo' : 'Europe/Berlin'),
  resolution: ({ board }, n) => board.chooseResolution(n % 2 ? 'week' : 'month'),
  zoom: ({ board }, n) => {
    const { start, end } = board.time.span;
    board.time.zoom = n % 3 ? { start: start + n * 60_000, end: end - n * 60_000 } : null;
  },
  source: ({ board }, n) =>
    board.chooseSource((['sample', 'posts', 'platform'] as const)[n % 3] ?? 'posts'),
  note: ({ notes }, n) => void notes.add({ start: first + n, text: `Note ${n}` }),
  noteless: ({ notes }, n) => void notes.add({ start: first + n }),
  rewrite: ({ notes }, n) => {
    const note = notes.list[n % Math.max(1, notes.list.length)];
    if (note) notes.edit(note.id, { text: `Other ${n}` });
  },
  unnote: ({ notes }, n) => {
    const note = notes.list[n % Math.max(1, notes.list.length)];
    if (note) notes.remove(note.id);
  },
  kind: ({ kinds }, n) =>
    kinds.turn(n % 2 ? 'note' : 'story', !kinds.on.includes(n % 2 ? 'note' : 'story')),
  file: ({ board }, n) =>
    void board.series.addFixed(n % 2 ? PLANTS.fixed : [{ ...PANEL, label: `F${n}` }]),
  compute: (d, n) => {
    const [a, b] = [one(d, n), one(d, n + 1)];
    if (a && b) d.board.series.compute(pairOf(PAIR_NAMES[n % 4] ?? 'sum', a.id, b.id));
  },
  tab: ({ board }, n) => (board.tab = n % 2 ? 'table' : 'summary'),
  view: ({ board }, n) =>
    board.apply(
      {
        source: 'posts',
        range: { preset: '3y' },
        series: [{ query: `v${n}`, label: '', hidden: false }],
      },
      [],
    ),
};

/** Everything that undo can restore, as text. */
function stateOf({ workspace, board: { series } }: Opened): string {
  const { board, notes, fixed } = workspace.state();
  const { tab, ...view } = workspace.view();
  void tab;
  return JSON.stringify([
    board,
    formatView(view),
    notes,
    fixed.map(({ label }) => label),
    series.all.filter(({ kind }) => kind === 'file').map(({ name }) => name),
  ]);
}

const change = fc.tuple(
  fc.constantFrom(...Object.keys(CHANGES)),
  fc.nat(8),
  fc.constantFrom(0, 300, PAUSE),
);

/** Changes that send no query: no Enter, no link, and no source that is free. */
const IDLE = Object.keys(CHANGES).filter(
  (name) => !['enter', 'add', 'view', 'source', 'file'].includes(name),
);

describe('on a source that costs money', () => {
  it('a query that was only typed is never requested, despite undo, reload and other changes', async () => {
    const idle = fc.tuple(
      fc.constantFrom(...IDLE, 'type', 'paste', 'undo', 'redo', 'reload', 'refresh', 'leave'),
      fc.nat(8),
      fc.constantFrom(0, PAUSE),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(idle, { maxLength: 20 }), async (changes) => {
        const d = await openBoard(['matcha', 'oat'], 'platform');
        for (const [name, n, pause] of changes) {
          d.clock.now += pause;
          const target = one(d, n);
          if (name === 'undo') d.history.undo();
          else if (name === 'redo') d.history.redo();
          else if (name === 'reload') d.workspace.show(d.workspace.state());
          else if (name === 'refresh') d.board.refresh();
          else if (name === 'leave' && target) d.board.leave(target);
          else CHANGES[name]?.(d, n);
          d.history.record();
        }
        const requested = d.runs.flatMap(({ needs }) => needs.map(({ query }) => query));
        expect(requested.filter((query) => !['matcha', 'oat'].includes(query))).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('the history of a board', () => {
  it('returns to the first view with enough undos, and to the last with as many redos', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 14 }), async (changes) => {
        const d = await openBoard();
        const states = [stateOf(d)];
        for (const [name, n, pause] of changes) {
          d.clock.now += pause;
          CHANGES[name]?.(d, n);
          d.history.record();
          states.push(stateOf(d));
        }
        let steps = 0;
        while (d.history.undo() !== null) {
          expect(states).toContain(stateOf(d));
          steps += 1;
        }
        expect(steps).toBeLessThanOrEqual(changes.length);
        expect(stateOf(d)).toBe(states[0]);
        let redone = 0;
        while (d.history.redo() !== null) redone += 1;
        expect(redone).toBe(steps);
        expect(stateOf(d)).toBe(states.at(-1));
      }),
      { numRuns: runs(100) },
    );
  });

  it('labels each step', async () => {
    const d = await openBoard();
    const labelAfter = (act: () => void): string | null => {
      d.clock.now += PAUSE;
      act();
      d.history.record();
      return d.history.undoWords;
    };
    expect(d.history.undoWords).toBeNull();
    expect(labelAfter(() => d.board.chooseZone('Asia/Tokyo'))).toBe('time zone changed to Tokyo');
    expect(labelAfter(() => d.board.series.remove(one(d, 1)!))).toBe('removed oat');
    expect(labelAfter(() => d.workspace.show({ ...PLANTS, board: 'x' }))).toBe('opened Board x');
  });

  it('includes actions outside the view as steps between those of the view', async () => {
    const d = await openBoard();
    const calls: string[] = [];
    d.board.chooseZone('Asia/Tokyo');
    d.history.record();
    d.history.did('deleted the board Drinks', {
      undo: () => calls.push('back'),
      redo: () => calls.push('again'),
    });
    expect(d.history.undoWords).toBe('deleted the board Drinks');
    expect(d.history.undo()).toBe('deleted the board Drinks');
    expect([calls, d.board.time.zone]).toEqual([['back'], 'Asia/Tokyo']);
    expect(d.history.undo()).toBe('time zone changed to Tokyo');
    expect(d.board.time.zone).toBe('UTC');
    d.history.redo();
    expect(d.history.redo()).toBe('deleted the board Drinks');
    expect([calls, d.board.time.zone]).toEqual([['back', 'again'], 'Asia/Tokyo']);
    expect(d.history.redo()).toBeNull();
  });

  it('merges typing without a pause into one step, and starts another after a pause', async () => {
    const d = await openBoard();
    const series = d.board.series.add();
    for (const text of ['c', 'co', 'cof']) {
      d.clock.now += 200;
      d.board.type(series, text);
      d.history.record();
    }
    expect(d.history.undoWords).toBe('added cof');
    d.clock.now += PAUSE;
    d.board.type(series, 'coffee');
    d.history.record();
    expect(d.history.undo()).toBe('changed the query of cof');
    expect(d.history.undo()).toBe('added cof');
    expect(d.history.undoWords).toBeNull();
    expect(d.history.redoWords).toBe('added cof');
  });

  it('forgets undone steps after a new change, and does not change the tab', async () => {
    const d = await openBoard();
    d.board.chooseZone('Asia/Tokyo');
    d.history.record();
    d.board.tab = 'table';
    d.history.record();
    expect(d.history.undo()).toBe('time zone changed to Tokyo');
    expect(d.board.tab).toBe('table');
    d.board.choosePreset('1y');
    d.history.record();
    expect(d.history.redo()).toBeNull();
  });

  it('keeps the counts of series that remain', async () => {
    const d = await openBoard();
    const [matcha] = d.board.series.all;
    d.board.series.add({ query: 'tea', label: '', hidden: false });
    d.history.record();
    d.history.undo();
    expect(d.board.series.all[0]).toBe(matcha);
    expect(d.board.series.all).toHaveLength(2);
  });
});
