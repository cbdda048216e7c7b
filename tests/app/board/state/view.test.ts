import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatView, parseView, TABS, type View } from '#app/board/state/view.ts';
import { COMPARISONS, FORMS, SCALES } from '#app/chart/draw/form.ts';
import { unicodeText } from '#tests/support/data/unicode-text.ts';
import { formulasOver } from '#tests/core/series/formulas.ts';
import { PRESETS } from '#core/time/presets.ts';
import { EARLIER, namedPeriods } from '#core/series/comparison.ts';
import { RESOLUTIONS } from '#core/time/resolution.ts';

const text = fc.string({ unit: 'grapheme' });
const minute = fc.integer({ min: 19_100_000, max: 29_900_000 }).map((n) => n * 60_000);
const stretch = fc.tuple(minute, fc.integer({ min: 1, max: 9999 })).map(([start, n]) => ({
  start,
  end: start + n * 60_000,
}));
const place = fc.integer({ min: 1, max: 99 });
const views: fc.Arbitrary<View> = fc.record(
  {
    source: fc.constantFrom('sample' as const, 'posts' as const),
    range: fc.oneof(
      fc.constantFrom(...PRESETS).map(({ id }) => ({ preset: id })),
      fc.record({ from: text, to: text }),
    ),
    zone: fc.constantFrom('UTC', 'America/New_York', 'Asia/Kathmandu'),
    resolution: fc.constantFrom(...RESOLUTIONS),
    endpoint: fc.constantFrom('recent' as const, 'all' as const),
    weekStart: fc.constantFrom(1 as const, 7 as const),
    zoom: stretch,
    tab: fc.constantFrom(...TABS),
    fine: fc.constantFrom(...RESOLUTIONS, 'off' as const),
    form: fc.constantFrom(...FORMS),
    scale: fc.constantFrom(...SCALES),
    trend: fc.oneof(
      fc.constantFrom({ kind: 'cumulative' as const }, { kind: 'index' as const }),
      fc.record({
        kind: fc.constant('average' as const),
        buckets: fc.integer({ min: 2, max: 999 }),
      }),
      fc.record({ kind: fc.constant('per' as const), of: place }),
    ),
    comparison: fc.oneof(
      fc.constantFrom(...COMPARISONS, ...EARLIER.map((earlier) => namedPeriods(earlier, 3))),
      fc.record({
        from: fc.constantFrom('2025-11-01', '2025-11-01 14:30'),
        to: fc.constantFrom('', '2025-12-31'),
        by: fc.constantFrom('start', 'weekday'),
      }),
    ),
    peaks: fc.constant(false),
    forecast: fc.constant(true),
    trendline: fc.constant(true),
    target: fc.record(
      {
        value: fc.integer({ min: 1, max: 999_999_999 }).map((n) => n / 1000),
        label: fc.string({ maxLength: 60 }).map((label) => label.trim()),
        per: fc.constantFrom(...RESOLUTIONS),
      },
      { requiredKeys: ['value', 'label'] },
    ),
    live: fc.constant(true),
    board: fc.uuid(),
    events: fc.uniqueArray(fc.constantFrom('-note', '-post', '+story'), { minLength: 1 }),
    picked: fc.record({ of: place, span: stretch }),
    series: fc.array(
      fc.oneof(
        fc.record(
          { query: text, typed: text, label: text, hidden: fc.boolean(), style: place },
          { requiredKeys: ['query', 'label', 'hidden'] },
        ),
        fc.record({
          query: text,
          label: fc.string({ unit: 'grapheme', minLength: 1 }),
          derived: fc.constant(true),
          hidden: fc.boolean(),
        }),
        fc.record({
          query: fc.constant(''),
          label: text,
          hidden: fc.boolean(),
          file: fc.constantFrom('0123abcd', 'ffffffff'),
        }),
        fc.record({
          query: fc.constant(''),
          label: text,
          hidden: fc.boolean(),
          formula: formulasOver([1, 2, 5, 27, 800]),
        }),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  },
  { requiredKeys: [] },
);

const formatTarget = (target: string): string => new URLSearchParams({ target }).toString();

describe('the view in the address', () => {
  it('parses back to the same view', () => {
    fc.assert(
      fc.property(views, (view) => {
        expect(parseView(`#${formatView(view)}`)).toEqual({ view, problems: [] });
      }),
    );
  });

  it('never throws, and reports what it cannot parse', () => {
    fc.assert(fc.property(unicodeText(), (fragment) => void parseView(fragment)));
    const { view, problems } = parseView(
      'source=mars&zone=Europe/Atlantis&by=second&range=eternity&from=2026-01-01&window=some&week=3&zoom=a/b&tab=map&q=tea&hidden=1',
    );
    expect(view).toEqual({ series: [{ query: 'tea', label: '', hidden: true }] });
    expect(problems).toHaveLength(9);
    expect(problems[0]).toBe('“mars” is not a known source.');
  });

  it.each([
    ['1+2', 'A+B'],
    ['12-3', 'L-C'],
    ['1/2', 'A/B'],
    ['1/(1+2)', 'A/(A+B)'],
  ])('reads the formula %s of an earlier version', (before, now) => {
    const { view, problems } = parseView(new URLSearchParams({ q: 'a', calc: before }).toString());
    expect(problems).toEqual([]);
    expect(formatView(view)).toBe(
      new URLSearchParams({ q: 'a', calc: now }).toString().replaceAll('%2F', '/'),
    );
  });

  it.each(['1', '7', 'A', '2*A'])('reads a formula of one series, %s', (calc) => {
    expect(parseView(new URLSearchParams({ calc }).toString()).problems).toEqual([]);
  });

  it.each(['A+', '"a"', 'A//B', 'A B', 'x'.repeat(600)])('refuses the formula %s', (calc) => {
    expect(parseView(new URLSearchParams({ calc }).toString()).problems).toHaveLength(1);
  });

  it.each(['0', '-5', '5/fortnight', 'many', '1e9', '5 ', `5 ${'x'.repeat(61)}`, '1234567890123'])(
    'rejects the target “%s”',
    (target) => {
      const { view, problems } = parseView(formatTarget(target));
      expect([view.target, problems]).toEqual([undefined, [`“${target}” is not a known target.`]]);
    },
  );

  it('ignores unknown keys', () => {
    expect(parseView('flights=news&events=news&q=a')).toEqual({
      view: { series: [{ query: 'a', label: '', hidden: false }] },
      problems: [],
    });
  });

  it('rejects a reversed zoom', () => {
    expect(parseView('zoom=2026-01-02T00:00Z/2026-01-01T00:00Z').problems).toHaveLength(1);
  });

  it('writes zone and zoom readably', () => {
    const zoom = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 2) };
    expect(formatView({ zone: 'Europe/Berlin', zoom })).toBe(
      'zone=Europe/Berlin&zoom=2026-01-01T00:00Z/2026-01-02T00:00Z',
    );
  });
});
