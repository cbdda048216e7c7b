import { describe, expect, it } from 'vitest';
import type { ChartSeries } from '#app/chart/chart-props.ts';
import { figureOf } from '#app/chart/draw/layout.ts';
import type { Unit } from '#core/series/formula.ts';
import type { Form, Trend } from '#app/chart/draw/form.ts';
import { figureNotes } from '#app/chart/notes/notes.ts';
import { tipOf } from '#app/chart/interact/tooltip-rows.ts';
import { Formatter } from '#app/format/formatter.ts';
import { seriesStyle } from '#app/ui/series-style.ts';
import type { Dispersion } from '#core/series/confidence.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { curveOf } from '#tests/core/series/curves.ts';
import { changeText, readingAt } from '#app/chart/interact/line-reading.ts';

const formatter = new Formatter('en-GB');
const named = (id: number, curve: Curve, ...earlier: Curve[]): ChartSeries => ({
  id,
  name: `s${id}`,
  style: seriesStyle(id),
  curve,
  pyramid: null,
  earlier: earlier.map((past, period) => ({ curve: past, pyramid: null, period })),
});
const NONE: Trend = { kind: 'none' };

function tip(
  series: readonly ChartSeries[],
  from: number,
  over: { to?: number; form?: Form; trend?: Trend; width?: number; names?: string[] } = {},
) {
  const { to = from + 1, form = 'line', trend = NONE, width = 700 } = over;
  const { names = ['the year before'] } = over;
  const end = series[0]?.curve.bounds.at(-1) ?? 0;
  const window = { start: 0, end };
  const figure = figureOf({
    series,
    baseline: series[1] ?? null,
    window,
    form,
    trend,
    width,
  });
  return tipOf({ figure }, { from, to, at: 0 }, series, {
    trend,
    now: 1000,
    resolution: 'day',
    zone: 'UTC',
    formatter,
    earlier: names,
  });
}

const { never, partial, provisional, settled } = STATE;
const read = [
  named(1, curveOf([1, 2, 3, Number.NaN], { states: [settled, provisional, partial, never] })),
  named(2, curveOf([9, Number.NaN, 8, Number.NaN])),
];

describe('the values at an instant', () => {
  it('are those of its bucket, largest first, unknown ones last', () => {
    expect(readingAt(read, 5, 25)).toMatchObject({
      start: 0,
      end: 10,
      rows: [
        { id: 2, count: 9, note: '' },
        { id: 1, count: 1, note: '' },
      ],
    });
    expect(readingAt(read, 15, 25)?.rows.map(({ id, note }) => [id, note])).toEqual([
      [1, 'may still change a little'],
      [2, ''],
    ]);
  });

  it.each([
    [25, 25, 'not over yet'],
    [25, 99, 'counted in part'],
  ])('at %i with now at %i say why a bucket is unfinished: %s', (at, now, note) => {
    expect(readingAt(read, at, now)?.rows[1]?.note).toBe(note);
  });

  it('distinguish unknown buckets from future ones', () => {
    expect(readingAt(read, 35, 99)?.rows[0]?.instead).toBe('not known');
    expect(readingAt(read, 35, 25)?.rows[0]?.instead).toBe('not yet');
  });

  it('are null where no series has a bucket', () => {
    expect(readingAt(read, 40, 99)).toBeNull();
    expect(readingAt([], 5, 99)).toBeNull();
  });
});

