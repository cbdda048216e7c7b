import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMS, SCALES, COMPARISONS, type Trend } from '#app/chart/draw/form.ts';
import { recompute } from '#app/board/series/combining.ts';
import type { Board } from '#app/board/state/board.svelte.ts';
import { bucketsInView } from '#app/board/files/export-input.ts';
import { SAMPLE_SERIES } from '#app/board/state/board-options.ts';
import { formatView, parseView, TABS, type View, type ViewSeries } from '#app/board/state/view.ts';
import { compute } from '#core/series/combine.ts';
import { checkFormula } from '#core/series/check-formula.ts';
import { seriesIn, type Formula } from '#core/series/formula.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { STATE } from '#core/series/series.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { PAIR_NAMES, pairOf } from '#tests/core/series/formulas.ts';
import { runs } from '#tests/support/run/runs.ts';
import { countedBoard, inHour } from '#tests/app/board/counted-board.ts';

const query = (text: string, label = '', hidden = false): ViewSeries => ({
  query: text,
  label,
  hidden,
});
const START = Date.UTC(2026, 2, 1);
const MARCH = { from: '2026-03-01', to: '2026-03-31' };
const TEN_DAYS = { from: '2026-03-01', to: '2026-03-10' };

/** A file of days in March. */
const file = (label: string, counts: readonly number[] = [5, 7, 9]): FixedSeries => ({
  label,
  query: `${label} asked`,
  source: 'a panel',
  ...curveOf(counts, { start: START, width: DAY_MS }),
});

const names = (board: { series: { all: readonly { name: string }[] } }): string[] =>
  board.series.all.map(({ name }) => name);

describe('series of files', () => {
  it('take the places that a bundle gives them, and can be parts of formulas', async () => {
    const { board } = await countedBoard({ range: MARCH, resolution: 'day', series: [] });
    const panel = file('Panel');
    board.apply(
      {
        source: 'sample',
        zone: 'UTC',
        range: MARCH,
        resolution: 'day',
        series: [
          {
            query: '',
            label: 'Ratio',
            hidden: false,
            formula: pairOf('quotient', 2, 3),
          },
          query('panel asked', 'Panel'),
          query('tea'),
        ],
      },
      [],
      new Map([[1, panel]]),
    );
    expect(names(board)).toEqual(['Ratio', 'Panel', 'tea']);
    expect(board.series.all.map(({ kind }) => kind)).toEqual(['formula', 'file', 'query']);
    expect(board.series.all[1]?.fixed).toBe(panel);
    const [ratio, of, tea] = board.series.all.map(({ curve }) => [...(curve?.counts ?? [])]);
    expect(of?.slice(0, 4)).toEqual([5, 7, 9, Number.NaN]);
    expect(ratio?.slice(0, 3)).toEqual([0, 1, 2].map((i) => (of?.[i] ?? 0) / (tea?.[i] ?? 0)));
  });

  it('mark days cut by the range as unfinished, even if the chart shows hours', async () => {
    const range = { from: '2026-03-01 10:00', to: '2026-03-03' };
    const { board } = await countedBoard({ range, resolution: 'hour', series: [] });
    const hours = curveOf(Array<number>(96).fill(2), { start: START, width: HOUR_MS });
    const [panel] = board.series.addFixed([{ ...file('Panel'), ...hours }]);
    const { edges, cut } = board.time.cutBy('day');
    const days = panel?.curveBy(edges.all, cut);
    expect([...(days?.counts ?? [])]).toEqual([28, 48, 48]);
    expect([...(days?.states ?? [])]).toEqual([STATE.partial, STATE.settled, STATE.settled]);
  });

  it('stay at the end when a view without files is applied, and go when a bundle is opened', async () => {
    const { board } = await countedBoard({ range: MARCH, series: [query('tea')] });
    const [panel] = board.series.addFixed([file('Panel')]);
    board.apply({ ...board.view(), series: [query('cocoa'), query('tea')] }, []);
    expect(names(board)).toEqual(['cocoa', 'tea', 'Panel']);
    expect(board.series.all[2]).toBe(panel);
    board.apply(board.view(), [], new Map([[0, file('Other')]]));
    expect(board.series.all.map(({ kind }) => kind)).toEqual(['file', 'query']);
    expect(board.series.fixed.map(({ label }) => label)).toEqual(['Other']);
  });

  it('are named in the address, as are formulas of them, however deeply nested', async () => {
    const { board } = await countedBoard({ range: MARCH, series: [query('tea'), query('cocoa')] });
    const [panel] = board.series.addFixed([file('Panel')]);
    const [tea, cocoa] = board.series.all;
    if (!panel || !tea || !cocoa) throw new Error('expected three series');
    const sum = board.series.compute(pairOf('sum', tea.id, panel.id));
    board.series.compute(pairOf('quotient', sum.id, cocoa.id));
    const part = board.series.compute(pairOf('part', cocoa.id, tea.id));
    board.series.move(part, -9);
    panel.label = 'Our panel';
    const view = formatView(board.view());
    expect(view).toMatch(
      /calc=C\/%28C%2BB%29&style=6&q=tea&style=1&q=cocoa&style=2&file=[0-9a-f]{8}&name=Our\+panel&style=3&calc=B%2BD&style=4&calc=E\/C&style=5$/,
    );
    const shown = names(board);
    board.apply({ ...board.view(), series: [query('tea')] }, []);
    expect(names(board)).toEqual(['tea', 'Our panel']);
    board.apply(parseView(view).view, []);
    expect(names(board)).toEqual(shown);
    expect(board.series.all[3]).toBe(panel);
    expect(board.series.withViews(true).map(({ view }) => view.formula ?? view.query)).toEqual([
      pairOf('part', 3, 2),
      'tea',
      'cocoa',
      'Panel asked',
      pairOf('sum', 2, 4),
      pairOf('quotient', 5, 3),
    ]);
  });
});

