import { describe, expect, test } from 'vitest';
import { viewOf } from '#core/series/bucket-layout.ts';
import type { Need } from '#app/counts/need.ts';

type Shown = Pick<Need, 'resolution' | 'zone' | 'exact'>;

const view = (from: string, to: string, shown: Partial<Shown> = {}) =>
  viewOf({
    span: { start: Date.parse(from), end: Date.parse(to) },
    resolution: 'day',
    zone: 'UTC',
    weekStart: 1,
    ...shown,
  });

describe('viewOf', () => {
  test.each<[string, string, Partial<Shown>, string]>([
    ['2026-11-01', '2026-11-20', {}, 'day'],
    ['2026-11-01', '2026-11-20', { resolution: 'hour' }, 'hour'],
    ['2026-11-01', '2026-11-20', { resolution: 'minute' }, 'minute'],
    ['2026-01-01', '2027-01-01', { resolution: 'month' }, 'day'],
    ['2026-11-01T04:00Z', '2026-11-02T05:00Z', { zone: 'America/New_York' }, 'hour'],
    [
      '2026-11-01T05:00Z',
      '2026-11-20T05:00Z',
      { zone: 'America/New_York', resolution: 'month' },
      'hour',
    ],
    ['2026-10-31T18:15Z', '2026-11-01T18:15Z', { zone: 'Asia/Kathmandu' }, 'minute'],
    [
      '2026-10-31T18:15Z',
      '2026-11-01T18:15Z',
      { zone: 'Asia/Kathmandu', resolution: 'hour' },
      'minute',
    ],
    ['2026-11-19T10:17Z', '2026-11-20T10:17Z', { resolution: 'hour' }, 'hour'],
    ['2026-11-01T10:17Z', '2026-11-20T10:17Z', {}, 'hour'],
    ['2026-11-01T10:17Z', '2026-11-20T10:17Z', { exact: true }, 'minute'],
    ['2026-11-01T10:00Z', '2026-11-20T10:00Z', { exact: true }, 'hour'],
    ['2006-04-01T10:17Z', '2026-11-20T10:17Z', { exact: true }, 'minute'],
  ])('requests %s to %s, %j, by %s', (from, to, shown, granularity) => {
    expect(view(from, to, shown).granularity).toBe(granularity);
  });

  test('widens the ends to whole buckets of the granularity, and reports which buckets the range cuts', () => {
    const { span, cut, edges } = view('2026-11-01T10:17Z', '2026-11-03T00:00Z');
    expect(new Date(span.start).toISOString()).toBe('2026-11-01T10:00:00.000Z');
    expect(new Date(span.end).toISOString()).toBe('2026-11-03T00:00:00.000Z');
    expect(cut).toEqual({ first: true, last: false });
    expect(edges.all).toHaveLength(3);
  });

  test('with `exact`, keeps the ends of the range and reports the outer buckets as cut', () => {
    const shown = { resolution: 'hour', exact: true } as const;
    const { span, cut, edges } = view('2026-11-01T10:20Z', '2026-11-01T12:40Z', shown);
    expect([...edges.all].map((at) => new Date(at).toISOString().slice(11, 16))).toEqual([
      '10:20',
      '11:00',
      '12:00',
      '12:40',
    ]);
    expect([span.start, span.end]).toEqual([edges.start, edges.end]);
    expect(cut).toEqual({ first: true, last: true });
  });

  test('by minutes, covers the minutes that the span touches', () => {
    const { span, edges, cut } = viewOf({
      span: { start: 90_000, end: 3_600_001 },
      resolution: 'minute',
      zone: 'Asia/Kathmandu',
      weekStart: 1,
    });
    expect(span).toEqual({ start: 60_000, end: 3_660_000 });
    expect(edges.written).toBe(false);
    expect(Array.from(edges.all)).toEqual(Array.from({ length: 61 }, (_, i) => (i + 1) * 60_000));
    expect(cut).toEqual({ first: false, last: false });
  });

  test('does not report a bucket as cut if widening makes it whole', () => {
    const { cut } = view('2026-11-19T10:17Z', '2026-11-20T10:17Z', { resolution: 'hour' });
    expect(cut).toEqual({ first: false, last: false });
  });

  test('rejects an empty span', () => {
    expect(() => view('2026-11-01', '2026-11-01')).toThrow(RangeError);
    expect(() =>
      view('2026-11-01T00:00:30Z', '2026-11-01T00:00:30Z', { resolution: 'minute' }),
    ).toThrow(RangeError);
  });
});
