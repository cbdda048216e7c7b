import fc from 'fast-check';
import { liftInput, liftScope } from '#app/lift/lift-scope.ts';
import type { LiftReport } from '#app/lift/lift-report.ts';
import type { AccountCounts } from '#core/lift/levels.ts';
import { liftOf } from '#core/lift/lift.ts';
import type { Curve } from '#core/series/series.ts';
import { DAY_MS } from '#core/time/span.ts';
import { Random } from '#server/sample/random.ts';
import { dayBounds } from '#tests/app/lift/day-bounds.ts';
import { curveOf } from '#tests/core/series/a-curve.ts';

const COVERED = { start: Date.UTC(2023, 0, 1), end: Date.UTC(2026, 10, 29) };

/** Makes the lift of a campaign that multiplies about 40 Posts a day. */
export function liftReport({
  seed = 1,
  days = 7,
  times = 2,
  zone = 'UTC',
  isControlled = false,
  isCounted = false,
  over = {},
}: {
  readonly seed?: number;
  readonly days?: number;
  readonly times?: number;
  readonly zone?: string;
  readonly isControlled?: boolean;
  /** True if two Posts of a day are of one account, and no account posts on two days. */
  readonly isCounted?: boolean;
  readonly over?: Partial<LiftReport>;
} = {}): LiftReport {
  const start = Date.UTC(2026, 5, 1);
  const campaign = { start, end: start + days * DAY_MS };
  const scope = liftScope(campaign, zone, COVERED);
  const bounds = dayBounds(scope);
  const random = new Random(seed);
  const posts = (factor: number): Float64Array<ArrayBuffer> =>
    Float64Array.from({ length: bounds.length - 1 }, (_, i) => {
      const at = bounds[i] ?? 0;
      const inside = at >= scope.campaign.start && at < scope.campaign.end;
      return random.poisson(inside ? 40 * factor : 40);
    });
  const curve = { ...curveOf(posts(times)), bounds };
  const control = { curve: { ...curveOf(posts(1)), bounds }, contamination: null };
  const accountsOf = ({ counts }: Pick<Curve, 'counts'>): AccountCounts => {
    const buckets = Float64Array.from(counts, (count) => Math.ceil(count / 2));
    const windows = Float64Array.from({ length: buckets.length - days + 1 }, (_, i) =>
      buckets.slice(i, i + days).reduce((sum, count) => sum + count, 0),
    );
    return { buckets, windows };
  };
  const input = liftInput(
    scope,
    { curve, seams: [] },
    isControlled ? control : null,
    [],
    isCounted
      ? { series: accountsOf(curve), control: isControlled ? accountsOf(control.curve) : null }
      : null,
  );
  const figure = input && liftOf(input);
  if (figure?.kind !== 'figure') throw new Error('expected a figure');
  return {
    figure,
    curve,
    scope,
    campaign: { spend: 1_200, currency: 'EUR', name: '=Launch & more', ...campaign },
    together: ['Summer sale'],
    topic: { name: 'Oat <milk>', query: '-oat milk', colour: 1 },
    controls: isControlled ? [{ name: 'Soy', query: 'soy' }] : [],
    chosen: isControlled ? { chosen: campaign.end + DAY_MS, changes: 2 } : null,
    topics: isControlled ? [{ name: 'Tea & <co>', colour: 3, value: 0.4 }] : [],
    source: 'posts',
    sourceWords: 'Your posts, as imported',
    now: COVERED.end,
    locale: 'en-GB',
    ...over,
  };
}

/** Lifts of campaigns of 3 to 14 days, with and without a change and a control, in several zones. */
export const liftReports: fc.Arbitrary<LiftReport> = fc
  .record({
    seed: fc.integer({ min: 1, max: 1_000 }),
    days: fc.integer({ min: 3, max: 14 }),
    times: fc.constantFrom(0.5, 1, 1.5, 4),
    zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    isControlled: fc.boolean(),
    isCounted: fc.boolean(),
  })
  .map(liftReport);
