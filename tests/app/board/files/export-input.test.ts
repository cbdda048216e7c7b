import { describe, expect, it } from 'vitest';
import { bundleInput, csvJob, noteInput, bucketsInView } from '#app/board/files/export-input.ts';
import { parseView, type ViewSeries } from '#app/board/state/view.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { countedBoard } from '#tests/app/board/counted-board.ts';

const START = Date.UTC(2026, 2, 1);
const query = (text: string, label = '', hidden = false): ViewSeries => ({
  query: text,
  label,
  hidden,
});

/** Tea, its share of both, a panel of three days from a file, a hidden query, one that is still empty. */
async function board() {
  const { board, runs } = await countedBoard({
    range: { from: '2026-03-01', to: '2026-03-10' },
    resolution: 'day',
    series: [
      query('tea', 'Tea'),
      { ...query('', 'Part'), formula: { operation: 'part', a: 1, b: 3 } },
      query('cold brew', '', true),
    ],
  });
  board.series.addFixed([
    {
      label: 'Panel',
      query: 'tea leaves',
      source: 'a panel',
      ...curveOf([5, Number.NaN, 9], { start: START, width: DAY_MS }),
    },
  ]);
  board.series.add();
  return { board, runs };
}

describe('a file of numbers', () => {
  it('has the visible series that were asked, each with what it counts and whose counts they are', async () => {
    const told = bucketsInView((await board()).board);
    expect(told.bounds).toHaveLength(11);
    expect(told.series.map(({ label, query, source }) => [label, query, source])).toEqual([
      ['Tea', 'tea', 'sample'],
      ['Part', '', 'sample'],
      ['Panel', 'tea leaves', 'a panel'],
    ]);
    const [, part, panel] = told.series;
    expect(part?.counts.every((count) => count >= 0 && count <= 1)).toBe(true);
    expect([...(panel?.counts ?? [])].slice(0, 4)).toEqual([5, Number.NaN, 9, Number.NaN]);
    expect(panel?.states[1]).toBe(STATE.never);
  });

  it('has the buckets of the zoom in sight and no other', async () => {
    const { board: one } = await board();
    one.time.zoom = { start: START + 2 * DAY_MS, end: START + 4 * DAY_MS };
    const { bounds, series } = csvJob(one, 'wide', { separator: ',', mark: false });
    expect([...bounds]).toEqual([2, 3, 4].map((day) => START + day * DAY_MS));
    expect(series.every(({ counts }) => counts.length === 2)).toBe(true);
  });

  it('tells in its note what each series is', async () => {
    const { series } = await noteInput((await board()).board, () => Promise.resolve([]));
    expect(series.map(({ kind, query, paid }) => [kind, query, paid])).toEqual([
      ['query', 'tea', null],
      ['formula', 'Tea ÷ (Tea + cold brew)', null],
      ['file', 'tea leaves', null],
    ]);
  });
});

describe('a bundle', () => {
  it('of a zoom has its range and its buckets, so that it opens as it was seen', async () => {
    const { board: one, rest } = await countedBoard({
      range: { from: '2026-03-01', to: '2026-03-31' },
      resolution: 'day',
      series: [query('tea', 'Tea')],
      comparison: 'previous',
    });
    one.time.zoom = { start: START + 2 * DAY_MS + 60_000, end: START + 4 * DAY_MS };
    for (let i = 0; i < 4; i += 1) await rest();
    expect(one.time.resolution).toBe('hour');
    const no = (): Promise<Blob> => Promise.resolve(new Blob());
    const input = await bundleInput(one, { name: '', notes: [] }, no);
    expect(input.span).toEqual({ start: START + 2 * DAY_MS, end: START + 4 * DAY_MS });
    const { view } = parseView(input.view);
    expect(view).toMatchObject({
      range: { from: '2026-03-03', to: '2026-03-04' },
      resolution: 'hour',
    });
    expect([view.zoom, view.fine, view.comparison]).toEqual([undefined, undefined, undefined]);
  });

  it('names the places of all that have counts, hidden ones too, and a range that does not move', async () => {
    const { board: one } = await board();
    const asked: (readonly string[])[] = [];
    const input = await bundleInput(one, { name: 'Drinks', notes: [] }, (keys) => {
      asked.push(keys);
      return Promise.resolve(new Blob());
    });
    expect(input.series.map(({ place, label, counts }) => [place, label, counts.from])).toEqual([
      [0, 'Tea', 'cache'],
      [2, 'cold brew', 'cache'],
      [3, 'Panel', 'fixed'],
    ]);
    expect(asked).toEqual([['key of tea', 'key of cold brew']]);
    const lanes = { name: '', notes: [], lanesHidden: ['notes'] };
    const no = (): Promise<Blob> => Promise.resolve(new Blob());
    expect(parseView((await bundleInput(one, lanes, no)).view).view.lanesHidden).toEqual(['notes']);
    const { view } = parseView(input.view);
    expect(view.range).toEqual({ from: '2026-03-01', to: '2026-03-10' });
    expect(
      view.series?.map(({ query, label, hidden, formula }) => [query || formula, label, hidden]),
    ).toEqual([
      ['tea', 'Tea', false],
      [{ operation: 'part', a: 1, b: 3 }, 'Part', false],
      ['cold brew', '', true],
      ['tea leaves', 'Panel', false],
    ]);
  });
});
