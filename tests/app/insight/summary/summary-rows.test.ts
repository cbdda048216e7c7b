import { describe, expect, it } from 'vitest';
import { Formatter } from '#app/format/formatter.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import type { InsightSeries } from '#app/insight/insight.ts';
import { summaryRows } from '#app/insight/summary/summary-rows.ts';
import { knownPart, summarize, type CurveFormula } from '#app/insight/summary/summary.ts';
import { combine } from '#core/series/combine.ts';
import type { Unit } from '#core/series/formula.ts';
import { changeBand } from '#core/series/confidence.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';
import { curveOf as sharedCurve } from '#tests/core/series/curves.ts';
import { pairOf } from '#tests/core/series/formulas.ts';
import {
  summaryCell,
  summaryColumns,
  headingOf,
  type SummaryRow,
} from '#app/insight/summary/summary-columns.ts';
import { exportedSummary, summaryTable } from '#app/insight/summary/summary-tables.ts';
import { nextOrder, ordered } from '#app/insight/summary/row-order.ts';
import type { RowCell } from '#app/insight/summary/row-cell.ts';

const { uncovered, partial } = STATE;
const NONE = Number.NaN;
const START = Date.UTC(2026, 4, 1);
const format = new Formatter('en-GB');

const curveOf = (counts: readonly number[], states?: readonly number[]): Curve =>
  sharedCurve(counts, { start: START, width: DAY_MS, ...(states && { states }) });

const NOW = START + 4 * DAY_MS;
let ids = 0;
function made(
  name: string,
  curve: Curve | null,
  over: Partial<InsightSeries> & { parts?: CurveFormula; unit?: Unit } = {},
): InsightSeries {
  ids += 1;
  const { parts = null, unit = 'count', ...rest } = over;
  return {
    id: ids,
    name,
    kind: parts ? 'formula' : 'query',
    queried: !parts && over.kind === undefined,
    style: seriesStyle(ids),
    hidden: false,
    curve,
    summary: curve && summarize(curve, NOW, { parts, unit }),
    pending: null,
    run: { upperBounds: false },
    before: null,
    ...rest,
  };
}
const rowsOf = (...series: InsightSeries[]): SummaryRow[] =>
  summaryRows({ series, per: 'day', now: NOW, window: null, format });
const texts = ({ cells }: SummaryRow): Record<string, string> =>
  Object.fromEntries(Object.entries(cells).map(([id, { text }]) => [id, text]));
/** A copied row by column heading; the ends of an interval follow the heading of their figure. */
function byHeading<T>([heads = [], row = []]: readonly (readonly T[])[]): Record<string, T> {
  let last = '';
  const names = heads.map(String).map((head) => {
    if (head === 'from' || head === 'to') return `${last} ${head}`;
    last = head;
    return head;
  });
  expect(row).toHaveLength(names.length);
  return Object.fromEntries(row.map((value, i) => [names[i] ?? '', value]));
}
const change = (before: number, after: number): InsightSeries['before'] => ({
  curve: curveOf([]),
  change: {
    ok: true,
    value: {
      ...changeBand(before, after),
      before,
      after,
      beforeMs: 1,
      afterMs: 1,
      buckets: 4,
      compared: 3,
    },
  },
});