describe('a removal', () => {
  it('includes all formulas of the series, in any order, and undo restores them', () => {
    const chain = fc.record({
      picks: fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom(...PAIR_NAMES)), {
        maxLength: 6,
      }),
      moves: fc.array(fc.tuple(fc.nat(), fc.integer({ min: -6, max: 6 })), { maxLength: 6 }),
      gone: fc.nat(),
    });
    return fc.assert(
      fc.asyncProperty(chain, async ({ picks, moves, gone }) => {
        const { board } = await countedBoard({
          range: MARCH,
          series: ['a', 'bb', 'ccc'].map((text) => query(text)),
        });
        const at = (n: number) => {
          const series = board.series.all[n % board.series.all.length];
          if (!series) throw new Error('expected a series');
          return series;
        };
        for (const [a, b, operation] of picks)
          if (at(a) !== at(b)) board.series.compute(pairOf(operation, at(a).id, at(b).id));
        for (const [n, by] of moves) board.series.move(at(n), by);
        const before = formatView(board.view());
        const undo = board.series.remove(at(gone));
        const remaining = new Set(board.series.all.map(({ id }) => id));
        for (const { formula } of board.series.all) {
          if (formula) expect(seriesIn(formula).every((id) => remaining.has(id))).toBe(true);
        }
        undo();
        expect(formatView(board.view())).toBe(before);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a computed series', () => {
  const typed = (text: string, board: Board): Formula<number> => {
    const checked = checkFormula(text, board.series.all);
    if (!checked.ok) throw new Error(checked.diagnostic.message);
    return checked.formula;
  };

  it('keeps its series when they are moved or renamed, and goes with any of them', async () => {
    const { board } = await countedBoard({
      range: MARCH,
      series: ['tea', 'cocoa', 'mate'].map((text) => query(text)),
    });
    const made = board.series.compute(typed('100 * (A + B) / (A + B + C)', board));
    const [tea, cocoa, mate] = board.series.all;
    if (!tea || !cocoa || !mate) throw new Error('expected three series');
    const before = [...(made.curve?.counts ?? [])];
    expect(before.some((count) => count > 0)).toBe(true);
    board.series.move(mate, -2);
    tea.label = 'Green tea';
    expect(made.name).toBe('100 × (Green tea + cocoa) ÷ (Green tea + cocoa + mate)');
    expect(formatView(board.view())).toContain(
      new URLSearchParams({ calc: '100*(B+C)/(B+C+A)' }).toString().replaceAll('%2F', '/'),
    );
    expect([...(made.curve?.counts ?? [])]).toEqual(before);
    const undo = board.series.remove(cocoa);
    expect(names(board)).toEqual(['mate', 'Green tea']);
    undo();
    expect(board.series.all.at(-1)).toBe(made);
  });

  it('takes another formula, but none that contains it', async () => {
    const { board } = await countedBoard({ range: MARCH, series: [query('tea'), query('cocoa')] });
    const sum = board.series.compute(typed('A + B', board));
    const more = board.series.compute(typed('C / 2', board));
    recompute(board, sum, typed('A / B', board));
    expect([sum.name, sum.unit, more.name]).toEqual(['tea ÷ cocoa', 'ratio', '(tea ÷ cocoa) ÷ 2']);
    const address = formatView(board.view());
    expect(() => recompute(board, sum, typed('A + D', board))).toThrow(RangeError);
    expect(() => recompute(board, sum, typed('A + C', board))).toThrow(RangeError);
    expect(formatView(board.view())).toBe(address);
    // An address can claim what the board refuses.
    board.apply(parseView('q=tea&calc=A%2BC&calc=B/A').view, []);
    expect(names(board)).toEqual(['tea']);
  });

  it('applies its operation to the counts of every bucket, in the range and in a zoom', async () => {
    const { board, rest } = await countedBoard({
      range: MARCH,
      resolution: 'day',
      series: [query('tea'), query('cold brew')],
    });
    const [tea, brew] = board.series.all;
    if (!tea || !brew) throw new Error('expected two series');
    const computed = PAIR_NAMES.map((operation) => ({
      operation,
      one: board.series.compute(pairOf(operation, tea.id, brew.id)),
    }));
    const check = (hours: number): void => {
      for (const { operation, one } of computed) {
        const { curve } = one;
        expect(curve?.bounds).toBe(tea.curve?.bounds);
        expect(((curve?.bounds[1] ?? 0) - (curve?.bounds[0] ?? 0)) / HOUR_MS).toBe(hours);
        const expected = Array.from(curve?.counts ?? [], (_, i) => {
          const [start = 0, end = 0] = [curve?.bounds[i], curve?.bounds[i + 1]];
          let [a, b] = [0, 0];
          for (let at = start; at < end; at += HOUR_MS) {
            a += inHour('tea', at);
            b += inHour('cold brew', at);
          }
          return compute(pairOf(operation, 'a', 'b'), (of) => (of === 'a' ? a : b));
        });
        expect([...(curve?.counts ?? [])]).toEqual(expected);
      }
    };
    check(24);
    board.time.zoom = { start: START + 3 * DAY_MS, end: START + 6 * DAY_MS };
    await rest();
    check(1);
    board.time.zoom = null;
    board.chooseResolution('hour');
    check(1);
  });
});

describe('a name generated for a query', () => {
  const type = async (made: Awaited<ReturnType<typeof countedBoard>>, n: number, text: string) => {
    const series = made.board.series.all[n];
    if (!series) throw new Error('expected a series');
    made.board.type(series, text);
    await made.rest();
  };
  /** The names that another page shows for the address, and the labels in a file. */
  const namesElsewhere = async ({ board }: { board: Board }): Promise<string[][]> => {
    const { view } = parseView(formatView(board.view()));
    const other = (await countedBoard(view)).board;
    expect(names(other)).toEqual(names(board));
    return [names(board), bucketsInView(board).series.map(({ label }) => label)];
  };

  it('disappears when the query changes, also in files and on other pages; a user’s name stays', async () => {
    const from = [...SAMPLE_SERIES.slice(1), query('tea', 'Our tea')];
    const made = await countedBoard({ range: MARCH, series: from });
    const before = ['Matcha', 'Cold brew', 'Our tea'];
    expect(await namesElsewhere(made)).toEqual([before, before]);
    await type(made, 0, '"bubble tea"');
    await type(made, 2, 'chai');
    const after = ['"bubble tea"', 'Cold brew', 'Our tea'];
    expect(await namesElsewhere(made)).toEqual([after, after]);
    await type(made, 0, 'matcha');
    expect(names(made.board)[0]).toBe('Matcha');
    const [matcha] = made.board.series.all;
    if (!matcha) throw new Error('expected a series');
    matcha.label = 'Green';
    await type(made, 0, 'hojicha');
    expect(await namesElsewhere(made)).toMatchObject([['Green', 'Cold brew', 'Our tea'], {}]);
  });

  it('also disappears if a copy, a split or a combination generated it', async () => {
    const made = await countedBoard({ range: MARCH, series: [query('tea', 'Tea')] });
    const { board } = made;
    const [tea] = board.series.all;
    if (!tea) throw new Error('expected a series');
    board.series.duplicate(tea);
    board.series.addQueries([
      { query: 'tea lang:en', label: 'Tea: English' },
      { query: 'tea OR oat', label: 'Tea ∪ Oat' },
    ]);
    board.series.paste(['mate']);
    const before = ['Tea', 'Tea copy', 'Tea: English', 'Tea ∪ Oat', 'mate'];
    expect(await namesElsewhere(made)).toEqual([before, before]);
    for (const n of [1, 2, 3, 4]) await type(made, n, `q${n}`);
    expect(names(board)).toEqual(['Tea', 'q1', 'q2', 'q3', 'q4']);
    // A round trip through the address preserves the names.
    board.apply(parseView(formatView(board.view())).view, []);
    await type(made, 0, 'q0');
    expect(names(board)).toEqual(['Tea', 'q1', 'q2', 'q3', 'q4']);
  });

  it('is recognized in old unmarked boards by equalling what the query generates', async () => {
    const old = `source=sample&range=1y&q=matcha&name=Matcha&q=tea&name=tea&q=oat&name=Matcha`;
    const made = await countedBoard(parseView(old).view);
    for (const n of [0, 1, 2]) await type(made, n, `q${n}`);
    expect(names(made.board)).toEqual(['q0', 'q1', 'Matcha']);
  });
});

const at = fc
  .integer({ min: START / 60_000, max: START / 60_000 + 9 * 1440 })
  .map((m) => m * 60_000);
const span = fc.tuple(at, fc.integer({ min: 5, max: 6_000 })).map(([start, minutes]) => ({
  start,
  end: Math.min(start + minutes * 60_000, START + 10 * DAY_MS),
}));
const series = fc
  .array(
    fc.tuple(
      fc.constantFrom('tea', 'cold brew', 'a "b c" -d'),
      fc.constantFrom('', 'Näme & =1'),
      fc.boolean(),
      fc.boolean(),
    ),
    {
      minLength: 2,
      maxLength: 4,
    },
  )
  .map((all) =>
    all.map(([text, label, hidden, derived]) => ({
      ...query(text, label, hidden),
      ...(derived && { derived }),
    })),
  );
const trend: fc.Arbitrary<Trend> = fc.oneof(
  fc.constantFrom<Trend>({ kind: 'cumulative' }, { kind: 'index' }),
  fc.integer({ min: 2, max: 900 }).map((buckets): Trend => ({ kind: 'average', buckets })),
  fc.constantFrom<Trend>({ kind: 'per', of: 1 }, { kind: 'per', of: 2 }),
);
const views: fc.Arbitrary<View> = fc.record(
  {
    zone: fc.constantFrom('UTC', 'Asia/Kathmandu', 'America/New_York'),
    resolution: fc.constantFrom(...RESOLUTIONS),
    endpoint: fc.constant('recent' as const),
    weekStart: fc.constant(7 as const),
    zoom: span,
    fine: fc.constantFrom('minute', 'hour', 'off'),
    form: fc.constantFrom(...FORMS),
    scale: fc.constantFrom(...SCALES),
    trend,
    comparison: fc.constantFrom(...COMPARISONS),
    peaks: fc.boolean(),
    live: fc.constant(true),
    tab: fc.constantFrom(...TABS),
    picked: fc.record({ span, of: fc.constantFrom(1, 2) }),
  },
  { requiredKeys: [] },
);

describe('an address', () => {
  it('reproduces the board on another page, with the same address there', () =>
    fc.assert(
      fc.asyncProperty(
        views,
        series,
        fc.option(fc.constantFrom(...PAIR_NAMES)),
        async (view, list, operation) => {
          const computed: ViewSeries[] = operation
            ? [{ query: '', label: '', hidden: false, formula: pairOf(operation, 2, 1) }]
            : [];
          const given = {
            ...view,
            range: TEN_DAYS,
            series: [...list, ...computed],
          };
          const here = (await countedBoard(given)).board;
          const address = formatView(here.view());
          const there = (await countedBoard({ ...parseView(address).view })).board;
          expect(formatView(there.view())).toBe(address);
          expect(there.time.resolution).toBe(here.time.resolution);
          const { trend: drawn } = there.chart;
          if (view.trend?.kind === 'per' && drawn.kind === 'per') {
            expect(there.series.all[view.trend.of - 1]?.id).toBe(drawn.of);
          } else expect(drawn).toEqual(view.trend ?? { kind: 'none' });
          expect(there.picked?.span).toEqual(view.picked?.span);
          if (view.picked) expect(there.picked?.of).toBe(there.series.all[view.picked.of - 1]?.id);
          if (view.zoom)
            expect(there.time.fine).toBe(here.time.zoom ? (view.fine ?? 'auto') : 'auto');
        },
      ),
      { numRuns: runs(40) },
    ));
});

describe('the style of a series', () => {
  const styles = ({ board }: Awaited<ReturnType<typeof countedBoard>>): Record<string, number> =>
    Object.fromEntries(board.series.all.map(({ name, style }) => [name, style.colour]));

  it('stays with the series in the address, whatever is removed or moved', async () => {
    const lists = ['tea', 'cocoa', 'mate', 'chai'].map((text) => query(text));
    const from = await countedBoard({ range: MARCH, series: lists });
    const [tea, , mate] = from.board.series.all;
    if (!tea || !mate) throw new Error('expected four series');
    from.board.series.remove(tea);
    from.board.series.move(mate, -1);
    expect(styles(from)).toEqual({ mate: 3, cocoa: 2, chai: 4 });
    const text = formatView(from.board.view());
    expect(text).toMatch(/q=mate&style=3&q=cocoa&q=chai&style=4$/);
    const to = await countedBoard(parseView(text).view);
    expect(styles(to)).toEqual(styles(from));
    // Of two series that ask for the same style, the second gets the first free one.
    const both = await countedBoard({
      range: MARCH,
      series: [query('a'), { ...query('b'), style: 1 }, { ...query('c'), style: 1 }],
    });
    expect(styles(both)).toEqual({ b: 1, c: 2, a: 3 });
  });
});

it('puts a duplicate below its original', async () => {
  const { board } = await countedBoard({
    range: MARCH,
    series: [query('tea', 'Tea'), query('oat')],
  });
  const [tea] = board.series.all;
  if (!tea) throw new Error('expected a series');
  board.series.duplicate(tea);
  expect(names(board)).toEqual(['Tea', 'Tea copy', 'oat']);
});
