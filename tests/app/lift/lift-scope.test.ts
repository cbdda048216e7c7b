import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { campaignsIn, liftScope, liftInput, timeBeforeCampaign } from '#app/lift/lift-scope.ts';
import { liftOf } from '#core/lift/lift.ts';
import { boundaries } from '#core/time/boundary.ts';
import { bucketsIn } from '#core/series/window.ts';
import { DAY_MS, HOUR_MS } from '#core/time/span.ts';
import { plainCurve } from '#tests/support/data/volumes.ts';
import { dayBounds } from './day-bounds.ts';

const COVERED = { start: Date.UTC(2023, 0, 1), end: Date.UTC(2026, 10, 29, 9, 30) };
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];

const weekdayIn = (zone: string): ((at: number) => string) => {
  const format = new Intl.DateTimeFormat('en', { timeZone: zone, weekday: 'short' });
  return (at) => format.format(at);
};

describe('the scope of a campaign', () => {
  it('names the campaigns in a time by their start', () => {
    const named = (name: string, start: number, end: number) => ({ name, start, end });
    const all = [
      named('late', 7, 9),
      named('early', 1, 3),
      named('over', 0, 2),
      named('mid', 4, 6),
    ];
    expect(campaignsIn({ start: 2, end: 8 }, all)).toEqual(['early', 'mid', 'late']);
  });

  it.each([
    ['three local days', '2026-03-28T23:00Z', '2026-03-31T22:00Z', 'day', 3],
    [
      'parts of three days, across a change of the clock',
      '2026-03-28T10:00Z',
      '2026-03-30T10:00Z',
      'day',
      3,
    ],
    ['two days', '2026-03-28T23:00Z', '2026-03-30T22:00Z', 'hour', 47],
    ['some minutes', '2026-03-28T23:10Z', '2026-03-28T23:20Z', 'hour', 1],
  ] as const)('%s', (_, from, to, unit, buckets) => {
    const campaign = { start: Date.parse(from), end: Date.parse(to) };
    const scope = liftScope(campaign, 'Europe/Berlin', COVERED);
    expect(scope.unit).toBe(unit);
    const { start, end } = scope.campaign;
    expect(Math.round((end - start) / (unit === 'day' ? DAY_MS : HOUR_MS))).toBe(buckets);
    expect([start <= campaign.start, end >= campaign.end]).toEqual([true, true]);
    const hours = unit === 'day' ? 8 * 7 * 24 : 7 * 24;
    const before = timeBeforeCampaign(scope);
    expect(before.end).toBe(start);
    expect((start - before.start) / HOUR_MS).toBe(hours);
  });

  it('has whole buckets that have ended, of the covered time, and their weekdays, in every zone', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        fc.integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2026, 10, 1) }),
        fc.integer({ min: 3, max: 40 }),
        (zone, start, days) => {
          const campaign = { start, end: start + days * DAY_MS };
          const scope = liftScope(campaign, zone, COVERED);
          expect(scope.span.start).toBeGreaterThanOrEqual(COVERED.start - DAY_MS);
          expect(scope.span.end).toBeLessThanOrEqual(COVERED.end);
          const bounds = dayBounds(scope);
          expect([bounds[0], bounds.at(-1)]).toEqual([scope.span.start, scope.span.end]);
          const curve = plainCurve(bounds, new Float64Array(bounds.length - 1).fill(50));
          const input = liftInput(scope, { curve, seams: [] }, null, []);
          if (!input) throw new Error('expected buckets that have ended');
          const inside = bucketsIn(bounds, scope.campaign.start, scope.campaign.end);
          expect(input.campaign.first).toBe(inside.first);
          expect(input.campaign.end).toBeGreaterThanOrEqual(inside.end);
          const weekday = weekdayIn(zone);
          const names = new Map<number, string>();
          for (let i = 0; i < input.curve.counts.length; i += 1) {
            const slot = input.slots[i] ?? -1;
            const name = weekday((bounds[i] ?? 0) + 12 * HOUR_MS);
            expect(names.get(slot) ?? name).toBe(name);
            names.set(slot, name);
          }
          expect(names.size).toBe(7);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([...ZONES, 'Asia/Kolkata'])('has the hours of the clock in %s', (zone) => {
    fc.assert(
      fc.property(
        fc.integer({ min: Date.UTC(2026, 2, 1), max: Date.UTC(2026, 10, 1) }),
        fc.integer({ min: 1, max: 24 }),
        (start, hours) => {
          const campaign = { start, end: start + hours * HOUR_MS };
          const scope = liftScope(campaign, zone, COVERED);
          const { span, table } = scope;
          const bounds = boundaries(span, 'hour', table, 1);
          const curve = plainCurve(bounds, new Float64Array(bounds.length - 1).fill(50));
          const input = liftInput(scope, { curve, seams: [] }, null, []);
          expect(input?.campaign).toEqual(bucketsIn(bounds, campaign.start, campaign.end));
          expect(input?.curve.counts).toHaveLength(curve.counts.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it.each([-60, -20, -7, -1, 0, 1, 20])(
    'of a campaign %i days after the source began has a figure or a reason',
    (days) => {
      const start = COVERED.start + days * DAY_MS;
      const scope = liftScope({ start, end: start + 21 * DAY_MS }, 'Europe/Berlin', COVERED);
      const bounds = dayBounds(scope);
      const counts = new Float64Array(bounds.length - 1).fill(50);
      const input = liftInput(scope, { curve: plainCurve(bounds, counts), seams: [] }, null, []);
      const why = days <= 0 ? 'uncovered' : 'few-windows';
      expect(input && liftOf(input)).toMatchObject({ kind: 'refusal', why });
    },
  );

  it('of a campaign to come ends with the last whole bucket, and tells what to plan for', () => {
    const campaign = { start: Date.UTC(2027, 0, 4), end: Date.UTC(2027, 0, 11) };
    const scope = liftScope(campaign, 'UTC', COVERED);
    expect(new Date(scope.span.end).toISOString()).toBe('2026-11-29T00:00:00.000Z');
    const bounds = dayBounds(scope);
    const counts = Float64Array.from({ length: bounds.length - 1 }, (_, i) => 40 + ((i * 7) % 11));
    const input = liftInput(scope, { curve: plainCurve(bounds, counts), seams: [] }, null, []);
    expect(input && liftOf(input)).toMatchObject({ kind: 'refusal', why: 'future' });
  });

  it('has no bucket where the source begins after it', () => {
    const campaign = { start: Date.UTC(2020, 0, 4), end: Date.UTC(2020, 0, 11) };
    const { span } = liftScope(campaign, 'UTC', COVERED);
    expect(span.end).toBe(span.start);
  });
});