describe('a row of the summary', () => {
  it('has every figure if the counts are complete', () => {
    const series = made('Oat milk', curveOf([100, 200, 400, 300]), { before: change(500, 1000) });
    const [row, other] = rowsOf(series, made('Matcha', curveOf([250, 250, 250, 250])));
    expect(row && texts(row)).toMatchObject({
      total: '1,000',
      mean: '250',
      median: '250',
      peak: '400',
      on: 'Sun, 3 May 2026',
      change: '+100.0%',
      share: '50.0%',
      complete: '100%',
    });
    expect(row?.cells.share).toMatchObject({ note: '± 2.2' });
    expect(row?.cells.share.why).toMatch(/^47\.8% to 52\.2% at 95%\. 4 of 4 days are complete/);
    expect(row?.cells.change).toMatchObject({ note: '' });
    expect(row?.cells.change.why).toMatch(
      /at 95%\. 3 of 4 days compared: 1,000 Posts compared with 500\.$/,
    );
    const { change: longer } = change(500, 1000) ?? {};
    if (!longer?.ok) throw new Error('expected a change');
    const months = { ...longer.value, beforeMs: 92 * DAY_MS, afterMs: 90 * DAY_MS };
    const before = { curve: curveOf([]), change: { ok: true, value: months } } as const;
    const [quarter] = rowsOf(made('Oat milk', curveOf([1000]), { before }));
    expect(quarter?.cells.change.why).toMatch(
      /at 95%\. 3 of 4 days compared: 1,000 Posts in 90 days compared with 500 in 92 days: 11\.1 a day against 5\.43\.$/,
    );
    expect(other?.cells.change).toMatchObject({
      text: '–',
      why: 'The earlier period is not known.',
    });
  });

  it('has the change of a query that comes from a file, if the file has the earlier period', () => {
    const before = change(500, 1000);
    const changeOf = (over: Partial<InsightSeries>): RowCell | undefined =>
      rowsOf(made('Oat milk', curveOf([100, 200, 400, 300]), over))[0]?.cells.change;
    const asked = changeOf({ before });
    expect(asked?.text).toBe('+100.0%');
    expect(changeOf({ kind: 'file', queried: true, before })).toEqual(asked);
    expect(changeOf({ kind: 'file', queried: true })?.why).toBe('The earlier period is not known.');
    for (const [over, why] of [
      [{ kind: 'file', before }, 'From a file that names no query'],
      [{ kind: 'formula', before }, 'Computed'],
    ] as const) {
      expect(changeOf(over)).toMatchObject({
        text: '–',
        why: `${why}: only queries have a change.`,
      });
    }
  });

  it('says why a change is not clear: it is within the noise, or there is too little history', () => {
    const noteOf = (low: number, clear: boolean): string | undefined => {
      const { change: of } = change(500, 520) ?? {};
      if (!of?.ok) throw new Error('expected a change');
      const value = { ...of.value, low, clear };
      const before = { curve: curveOf([]), change: { ok: true, value } } as const;
      const [row] = rowsOf(made('Oat milk', curveOf([1000]), { before }));
      return row?.cells.change.note;
    };
    expect(noteOf(-0.1, false)).toBe('within noise');
    expect(noteOf(0.1, false)).toBe('too little history');
    expect(noteOf(0.1, true)).toBe('');
  });

  it('has a share with a margin as wide as such times vary', () => {
    const noise = (ratio: number) => () => ({ ratio, degrees: Infinity, stretches: 20 });
    const [wide] = rowsOf(
      made('Oat milk', curveOf([100, 200, 400, 300]), { noise: noise(4) }),
      made('Matcha', curveOf([250, 250, 250, 250]), { noise: noise(4) }),
    );
    // Twice the margin of coin tosses, 2.2.
    expect(wide?.cells.share).toMatchObject({ text: '50.0%', note: '± 4.4' });
  });

  it('has a share without a margin until it is known how much such times vary', () => {
    const [row] = rowsOf(
      made('Oat milk', curveOf([100, 200, 400, 300])),
      made('Matcha', curveOf([250, 250, 250, 250]), { noise: null }),
    );
    expect(row?.cells.share).toMatchObject({ text: '50.0%', note: '', band: [NaN, NaN] });
  });

  it('asks once of each series how much such times vary, however many are compared', () => {
    let asked = 0;
    const noise = () => {
      asked += 1;
      return { ratio: 4, degrees: Infinity, stretches: 20 };
    };
    const many = Array.from({ length: 9 }, (_, i) => made(`s${i}`, curveOf([100, 200]), { noise }));
    rowsOf(...many);
    expect(asked).toBe(9);
  });

  it.each([
    [curveOf([1, NONE, 2, 3]), 'Some counts are missing.'],
    [curveOf([1, 2, 2, 3], [partial, partial, partial, partial]), 'No day is whole.'],
  ])('has no mean or median of incomplete counts: %#', (curve, why) => {
    const [row] = rowsOf(made('Matcha', curve));
    expect(row?.cells.mean).toMatchObject({ text: '–', why });
    expect(row?.cells.median).toMatchObject({ text: '–', why });
  });

  it('says once in how many buckets a mean and a median are, if one within the range is covered in part', () => {
    const [within] = rowsOf(made('Matcha', curveOf([1, 2, 2, 3], [5, partial, 5, 5])));
    const note = '3 of 4 days';
    expect(within?.cells).toMatchObject({
      mean: { text: '2', note },
      median: { text: '2', note: '' },
    });
    expect(within?.cells.median.why).toMatch(/^Days that the source covers only in part/);
    // The range and now cut the outer ones, as a rule.
    const [outer] = rowsOf(made('Matcha', curveOf([1, 2, 2, 3], [partial, 5, 5, partial])));
    expect(outer?.cells).toMatchObject({ mean: { text: '2', note: '' }, median: { note: '' } });
    const series = [made('Matcha', curveOf([1, 2, 2, 3], [partial, 5, 5, partial]))];
    const uncut = { first: false, last: false };
    const [whole] = summaryRows({ series, per: 'day', cut: uncut, now: NOW, window: null, format });
    expect(whole?.cells.mean).toMatchObject({ text: '2', note: '2 of 4 days' });
  });

  it('ignores what the source does not cover, and says how much it covers', () => {
    const [row] = rowsOf(made('Matcha', curveOf([NONE, NONE, 2, 4], [uncovered, uncovered, 5, 5])));
    expect(row?.cells).toMatchObject({
      total: { text: '6', note: '' },
      mean: { text: '3', note: '2 of 4 days' },
      median: { text: '3', note: '' },
      complete: {
        text: '100%',
        note: 'of the 50% covered',
        why: 'The source covers 50% of this time.',
      },
    });
    const [none] = rowsOf(made('Matcha', curveOf([NONE, NONE], [uncovered, uncovered])));
    expect(none?.cells.total).toMatchObject({
      text: '–',
      why: 'The source has no data for this time.',
    });
    expect([none?.known, none?.covered]).toEqual([Number.NaN, 0]);
  });

  it.each([
    [0.98, 'of the 98% covered', 0.98],
    [0.995, '', 1],
  ])('mentions a coverage of %s only if it does not round to 1', (covered, note, part) => {
    const series = made('Matcha', curveOf([1, 2, 3, 4]));
    const summary = series.summary && { ...series.summary, covered };
    const [row] = rowsOf({ ...series, summary });
    expect([row?.cells.complete.note, row?.covered]).toEqual([note, covered]);
    expect(summary && knownPart(summary)).toBe(part);
  });

  it('says how much of the time an incomplete total and share cover', () => {
    const [oat, brew] = rowsOf(
      made('Oat milk', curveOf([10, 10, 10, 10])),
      made('Cold brew', curveOf([NONE, 30, 10, NONE])),
    );
    expect(brew?.cells.total).toMatchObject({ text: '40', note: 'of 50%' });
    expect(brew?.cells.peak.why).toBe('The highest known value.');
    expect(oat?.cells.share).toMatchObject({ text: '33.3%' });
    // With few Posts the interval is asymmetric, so the row shows both ends.
    expect(oat?.cells.share.note).toMatch(/^2\d\.\d% to 4\d\.\d% of 50%$/);
    const [many] = rowsOf(
      made('Oat milk', curveOf([10_000, 10_000, 10_000, 10_000])),
      made('Cold brew', curveOf([NONE, 30_000, 10_000, NONE])),
    );
    expect(many?.cells.share.note).toMatch(/^± \d\.\d of 50%$/);
    expect(oat?.cells.share.why).toMatch(/2 of 4 days are complete in all visible queries\.$/);
  });

  it.each([
    [[5, partial, 5, 5], '3 of 4 days are complete'],
    [[5], '1 of 1 day is complete'],
  ])(
    'compares days that are partial in all, but calls none of them complete: %j',
    (states, said) => {
      const curve = curveOf(states, states);
      const [row] = rowsOf(made('Oat milk', curve), made('Matcha', curve));
      expect(row?.cells.share).toMatchObject({ text: '50.0%' });
      expect(row?.cells.share.why).toContain(`% at 95%. ${said} in all visible queries.`);
    },
  );

  it.each([
    ['100.0%', [5, 5], [0, 0]],
    ['0.0%', [0, 0], [5, 5]],
  ])('has no margin around a share of %s that cannot vary', (text, own, other) => {
    const many = (counts: readonly number[]) => curveOf(counts.map((count) => count * 100_000));
    const [row] = rowsOf(made('Oat milk', many(own)), made('Matcha', many(other)));
    expect(row?.cells.share).toMatchObject({ text, note: '' });
    expect(row?.cells.share.why).toBe('2 of 2 days are complete in all visible queries.');
  });

  it('computes shares among the visible queries only', () => {
    const four = curveOf([1, 1, 1, 1]);
    const rows = rowsOf(
      made('Oat milk', four),
      made('Matcha', curveOf([3, 3, 3, 3])),
      made('Chai', four, { hidden: true }),
      made('Sales', four, { kind: 'file' }),
    );
    expect(rows.map(({ cells }) => cells.share.text)).toEqual(['25.0%', '75.0%', '–', '–']);
    expect(rows[2]?.cells.share.why).toMatch(/^Hidden/);
    expect(rows[3]?.cells.share.why).toMatch(/^From a file that names no query/);
    const carried = made('Tea', four, { kind: 'file', queried: true });
    const both = rowsOf(made('Oat milk', four), carried);
    expect(both.map(({ cells }) => cells.share.text)).toEqual(['50.0%', '50.0%']);
    expect(rows[3]?.mark).toBe('from a file');
  });

  it('has no share before all visible queries are counted', () => {
    const [oat, chai] = rowsOf(made('Oat milk', curveOf([1, 1, 1, 1])), made('Chai', null));
    expect(oat?.cells.share.why).toBe('Another visible query is not counted yet.');
    expect(new Set(Object.values(texts(chai as SummaryRow)))).toEqual(new Set(['–']));
  });

  it.each([
    [1000, 1010, '+1.0%', 'within noise'],
    [1000, 500, '−50.0%', ''],
    [0, 50, 'new', ''],
    [3, 3_440, '3 to 3,440', ''],
    [3, 4, '3 to 4', 'too few to compare'],
    [10, 3_440, '+34,300%', ''],
    [0, 0, '–', ''],
  ])('shows the change from %i to %i as %s', (before, after, text, note) => {
    const [row] = rowsOf(made('Matcha', curveOf([1, 1, 1, 1]), { before: change(before, after) }));
    expect(row?.cells.change).toMatchObject({ text, note });
  });

  it('explains why there is no change', () => {
    const before = { curve: curveOf([]), change: { ok: false, why: 'missing' } } as const;
    const [row] = rowsOf(made('Matcha', curveOf([1, 1, 1, 1]), { before }));
    expect(row?.cells.change).toMatchObject({
      text: '–',
      why: 'Some counts are missing, now or earlier.',
    });
  });

  it('computes a quotient’s total from sums, and no mean, median, change or share', () => {
    const [a, b] = [curveOf([1, 9, 1, 1]), curveOf([1, 1, 1, 1])];
    const parts = pairOf('part', a, b);
    const [, row] = rowsOf(
      made('A', a),
      made('A ÷ (A + B)', combine(parts), { parts, unit: 'part' }),
    );
    expect(row && texts(row)).toMatchObject({
      total: '75%',
      mean: '–',
      median: '–',
      peak: '90%',
      on: 'Sat, 2 May 2026',
      change: '–',
      share: '–',
      complete: '100%',
    });
    expect(row?.mark).toBe('computed');
  });

  it('has the mean and median of a sum of counts', () => {
    const [a, b] = [curveOf([1, 9, 1, 1]), curveOf([1, 1, 1, 1])];
    const parts = pairOf('sum', a, b);
    const [row] = rowsOf(made('A + B', combine(parts), { parts }));
    expect(row && texts(row)).toMatchObject({ total: '16', mean: '4', median: '2' });
  });

  it('marks rounded counts as upper bounds', () => {
    const [row] = rowsOf(made('A', curveOf([5, 5, 5, 5]), { run: { upperBounds: true } }));
    expect(row?.cells.total.note).toBe('at most');
  });
});

