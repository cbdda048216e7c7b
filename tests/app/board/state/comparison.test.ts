import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparedOf, coversPeriod, type ComparedPeriod } from '#app/board/state/comparison.ts';
import {
  compareWith,
  givenBefore,
  historyNeed,
  noiseOf,
  type NoiseOf,
} from '#app/board/state/compare-with.ts';
import type { BoardNeed } from '#app/board/state/need-key.ts';
import { policyOf } from '#app/counts/source-policy.ts';
import { chosenSpan } from '#core/series/chosen-span.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { boundaries } from '#core/time/boundary.ts';
import { Edges } from '#core/time/edges.ts';
import { EARLIER, namedPeriods } from '#core/series/comparison.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS, type Span } from '#core/time/span.ts';
import { localDayStart, zoneTable } from '#core/time/zone.ts';
import { runs } from '#tests/support/run/runs.ts';

const START = Date.UTC(2026, 0, 1);
const window = { start: START, end: START + 40 * DAY_MS };
const table = zoneTable('UTC', { start: START - 400 * DAY_MS, end: window.end });
const curveOf = (span: Span, count: number): Curve => {
  const bounds = boundaries(span, 'day', table, 1);
  const size = bounds.length - 1;
  return {
    bounds,
    counts: new Float64Array(size).fill(count),
    states: new Uint8Array(size).fill(STATE.settled),
    fetchedAt: new Float64Array(size),
  };
};

/** The period before a curve of days. */
function previousOf({ bounds }: Curve, of: Span = window): ComparedPeriod {
  const cut = { edges: Edges.of(bounds), range: of, window: of, asked: of, table } as const;
  const [compared] = comparedOf({ ...cut, resolution: 'day', unit: null }, 'previous');
  if (!compared) throw new Error('expected an earlier period');
  return compared;
}

/** A curve whose source covers buckets that start at an instant or later. */
const coveredFrom = (span: Span, count: number, from: number): Curve => {
  const curve = curveOf(span, count);
  const before = curve.bounds.subarray(0, -1).findIndex((at) => at >= from);
  const end = before < 0 ? curve.counts.length : before;
  curve.counts.fill(Number.NaN, 0, end);
  curve.states.fill(STATE.uncovered, 0, end);
  return curve;
};

describe('a comparison with an earlier period of which the source', () => {
  it.each([
    ['all', -Infinity, true],
    ['all and earlier days', START - 90 * DAY_MS, true],
    ['all but a day', START - 39 * DAY_MS, true],
    ['half of it', START - 20 * DAY_MS, false],
    ['none of it', START + 3 * DAY_MS, false],
  ])('covers %s', (_, from, comparable) => {
    const shown = curveOf(window, 8);
    const compared = previousOf(shown);
    const before = coveredFrom(compared.span, 4, from);
    const { change } = compareWith(shown, before, compared, table, window.end);
    if (comparable) expect(change).toMatchObject({ ok: true, value: { change: 1 } });
    else expect(change).toEqual({ ok: false, why: 'uncovered' });
  });
});

it('has no counts, not even zero, before the source’s first Post', () => {
  const shown = curveOf(window, 8);
  const compared = previousOf(shown);
  const before = coveredFrom(compared.span, 4, START - 20 * DAY_MS);
  const { curve } = compareWith(shown, before, compared, table, window.end);
  expect([...curve.counts.subarray(18, 22)]).toEqual([Number.NaN, Number.NaN, 4, 4]);
  expect([...curve.states.subarray(18, 22)]).toEqual([
    STATE.uncovered,
    STATE.uncovered,
    STATE.settled,
    STATE.settled,
  ]);
});

it('compares the requested span with an equally long one, although its outer buckets extend beyond it', () => {
  const end = Date.UTC(2026, 10, 20, 13, 2);
  const asked = { start: end - DAY_MS, end };
  const first = Date.UTC(2026, 10, 19, 13);
  const edges = Edges.of(Float64Array.from({ length: 26 }, (_, i) => first + i * HOUR_MS));
  const window = { start: first, end: first + 25 * HOUR_MS };
  const cut = {
    edges,
    range: asked,
    window,
    asked,
    resolution: 'hour',
    table,
    unit: null,
  } as const;
  expect(comparedOf(cut, 'previous')[0]).toMatchObject({
    from: 0,
    to: 25,
    span: { start: asked.start - DAY_MS, end: asked.start },
  });
});