describe('the tooltip', () => {
  const list = [named(1, curveOf([30, 40])), named(2, curveOf([70, Number.NaN]))];

  it('shows counts, largest first, unknown ones last', () => {
    expect(tip(list, 0)).toMatchObject({
      title: 'Thu, 1 Jan 1970',
      rows: [
        { name: 's2', value: '70', count: '' },
        { name: 's1', value: '30', count: '' },
      ],
      total: '',
    });
    expect(tip(list, 1)?.rows.map(({ value }) => value)).toEqual(['40', 'not known']);
  });

  it('shows the confidence band of a share if its ends differ in text', () => {
    const notes = (counts: readonly number[]) =>
      tip(
        counts.map((count, i) => named(i + 1, curveOf([count]))),
        0,
        { form: 'share' },
      )?.rows.map(({ note }) => note);
    expect(notes([22, 14])).toEqual(['44.9% to 75.2% by chance', '24.8% to 55.1% by chance']);
    expect(notes([22_000_000, 14_000_000])).toEqual(['', '']);
    expect(notes([0, 0])).toEqual(['', '']);
    // The band of one bucket does not apply to a sum over several.
    const lists = [curveOf([900, 22]), curveOf([100, 14])].map((curve, i) => named(i + 1, curve));
    const summed = tip(lists, 1, { form: 'share', trend: { kind: 'cumulative' } });
    expect(summed?.rows.map(({ note }) => note)).toEqual(['', '']);
  });

  it('shows shares with their counts, and the total', () => {
    expect(tip(list, 0, { form: 'share' })).toMatchObject({
      rows: [
        { value: '70%', count: '70', top: 1 },
        { value: '30%', count: '30', top: 0.3 },
      ],
      total: '100',
    });
    expect(tip(list, 1, { form: 'share' })).toMatchObject({
      rows: [
        { value: '–', count: '40' },
        { value: '–', count: 'not known' },
      ],
      total: '',
    });
  });

  it('shows the mean of a column with its sum', () => {
    expect(tip([named(1, curveOf([30, 40]))], 0, { to: 2, form: 'stack' })).toMatchObject({
      title: formatter.span({ start: 0, end: 20 }, 'UTC'),
      rows: [{ value: '35', count: '70' }],
    });
  });

  it('shows the denominator of rates by its count', () => {
    expect(tip(list, 0, { trend: { kind: 'per', of: 2 } })?.rows).toMatchObject([
      { name: 's1', value: '42,857', count: '30' },
      { name: 's2', value: '70', count: '' },
    ]);
  });
});

describe('a quotient in the tooltip', () => {
  const quotient = (id: number, values: readonly number[], unit: Unit): ChartSeries => ({
    ...named(id, curveOf(values)),
    unit,
  });
  const zero: ChartSeries = {
    ...quotient(5, [Number.NaN, 1], 'ratio'),
    curve: { ...curveOf([Number.NaN, 1]), states: new Uint8Array(2).fill(STATE.settled) },
  };
  const list = [
    quotient(3, [0.3, 0.25], 'part'),
    quotient(4, [900.4, 7], 'ratio'),
    zero,
    named(1, curveOf([30, 40])),
    named(2, curveOf([70, Number.NaN])),
  ];

  it('is formatted by its kind, after the counts', () => {
    expect(tip(list, 0)?.rows.map(({ name, value, count }) => [name, value, count])).toEqual([
      ['s2', '70', ''],
      ['s1', '30', ''],
      ['s4', '900', ''],
      ['s3', '30%', ''],
      ['s5', 'divided by zero', ''],
    ]);
    expect(tip([quotient(3, [0.000_25], 'part')], 0)?.rows[0]?.value).toBe('0.025%');
  });

  it('does not change with the trend, and is not part of the total', () => {
    const over = { form: 'stack', trend: { kind: 'cumulative' } } as const;
    const shown = tip(list, 1, over);
    expect(shown?.rows.find(({ name }) => name === 's3')).toMatchObject({
      value: '25%',
      top: 0.25,
    });
    expect(tip(list, 0, over)?.total).toBe('100');
    expect(tip(list.slice(0, 4), 0, { form: 'stack' })?.total).toBe('');
  });

  it('shows its minimum and maximum for several buckets', () => {
    const rows = tip(list, 0, { to: 2, form: 'stack' })?.rows;
    expect(rows?.find(({ name }) => name === 's3')).toMatchObject({
      value: '25% to 30%',
      top: Number.NaN,
    });
  });
});

