import { describe, expect, it } from 'vitest';
import { chartNotes, drawnSeries, undrawn } from '#app/board/chart-panel/chart-input.ts';
import { chartSummary } from '#app/board/chart-panel/chart-summary.ts';
import { Formatter } from '#app/format/formatter.ts';
import { boardOf } from '#tests/app/board/counted-board.ts';
import { DrawnRun } from '#tests/app/board/drawn-run.svelte.ts';
import { PAIR_NAMES, pairOf, type Pair } from '#tests/core/series/formulas.ts';
import { quotientText } from '#app/chart/interact/line-reading.ts';

const NOW = Date.UTC(2026, 10, 20);
const format = new Formatter('en-GB');

async function computed(operation: Pair) {
  const { board } = boardOf(() => new DrawnRun(NOW), { now: () => NOW });
  const query = (query: string) => ({ query, label: '', hidden: false });
  board.apply(
    { source: 'sample', zone: 'UTC', resolution: 'week', series: [query('rain'), query('storms')] },
    [],
  );
  await board.loadSources();
  const [a, b] = board.series.all;
  if (!a || !b) throw new Error('expected two series');
  return { board, a, b, one: board.series.compute(pairOf(operation, a.id, b.id)) };
}

describe('the description of the chart', () => {
  it.each(PAIR_NAMES)('describes a %s in its unit', async (operation) => {
    const { board, a, b, one } = await computed(operation);
    const sum = (counts: Iterable<number> = []): number =>
      [...counts].reduce((all, count) => all + count, 0);
    const [x, y] = [sum(a.curve?.counts), sum(b.curve?.counts)];
    const sentences = chartSummary(board, { marks: [], peaks: [] }, format).split('. ');
    expect(sentences[0]).toMatch(/^Posts a week, /);
    expect(sentences[1]).toMatch(new RegExp(`^rain: ${format.count(x)} Posts, highest `));
    const expected = {
      sum: `${format.count(x + y)} Posts`,
      difference: `${format.count(x - y)} Posts`,
      quotient: `${format.mean(x / y)} in all, `,
      part: `${format.share(x / (x + y))} in all, `,
    }[operation];
    expect(sentences[3]).toContain(`${one.name}: ${expected}`);
    if (one.unit === 'count') return;
    const ends = [Math.min, Math.max].map((end) => end(...(one.curve?.counts ?? [])));
    const [low, high] = ends.map((end) => quotientText(end, one.unit, format));
    expect(sentences[3]).toMatch(new RegExp(`${low} to ${high} a week\\.$`));
    [a.hidden, b.hidden] = [true, true];
    expect(chartSummary(board, { marks: [], peaks: [] }, format)).toMatch(/^Ratios a week, /);
  });
});

it('says that shares are drawn', async () => {
  const { board } = await computed('sum');
  board.chart.form = 'share';
  expect(chartSummary(board, { marks: [], peaks: [] }, format)).toMatch(
    /^Share of the Posts of each week, /,
  );
});

describe('the description of a series', () => {
  it('names the stretches without counts, and the bucket that is not over', async () => {
    const { board, a } = await computed('sum');
    const drawn = a.run as DrawnRun;
    const [from, to] = [Date.UTC(2026, 2, 2), Date.UTC(2026, 2, 16)];
    const open = (_: number, end: number) => (end > NOW ? 'partial' : 'settled');
    drawn.patch((start, end) => (start >= from && end <= to ? 'never' : open(start, end)));
    const words = (): string => chartSummary(board, { marks: [], peaks: [] }, format);
    expect(words()).toMatch(
      /; missing 2–15 Mar 2026; unfinished: 16–19 Nov 2026, \d+ so far\. storms/,
    );
    drawn.patch((start, end) => (start >= from && end <= to ? 'uncovered' : open(start, end)));
    expect(words()).toContain('; no data 2–15 Mar 2026; unfinished');
  });
});

it('a formula is not drawn in a stack, which says so', async () => {
  const { board, one } = await computed('sum');
  expect(chartNotes(board, undrawn(board))).toEqual([]);
  board.chart.form = 'stack';
  expect(chartNotes(board, undrawn(board))).toEqual([
    `${one.name} is a formula, so it isn’t drawn in a stack`,
  ]);
});

it('a share is not drawn on the axis of a ratio, which says so', async () => {
  const { board, a, b, one: ratio } = await computed('quotient');
  const part = board.series.compute(pairOf('part', a.id, b.id));
  const without = undrawn(board);
  expect(without).toEqual([part]);
  expect(drawnSeries(board, without).map(({ id }) => id)).toContain(ratio.id);
  expect(chartNotes(board, without)).toEqual([
    `Only in the table: ${part.name}, as the axis is for ratios`,
  ]);
  ratio.hidden = true;
  expect(undrawn(board)).toEqual([]);
  ratio.hidden = false;
  board.chart.form = 'multiples';
  board.chart.rows = 'own';
  expect(undrawn(board)).toEqual([]);
});

describe('the unit of a series', () => {
  it('follows from its formula, however deeply nested', async () => {
    const { board, a, b, one: part } = await computed('part');
    const of = (name: Pair, x: { id: number }, y: { id: number }): string =>
      board.series.compute(pairOf(name, x.id, y.id)).unit;
    expect([a.unit, part.unit]).toEqual(['count', 'part']);
    const ratio = board.series.compute(pairOf('quotient', a.id, b.id));
    expect([of('sum', a, b), of('difference', part, part), of('sum', part, a)]).toEqual([
      'count',
      'part',
      'ratio',
    ]);
    expect([of('sum', ratio, part), of('part', ratio, a), of('quotient', part, part)]).toEqual([
      'ratio',
      'part',
      'part',
    ]);
  });
});