describe('a comparison with a chosen period', () => {
  const shown = curveOf(window, 8);
  const cut = { range: window, window, asked: window, resolution: 'day', unit: null } as const;
  const edges = Edges.of(shown.bounds);

  it('compares only the days that a shorter period has', () => {
    const chosen = { from: '2025-11-01', to: '2025-11-10', by: 'start' } as const;
    const [compared] = comparedOf({ ...cut, edges, table }, chosen, chosenSpan);
    if (!compared) throw new Error('expected a period');
    const before = curveOf(compared.span, 4);
    expect(before.counts).toHaveLength(10);
    expect(coversPeriod(before, compared)).toBe(true);
    expect(coversPeriod(shown, compared)).toBe(false);
    const { change, curve } = compareWith(shown, before, compared, table, window.end);
    const value = { change: 1, before: 40, after: 80, compared: 10, buckets: 40 };
    expect(change).toMatchObject({ ok: true, value });
    expect([...curve.counts.subarray(8, 12)]).toEqual([4, 4, Number.NaN, Number.NaN]);
  });

  it('moves with a zoom, and may lie later than the range', () => {
    const zoom = { start: START + 3 * DAY_MS, end: START + 5 * DAY_MS };
    const chosen = { from: '2026-03-01', to: '', by: 'start' } as const;
    const [compared] = comparedOf(
      { ...cut, edges, window: zoom, asked: null, table },
      chosen,
      chosenSpan,
    );
    expect(compared?.span).toEqual({ start: Date.UTC(2026, 2, 4), end: Date.UTC(2026, 2, 6) });
  });

  it('is none before the first Post, or for a day that does not exist', () => {
    for (const from of ['2006-01-01', '2025-02-30']) {
      expect(
        comparedOf({ ...cut, edges, table }, { from, to: '', by: 'start' }, chosenSpan),
      ).toEqual([]);
    }
  });
});

describe('the margin of a change', () => {
  const week = { start: START, end: START + 7 * DAY_MS };
  const shown = curveOf(week, 60);
  const compared = previousOf(shown, week);
  const before = curveOf(compared.span, 50);
  const need = { source: { id: 'posts' }, policy: policyOf('posts', null) } as BoardNeed;
  const { need: asked, ask } = historyNeed(need, compared);

  it('comes from the time before the view, which is counted for own Posts and never bought', () => {
    expect(asked).toMatchObject({
      span: { start: START - 182 * DAY_MS, end: START },
      resolution: 'day',
      unit: null,
    });
    expect(ask).toBe(true);
    const priced = { ...need, policy: policyOf('platform', null) };
    expect(priced.policy.terms).not.toBeNull();
    expect(historyNeed(priced, compared).ask).toBe(false);
  });

  const whole = curveOf(asked.span, 50);
  const unknown = {
    ...whole,
    counts: whole.counts.map(() => Number.NaN),
    states: whole.states.map(() => STATE.never),
  };

  /**
   * The change of this week with weeks of history, each so many Posts a day.
   *
   * @param cutMs - The part of one more day with which the history begins.
   */
  const changeAfter = (weeks: readonly number[], cutMs = 0) => {
    const start = START - weeks.length * 7 * DAY_MS;
    const history = curveOf({ start: start - cutMs, end: START }, 0);
    const first = cutMs > 0 ? 1 : 0;
    if (first > 0) history.states[0] = STATE.partial;
    for (let i = first; i < history.counts.length; i += 1)
      history.counts[i] = weeks[Math.floor((i - first) / 7)] ?? 0;
    const run = { curve: before, basis: null };
    const loaded = { curve: history, phase: 'done', outdated: false } as const;
    const of = { curve: shown, basis: null, earlier: run, compared, history: loaded, due: false };
    const noise = noiseOf(of, table) ?? undefined;
    const bases = { now: null, before: null };
    const { change } = compareWith(shown, before, compared, table, week.end, bases, noise);
    if (!change.ok) throw new Error('expected a change');
    return change.value;
  };

  it('is as wide as weeks usually vary, without the weeks compared', () => {
    const calm = Array.from({ length: 26 }, () => 50);
    const bursty = calm.map((posts, i) => (i % 3 === 0 ? 4 * posts : posts));
    expect(changeAfter(calm)).toMatchObject({ before: 350, after: 420, clear: true });
    expect(changeAfter(bursty).clear).toBe(false);
    // The compared week itself, the last before the view, says nothing about the usual.
    expect(changeAfter([...calm.slice(0, 25), 9000])).toEqual(changeAfter(calm));
  });

  it('is the same wherever in a day the history begins', () => {
    const bursty = Array.from({ length: 26 }, (_, i) => (i % 3 === 0 ? 200 : 50));
    for (const hours of [1, 2, 23])
      expect(changeAfter(bursty, hours * HOUR_MS)).toEqual(changeAfter(bursty));
  });

  it.each<[string, boolean | null, Partial<NonNullable<NoiseOf['history']>> | null, boolean]>([
    ['is not loaded yet', true, null, false],
    ['is being read', false, { phase: 'reading', curve: null }, false],
    ['is being fetched', false, { phase: 'fetching', curve: unknown }, false],
    ['is that of another range', true, { curve: before }, false],
    ['is outdated', false, { outdated: true }, false],
    ['is read again', true, { phase: 'reading' }, true],
    ['could not be loaded', false, { phase: 'failed', curve: unknown }, true],
    [
      'is being read from the cache of the platform',
      null,
      { phase: 'reading', curve: null },
      false,
    ],
    ['is not bought on the platform', null, null, true],
    ['is partly in the cache of the platform', null, { curve: unknown }, true],
  ])('is known, or not yet, while the history %s', (_, due, history, known) => {
    const loaded = { curve: whole, phase: 'done', outdated: false, ...history } as const;
    const of = { curve: shown, basis: null, earlier: null, compared, due };
    const noise = noiseOf({ ...of, history: history && loaded }, table);
    expect(noise !== null).toBe(known);
  });

  it('of a file comes from the file, if that reaches back before the view', () => {
    const file = (span: Span) => ({ ...curveOf(span, 50), label: 'Ours', query: '', source: '' });
    const time = { zone: 'UTC', weekStart: 1, now: week.end } as const;
    expect(givenBefore(file(week), compared, time)).toBeNull();
    const given = givenBefore(file({ start: asked.span.start, end: week.end }), compared, time);
    expect(given?.earlier.curve.counts).toEqual(before.counts);
    expect(given?.history.curve?.counts).toEqual(whole.counts);
  });

  it('is never exceeded clearly with fewer than nine earlier weeks', () => {
    const weeks = (size: number) => Array.from({ length: size }, () => 50);
    expect(changeAfter(weeks(10)).clear).toBe(true);
    const { low, clear } = changeAfter(weeks(9));
    expect([low > 0, clear]).toEqual([true, false]);
  });
});