describe('the earlier period', () => {
  it('is shown with the change since, but not within the noise', () => {
    const earlierOf = (count: number, noise?: Dispersion): string | undefined => {
      const series = named(1, curveOf([count]), curveOf([400]));
      const list = noise
        ? [{ ...series, earlier: series.earlier?.map((past) => ({ ...past, noise })) }]
        : [series];
      return tip(list, 0)?.rows[0]?.earlier[0];
    };
    expect(earlierOf(300)).toBe('the year before: 400 (−25.0%)');
    expect(earlierOf(390)).toBe('the year before: 400');
    const bursts = { ratio: 20, degrees: 30, stretches: 30 };
    expect(earlierOf(300, bursts)).toBe('the year before: 400');
    expect(earlierOf(30, bursts)).toBe('the year before: 400 (−92.5%)');
    expect(earlierOf(300, { ...bursts, ratio: 1, stretches: 8 })).toBe('the year before: 400');
  });

  it('is compared by the day where its buckets are of another length', () => {
    const day = 86_400_000;
    const curve = { ...curveOf([6200]), bounds: Float64Array.of(0, 31 * day) };
    const past = { ...curveOf([2800]), bounds: curve.bounds };
    const series = named(1, curve, past);
    const starts = Float64Array.of(-28 * day);
    const ends = Float64Array.of(0);
    const list = [
      { ...series, earlier: [{ curve: past, pyramid: null, starts, ends, period: 0 }] },
    ];
    expect(tip(list, 0)?.rows[0]?.earlier).toEqual(['the year before: 2,800 (+100.0% a day)']);
  });

  it.each<[string, number, string, Trend]>([
    ['plain counts', 1, ' (+100.0% a day)', NONE],
    ['an index', 1, ' (+100.0% a day)', { kind: 'index' }],
    ['a running total', 1, '', { kind: 'cumulative' }],
    ['an average', 1, '', { kind: 'average', buckets: 2 }],
    ['rates', 1, '', { kind: 'per', of: 2 }],
    ['several buckets, whose noise is not known', 2, '', NONE],
  ])('gives the change of %s', (_, buckets, change, trend) => {
    const day = 86_400_000;
    const edges = (size: number, length: number, from = 0) =>
      Float64Array.from({ length: size }, (_, i) => (from + i) * length * day);
    const of = (count: number) => ({
      ...curveOf(Array.from({ length: 12 }, () => count)),
      bounds: edges(13, 31),
    });
    const dates = { starts: edges(12, 28, -12), ends: edges(12, 28, -11) };
    const list = [
      { ...named(1, of(6200)), earlier: [{ curve: of(2800), pyramid: null, period: 0, ...dates }] },
      { ...named(2, of(9300)), earlier: [{ curve: of(8400), pyramid: null, period: 0, ...dates }] },
    ];
    const row = tip(list, 12 - buckets, { to: 12, trend })?.rows.find(({ id }) => id === 1);
    const [said = ''] = row?.earlier ?? [];
    expect(said).toMatch(/^the year before: [0-9.,]+/);
    expect(said.replace(/^the year before: [0-9.,]+/, '')).toBe(change);
  });

  it('is named by its own buckets, from the first to the last that exist', () => {
    const curve = curveOf([30, 40, 50]);
    const past = { ...curveOf([1, 2, 3]), bounds: curve.bounds };
    const series = named(1, curve, past);
    const starts = Float64Array.of(-300, -200, Number.NaN);
    const ends = Float64Array.of(-200, -100, Number.NaN);
    const list = [
      { ...series, earlier: [{ curve: past, pyramid: null, starts, ends, period: 0 }] },
    ];
    expect(tip(list, 1)?.earlier).toBe(formatter.bucket(-200, -100, 'day', 'UTC'));
    expect(tip(list, 0, { to: 3 })?.earlier).toBe(
      formatter.span({ start: -300, end: -100 }, 'UTC'),
    );
    expect(tip(list, 2)?.earlier).toBe('');
    expect(tip([named(1, curve)], 1)?.earlier).toBe('');
  });

  it('is one of several, each with its own date, as far as they are known', () => {
    const day = 86_400_000;
    const curve = { ...curveOf([300]), bounds: Float64Array.of(0, day) };
    const past = (period: number, count: number) => ({
      curve: { ...curveOf([count]), bounds: curve.bounds },
      pyramid: null,
      period,
      starts: Float64Array.of(-365 * (period + 1) * day),
      ends: Float64Array.of((1 - 365 * (period + 1)) * day),
    });
    const list = [
      { ...named(1, curve), earlier: [past(0, 400), past(1, Number.NaN), past(2, 310)] },
    ];
    const said = tip(list, 0, { names: ['1969', '1968', '1967'] });
    expect(said?.rows[0]?.earlier).toEqual([
      'Wed, 1 Jan 1969: 400 (−25.0%)',
      'Mon, 2 Jan 1967: 310',
    ]);
    expect(said?.earlier).toBe('');
  });

  it('is not compared with an unfinished bucket, or if it is zero', () => {
    const curve = { ...curveOf([30], { last: STATE.partial }), bounds: Float64Array.of(0, 5000) };
    const earlier = { ...curveOf([40]), bounds: curve.bounds };
    expect(tip([named(1, curve, earlier)], 0)?.rows[0]).toMatchObject({
      earlier: ['the year before: 40'],
      note: 'not over yet',
    });
    expect(changeText(5, 0, formatter)).toBe('');
  });
});