describe('the order of the rows', () => {
  const rows = rowsOf(
    made('b', curveOf([2, 2, 2, 2])),
    made('c', null),
    made('a', curveOf([3, 3, 3, 3])),
  );
  const names = (list: readonly SummaryRow[]): string => list.map(({ name }) => name).join('');

  it.each([
    [null, 'bca'],
    [{ by: 'total', way: 'descending' }, 'abc'],
    [{ by: 'total', way: 'ascending' }, 'bac'],
    [{ by: 'name', way: 'ascending' }, 'abc'],
    [{ by: 'complete', way: 'descending' }, 'bac'],
  ] as const)('by %o is %s, with missing values last', (order, expected) => {
    expect(names(ordered(rows, order))).toBe(expected);
  });

  it('changes with every click: descending, ascending, then the list’s order', () => {
    const first = nextOrder(null, 'total');
    expect(first).toEqual({ by: 'total', way: 'descending' });
    const second = nextOrder(first, 'total');
    expect(second).toEqual({ by: 'total', way: 'ascending' });
    expect(nextOrder(second, 'total')).toBeNull();
    expect(nextOrder(second, 'name')).toEqual({ by: 'name', way: 'ascending' });
  });
});

describe('a heading', () => {
  it.each([
    ['mean', 'hour', 'previous', 'Mean per hour'],
    ['mean', 'week', 'previous', 'Mean per week'],
    ['change', 'day', 'weekdays', 'vs. weekdays'],
    ['change', 'day', null, 'vs. previous'],
    ['change', 'day', 'year', 'vs. the year before'],
    ['complete', 'day', 'year', 'Complete'],
  ] as const)('of %s per %s, compared with %s, is %s', (id, per, earlier, heading) => {
    expect(headingOf(id, { per, earlier })).toBe(heading);
  });
});