describe('several earlier periods', () => {
  const REACH = { start: ARCHIVE_START, end: Date.UTC(2030, 0, 1) };
  /** Posts before an instant, so that every span has its own exact count. */
  const postsBefore = (at: number): number => Math.floor((at - ARCHIVE_START) / 420_000);
  /** The counts of a query over a span. */
  const asked = (bounds: Float64Array): Curve => {
    const size = bounds.length - 1;
    const counts = Float64Array.from(
      { length: size },
      (_, i) => postsBefore(bounds[i + 1] ?? 0) - postsBefore(bounds[i] ?? 0),
    );
    const states = new Uint8Array(size).fill(STATE.settled);
    return { bounds, counts, states, fetchedAt: new Float64Array(size) };
  };
  const zones = ['UTC', 'Europe/Berlin', 'America/Havana', 'Pacific/Apia', 'Australia/Lord_Howe'];

  it('are those of the name, the latest first, as far as the archive goes', () => {
    const start = Date.UTC(2010, 2, 1);
    const edges = Edges.of(boundaries({ start, end: start + 20 * DAY_MS }, 'day', table, 1));
    const window = { start, end: start + 20 * DAY_MS };
    const cut = { edges, range: window, window, asked: window, resolution: 'day' } as const;
    const of = { ...cut, table: zoneTable('UTC', REACH), unit: null };
    const years = comparedOf(of, 'year-5').map(({ span }) => new Date(span.start).getUTCFullYear());
    expect(years).toEqual([2009, 2008, 2007]);
    expect(comparedOf(of, 'weekdays-2').map(({ back }) => back)).toEqual([1, 2]);
  });

  it('each have the counts of their own query, bucket by bucket', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.constantFrom(...EARLIER),
        fc.integer({ min: 2, max: 5 }),
        fc.constantFrom('hour', 'day', 'week', 'month'),
        fc.record({
          year: fc.constantFrom(2016, 2020, 2024, 2025),
          day: fc.integer({ min: 1, max: 366 }),
          length: fc.integer({ min: 1, max: 70 }),
        }),
        (zone, earlier, times, resolution, { year, day, length }) => {
          const table = zoneTable(zone, REACH);
          const [start = 0, end = 0] = [day, day + length].map((each) =>
            localDayStart(table, { year, month: 1, day: each }),
          );
          if (start >= end) return;
          const range = { start, end };
          const edges = Edges.of(boundaries(range, resolution, table, 1));
          const shown = asked(edges.all);
          const of = { edges, range, window: range, asked: range, resolution, table, unit: null };
          for (const period of comparedOf(of, namedPeriods(earlier, times))) {
            const direct = asked(boundaries(period.span, resolution, table, 1));
            const { curve, starts, ends } = compareWith(shown, direct, period, table, REACH.end);
            curve.counts.forEach((count, i) => {
              const [from = Number.NaN, to = Number.NaN] = [starts[i], ends[i]];
              expect(count).toEqual(postsBefore(to) - postsBefore(from));
            });
            const once = starts.filter((at) => !Number.isNaN(at));
            expect(new Set(once).size).toBe(once.length);
            expect(once.every((at) => direct.bounds.includes(at))).toBe(true);
            // A year back, the only days without a place are those of a clock's or a leap year's date.
            const left = direct.counts.length - once.length;
            if (earlier === 'year' && resolution === 'day') expect(left).toBeLessThanOrEqual(2);
          }
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
