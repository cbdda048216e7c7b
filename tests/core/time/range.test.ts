import { describe, expect, it } from 'vitest';
import {
  drawnResolution,
  fittingResolution,
  sourceReach,
  spanOf,
  typedRange,
} from '#core/time/range.ts';
import { localText } from '#core/time/local-text.ts';
import { PRESETS, presetSpan } from '#core/time/presets.ts';
import { ARCHIVE_START, DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { zoneTable } from '#core/time/zone.ts';

const now = Date.UTC(2026, 10, 20, 13, 2);
const zone = (name: string) =>
  zoneTable(name, { start: ARCHIVE_START - 3 * DAY_MS, end: now + 400 * DAY_MS });
const berlin = zone('Europe/Berlin');

describe('a typed range', () => {
  it('includes the whole of its last day', () => {
    expect(typedRange('2026-03-01', '2026-03-31', berlin, now)).toEqual({
      ok: true,
      span: { start: Date.UTC(2026, 1, 28, 23), end: Date.UTC(2026, 2, 31, 22) },
    });
  });

  it('excludes the minute of its end time', () => {
    expect(typedRange('2026-03-01 06:30', ' 2026-03-01T07:00 ', berlin, now)).toEqual({
      ok: true,
      span: { start: Date.UTC(2026, 2, 1, 5, 30), end: Date.UTC(2026, 2, 1, 6) },
    });
  });

  it('may be today only', () => {
    const typed = typedRange('2026-11-20', '2026-11-20', berlin, now);
    expect(typed).toMatchObject({ ok: true });
  });

  it.each(PRESETS.map(({ id }) => id).filter((id) => id.startsWith('this-')))(
    'accepts all of %s, although part of it is in the future',
    (preset) => {
      for (const at of [now, Date.UTC(2026, 11, 31, 12), Date.UTC(2027, 0, 1, 12)]) {
        const span = presetSpan(preset, at, berlin, 7, { start: 0, end: at });
        const day = (instant: number): string => localText(instant, berlin).slice(0, 10);
        const typed = typedRange(day(span.start), day(span.end - 1), berlin, at);
        expect(typed).toEqual({ ok: true, span });
      }
    },
  );

  it.each([
    ['', '2026-01-01', { from: /Enter a date/ }],
    ['soon', '2026-01-01', { from: /not a date like 2026-03-08/ }],
    ['2026-02-30', '2026-13-01', { from: /no day 30/, to: /no month 13/ }],
    ['2026-03-02', '2026-03-01', { to: /before the start/ }],
    ['2026-03-02 10:00', '2026-03-02 10:00', { to: /equals the start/ }],
    ['2006-03-20', '2026-03-01', { from: /begin on 2006-03-21/ }],
    ['2006-03-21 00:30', '2026-03-01', { from: /begin on 2006-03-21/ }],
    ['2026-11-21', '2026-11-22', { from: /future/ }],
    ['2026-11-01', '2027-01-08', { to: /A range can end in 2026/ }],
  ])('is rejected with an explanation: %j to %j', (from, to, wrong) => {
    const typed = typedRange(from, to, berlin, now);
    expect(typed.ok).toBe(false);
    if (typed.ok) return;
    for (const end of ['from', 'to'] as const) {
      const words: RegExp | undefined = (wrong as { from?: RegExp; to?: RegExp })[end];
      if (words) expect(typed[end]).toMatch(words);
      else expect(typed[end]).toBeUndefined();
    }
  });

  it('starts with the archive on its first day, also east of Greenwich', () => {
    expect(typedRange('2006-03-21', '2006-03-22', berlin, now)).toMatchObject({
      ok: true,
      span: { start: ARCHIVE_START },
    });
  });
});

describe('the reach of a source', () => {
  it('covers the source in whole local days', () => {
    const source = { first: Date.UTC(2015, 6, 11, 23, 30), last: Date.UTC(2017, 8, 30, 10) };
    expect(sourceReach(source, now, berlin)).toEqual({
      start: Date.UTC(2015, 6, 11, 22),
      end: Date.UTC(2017, 8, 30, 22),
    });
  });

  it.each([
    ['2026-03-10T05:50Z', '2026-03-10T07:00Z', '2026-03-10T05:45Z', '2026-03-10T07:15Z'],
    ['2026-03-10T05:30Z', '2026-03-10T05:30Z', '2026-03-10T05:30Z', '2026-03-10T05:45Z'],
    ['2026-03-10T05:50Z', '2026-03-10T11:50Z', '2026-03-10T05:45Z', '2026-03-10T12:00Z'],
    ['2026-03-10T05:50Z', '2026-03-10T11:51Z', '2026-03-09T18:30Z', '2026-03-10T18:30Z'],
  ])(
    'covers a source of up to six hours in whole quarters of an hour, else in whole local days: %s to %s',
    (first, last, ...reach) => {
      const source = { first: Date.parse(first), last: Date.parse(last) };
      const [start = '', end = ''] = reach;
      const expected = { start: Date.parse(start), end: Date.parse(end) };
      expect(sourceReach(source, now, zone('Asia/Kolkata'))).toEqual(expected);
    },
  );

  it('covers the archive if the source is empty', () => {
    expect(sourceReach({ first: null, last: null }, now, zone('UTC'))).toEqual({
      start: ARCHIVE_START,
      end: Date.UTC(2026, 10, 21),
    });
  });
});

describe('the span of a range', () => {
  const context = { table: berlin, weekStart: 1 as const, now, source: null };
  it('of 30 days is 30 local days including today', () => {
    expect(spanOf({ preset: '30d' }, context)).toEqual({
      start: Date.UTC(2026, 9, 21, 22),
      end: Date.UTC(2026, 10, 20, 23),
    });
  });
  it('is null if the typed range is invalid', () => {
    expect(spanOf({ from: 'x', to: 'y' }, context)).toBeNull();
  });
});

describe('the initial resolution', () => {
  it.each([
    [HOUR_MS, 'minute'],
    [DAY_MS, 'hour'],
    [7 * DAY_MS, 'hour'],
    [30 * DAY_MS, 'day'],
    [1096 * DAY_MS, 'day'],
    [9 * 365 * DAY_MS, 'week'],
    [20 * 365 * DAY_MS, 'month'],
  ])('of %i ms is the %s', (width, resolution) => {
    expect(fittingResolution({ start: 0, end: width })).toBe(resolution);
  });

  it.each([
    [6 * HOUR_MS, 'minute', 'hour'],
    [DAY_MS, 'hour', 'hour'],
    [7 * DAY_MS, 'hour', 'day'],
    [30 * DAY_MS, 'day', 'day'],
    [366 * DAY_MS, 'day', 'week'],
    [1096 * DAY_MS, 'week', 'month'],
    [20 * 365 * DAY_MS, 'month', 'quarter'],
  ])('of a chart of %i ms is the %s, on a phone the %s', (width, resolution, narrow) => {
    const span = { start: 0, end: width };
    expect([drawnResolution(span), drawnResolution(span, true)]).toEqual([resolution, narrow]);
  });
});
