import { describe, expect, it } from 'vitest';
import { csvJob, noteInput, bucketsInView } from '#app/board/files/export-input.ts';
import { parseView, type ViewSeries } from '#app/board/state/view.ts';
import { slideTexts } from '#app/export/slide-input.ts';
import { Formatter } from '#app/format/formatter.ts';
import { STATE } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { countedBoard } from '#tests/app/board/counted-board.ts';
import { pairOf } from '#tests/core/series/formulas.ts';
import { bundleInput } from '#app/board/files/bundle-input.ts';
import { slideContext } from '#app/board/files/slide-context.ts';

const START = Date.UTC(2026, 2, 1);
const query = (text: string, label = '', hidden = false): ViewSeries => ({
  query: text,
  label,
  hidden,
});

/** Tea, its share, a hidden query, a panel of three days from a file, and an empty query. */
async function board() {
  const { board, runs } = await countedBoard({
    range: { from: '2026-03-01', to: '2026-03-10' },
    resolution: 'day',
    series: [
      query('tea', 'Tea'),
      { ...query('', 'Part'), formula: pairOf('part', 1, 3) },
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
  it('contains the visible, non-empty series with query and source', async () => {
    const view = bucketsInView((await board()).board);
    expect(view.bounds).toHaveLength(11);
    expect(view.series.map(({ label, query, source }) => [label, query, source])).toEqual([
      ['Tea', 'tea', 'sample'],
      ['Part', '', 'sample'],
      ['Panel', 'tea leaves', 'a panel'],
    ]);
    const [, part, panel] = view.series;
    expect(part?.counts.every((count) => count >= 0 && count <= 1)).toBe(true);
    expect([...(panel?.counts ?? [])].slice(0, 4)).toEqual([5, Number.NaN, 9, Number.NaN]);
    expect(panel?.states[1]).toBe(STATE.never);
  });

  it('contains only the buckets of the zoom', async () => {
    const { board: one } = await board();
    one.time.zoom = { start: START + 2 * DAY_MS, end: START + 4 * DAY_MS };
    const { bounds, series } = csvJob(one, 'wide', { separator: ',', mark: false });
    expect([...bounds]).toEqual([2, 3, 4].map((day) => START + day * DAY_MS));
    expect(series.every(({ counts }) => counts.length === 2)).toBe(true);
  });

  it('describes each series in its note', async () => {
    const { series } = await noteInput((await board()).board, () => Promise.resolve([]));
    expect(series.map(({ kind, query, paid }) => [kind, query, paid])).toEqual([
      ['query', 'tea', null],
      ['formula', 'Tea ÷ (Tea + cold brew)', null],
      ['file', 'tea leaves', null],
    ]);
  });
});

describe('a bundle', () => {
  it('of a zoom has the range and buckets of the zoom, so that it opens as shown', async () => {
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
    expect([view.zoom, view.fine, view.comparison]).toEqual([undefined, undefined, 'previous']);
  });

  it('lists all series with counts, including hidden ones, and a fixed range', async () => {
    const { board: one } = await board();
    const exported: (readonly string[])[] = [];
    const input = await bundleInput(one, { name: 'Drinks', notes: [] }, (keys) => {
      exported.push(keys);
      return Promise.resolve(new Blob());
    });
    expect(input.series.map(({ place, label, counts }) => [place, label, counts.from])).toEqual([
      [0, 'Tea', 'cache'],
      [2, 'cold brew', 'cache'],
      [3, 'Panel', 'fixed'],
    ]);
    expect(exported).toEqual([['key of tea', 'key of cold brew']]);
    const extras = { name: '', notes: [], switched: ['-note'] };
    const no = (): Promise<Blob> => Promise.resolve(new Blob());
    expect(parseView((await bundleInput(one, extras, no)).view).view.events).toEqual(['-note']);
    const { view } = parseView(input.view);
    expect(view.range).toEqual({ from: '2026-03-01', to: '2026-03-10' });
    expect(
      view.series?.map(({ query, label, hidden, formula }) => [query || formula, label, hidden]),
    ).toEqual([
      ['tea', 'Tea', false],
      [pairOf('part', 1, 3), 'Part', false],
      ['cold brew', '', true],
      ['tea leaves', 'Panel', false],
    ]);
  });
});

it('names both lengths on a slide that compares months of unequal length', async () => {
  const format = new Formatter('en-GB');
  const subtitleOf = async (from: string, to: string, comparison: 'previous' | 'none') => {
    const { board, rest } = await countedBoard({
      range: { from, to },
      resolution: 'day',
      comparison,
      series: [query('tea')],
    });
    for (let i = 0; i < 10; i += 1) await rest();
    return slideTexts(slideContext(board, format)).subtitle;
  };
  expect(await subtitleOf('2026-03-01', '2026-03-31', 'previous')).toContain(
    'compared with the previous period, 31 days against 28 days',
  );
  expect(await subtitleOf('2026-03-01', '2026-03-10', 'previous')).toContain(
    'compared with the previous period · ',
  );
  const alone = await subtitleOf('2026-03-01', '2026-03-31', 'none');
  expect(alone).toMatch(/^Posts a day · /);
  expect(alone).not.toContain('compared');
});