describe('the totals of several earlier periods', () => {
  const whole = curveOf([10, 20, 30, 40]);
  const missing = curveOf([10, Number.NaN, 30, 40]);
  const earlierSummaries = [summarize(whole, NOW), summarize(missing, NOW), null];
  const befores = [change(90, 100), null, null];
  const periods = ['2025', '2024', '2023'].map((name) => ({ name, dates: `all of ${name}` }));
  const headed = { per: 'day', earlier: 'year', periods } as const;
  const rowsWhile = (loading: boolean): SummaryRow[] =>
    summaryRows({
      ...headed,
      series: [made('Matcha', whole, { earlierSummaries, befores, loading })],
      now: NOW,
      window: null,
      format,
    });
  const rows = rowsWhile(false);

  it('are columns after the total, each exact or a dash with the reason', () => {
    expect(
      summaryColumns(headed)
        .map(({ heading }) => heading(headed))
        .slice(0, 5),
    ).toEqual(['Total', '2025', '2024', '2023', 'Mean per day']);
    const cells = [0, 1, 2].map((at) => rows[0] && summaryCell(rows[0], `earlier-${at}`));
    expect(cells.map((cell) => [cell?.text, cell?.why])).toEqual([
      ['100', ''],
      ['–', 'Some counts are missing.'],
      ['–', 'The earlier period is not known.'],
    ]);
  });

  it('say while counts load that they do', () => {
    const [row] = rowsWhile(true);
    const cells = [1, 2].map((at) => row && summaryCell(row, `earlier-${at}`)?.text);
    expect(cells).toEqual(['–', 'Loading…']);
    expect(row?.cells.change).toMatchObject({
      text: 'Loading…',
      value: NONE,
      why: 'The earlier period is loading.',
    });
    const alone = rowsOf(made('Matcha', whole, { befores: [], loading: true }));
    expect(alone[0]?.cells.change.why).toBe('The earlier period is not known.');
  });

  it('are copied as numbers', () => {
    expect(byHeading(summaryTable(rows, headed))).toMatchObject({ 2025: 100, 2024: Number.NaN });
    const zone = zoneTable('UTC', { start: START, end: NOW });
    expect(byHeading(exportedSummary(rows, headed, zone))).toMatchObject({
      'total 2025': 100,
      'total 2023': null,
    });
  });
});