describe('the notes of a figure', () => {
  const notes = (lists: readonly Curve[], form: Form, trend: Trend, width = 700): string[] => {
    const series = lists.map((curve, i) => named(i + 1, curve));
    const window = { start: 0, end: lists[0]?.bounds.at(-1) ?? 0 };
    const figure = figureOf({ series, baseline: null, window, form, trend, width });
    const asked = {
      form,
      scale: 'log',
      trend,
      resolution: 'day',
      subtitled: false,
      baseline: null,
      quotients: [],
    } as const;
    return figureNotes(figure, asked);
  };
  const plain = curveOf([1, 2, 3]);

  it.each([
    ['line', NONE, [plain], ['Posts a day']],
    [
      'line',
      { kind: 'average', buckets: 7 },
      [plain],
      ['Posts a day, mean of 7 days up to each point'],
    ],
    ['area', { kind: 'cumulative' }, [plain], ['Posts, summed from the start of the view']],
    [
      'line',
      { kind: 'cumulative' },
      [curveOf([Number.NaN, 2])],
      ['No sum: the start of the view is missing'],
    ],
    [
      'share',
      { kind: 'index' },
      [plain],
      [
        '100 = mean of the first 7 days in view with Posts',
        'An index isn’t part of a whole, so it is drawn as lines',
      ],
    ],
    ['line', { kind: 'per', of: 9 }, [plain], ['No series to compute rates from']],
    [
      'stack',
      NONE,
      [plain, curveOf([1, Number.NaN, -1])],
      [
        'Posts a day',
        'Linear: stacks can’t be logarithmic',
        'Left out where a series is missing',
        'Left out where a value is below zero',
      ],
    ],
  ] as const)('of %s with %j are as expected', (form, trend, lists, wanted) => {
    expect(notes(lists, form, trend)).toEqual(wanted);
  });

  it.each([
    ['line', NONE, ['Posts a day', 'On the right axis: share of a']],
    [
      'bars',
      NONE,
      [
        'Posts a day',
        'On the right axis: share of a',
        'Ratios don’t add up, so they are drawn as lines',
      ],
    ],
    [
      'stack',
      { kind: 'cumulative' },
      [
        'Posts, summed from the start of the view',
        'Linear: stacks can’t be logarithmic',
        'On the right axis: share of a',
        'Ratios don’t add up, so they are drawn as they are, as lines',
      ],
    ],
  ] as const)('of %s with %j and a quotient are as expected', (form, trend, wanted) => {
    const part = { ...named(2, curveOf([0.1, 0.2, 0.3])), unit: 'part' } as const;
    const window = { start: 0, end: 30 };
    const fixed = { scale: 'log', resolution: 'day', subtitled: false, baseline: null } as const;
    const asked = { ...fixed, form, trend };
    const noted = (series: readonly ChartSeries[]): string[] =>
      figureNotes(figureOf({ series, baseline: null, window, form, trend, width: 700 }), {
        ...asked,
        quotients: [{ name: 'share of a', unit: 'part' }],
      });
    expect(noted([named(1, plain), part])).toEqual(wanted);
    expect(noted([part])).toEqual(wanted.filter((note) => note.startsWith('Ratios')));
  });

  it.each([
    [true, ['Ratio, mean of 7 days up to each point']],
    [false, ['Ratios don’t add up, so they are drawn as they are']],
  ])('say that a ratio is averaged only if it is: %s', (isAveraged, wanted) => {
    const [of, by] = [curveOf([1, 2, 3]), curveOf([10, 10, 10])];
    const formula = {
      kind: 'quotient',
      a: { kind: 'series', of },
      b: { kind: 'series', of: by },
    } as const;
    const part = {
      ...named(2, curveOf([0.1, 0.2, 0.3])),
      unit: 'part',
      parts: isAveraged ? formula : null,
    } as const;
    const trend = { kind: 'average', buckets: 7 } as const;
    const window = { start: 0, end: 30 };
    const asked = { form: 'line', baseline: null, trend } as const;
    const drawn = figureOf({ ...asked, series: [part], window, width: 700 });
    const chosen = {
      ...asked,
      scale: 'linear',
      resolution: 'day',
      subtitled: false,
      quotients: [part],
    } as const;
    expect(figureNotes(drawn, chosen)).toEqual(wanted);
  });

  it('say how many buckets a column covers', () => {
    const long = curveOf(Array.from({ length: 900 }, () => 1));
    expect(notes([long], 'bars', NONE, 70)).toEqual(['Posts a day, each bar the mean of 45 days']);
  });
});