describe('a copy of the summary', () => {
  const rows = rowsOf(
    made('Oat milk', curveOf([100, 200, 400, 300]), { before: change(500, 1000) }),
  );

  it('has a column for each figure of the table, and for the ends of its interval', () => {
    const copied = summaryTable(rows, { per: 'hour', earlier: 'weekdays' });
    expect(byHeading(copied)).toMatchObject({
      Series: 'Oat milk',
      Total: 1000,
      'Mean per hour': 250,
      Median: 250,
      Highest: 400,
      'Highest hour': 'Sun, 3 May 2026',
      'vs. weekdays': 1,
      'vs. weekdays from': expect.closeTo(0.75, 1) as number,
      'vs. weekdays to': expect.closeTo(1.25, 1) as number,
      'Share of voice': Number.NaN,
      'Share of voice from': Number.NaN,
      'Share of voice to': Number.NaN,
      Complete: 1,
      Covered: 1,
    });
  });

  it('from the Export menu has its own headings, instants with offsets, and null for missing values', () => {
    const zone = zoneTable('Asia/Kolkata', { start: START, end: NOW });
    const copied = exportedSummary(rows, { per: 'hour', earlier: 'year' }, zone);
    expect(byHeading(copied)).toMatchObject({
      series: 'Oat milk',
      total: 1000,
      'mean per hour': 250,
      'median per hour': 250,
      peak: 400,
      'peak start': '2026-05-03T05:30:00+05:30',
      'change since the year before': 1,
      share: null,
      complete: 1,
      covered: 1,
    });
    expect(byHeading(exportedSummary(rows, { per: 'day', earlier: null }, zone))).toHaveProperty(
      'change since before',
    );
  });
});
