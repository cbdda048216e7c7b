import type { Run } from '#app/counts/fetch/series-run.svelte.ts';
import { flattened, type CarriedSeries } from '#app/export/fixed.ts';
import { basisOfGiven, sliceOf, type Basis, type BasisUnit } from '#core/series/basis.ts';
import { viewOf, type LayoutNeed } from '#core/series/bucket-layout.ts';
import { changeAgainst, type Change, type ChangeOf } from '#core/series/change.ts';
import { COUNTING, type Dispersion } from '#core/series/confidence.ts';
import {
  dispersionBy,
  dispersionOf,
  historyBefore,
  recordedOf,
  type DispersionBy,
  type HistoryUnit,
} from '#core/series/dispersion.ts';
import { alignEarlier, placed } from '#core/series/align-comparison.ts';
import { isChosen } from '#core/series/comparison.ts';
import type { FixedSeries } from '#core/series/imported-series.ts';
import { refit } from '#core/series/rebucket.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import type { Result } from '#core/series/statistics.ts';
import type { Resolution } from '#core/time/resolution.ts';
import { HOUR_MS, type Span } from '#core/time/span.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { Before, ComparedPeriod } from './comparison.ts';
import type { BoardNeed } from './need-key.ts';
import type { ExtraNeed } from './side-run.svelte.ts';

function changeOf(
  view: Curve,
  past: Curve,
  { earlier, back }: Pick<ComparedPeriod, 'earlier' | 'back'>,
  unit: BasisUnit,
  table: ZoneTable,
  of: ChangeOf,
): Result<Change> {
  const aligned = alignEarlier(view.bounds, past.bounds, earlier, unit, table, back);
  return changeAgainst(view, past, aligned, of);
}

/** A curve and what its figures are computed from. */
type Figured = Pick<Run, 'curve' | 'basis'>;

/** Counts from which the noise of a series is estimated. */
export interface NoiseOf extends Figured {
  readonly curve: Curve;
  readonly earlier: Figured | null;
  readonly compared: ComparedPeriod | null;
  /** Counts before the view, by the hours or days of {@link historyNeed}; null while there are none. */
  readonly history: Pick<Run, 'curve' | 'phase' | 'outdated'> | null;
  /** True while they are still to load; null on the platform, where they may never be there. */
  readonly due: boolean | null;
}

/** The length of the buckets of a curve of hours or days, of which the range may cut the outer ones. */
function historyUnit({ bounds }: Curve): HistoryUnit {
  return (bounds[2] ?? 0) - (bounds[1] ?? 0) > HOUR_MS ? 'day' : 'hour';
}

/** The time before a view from which the noise of its change is estimated. */
function historyOf({
  view,
  span: { start, end },
}: ComparedPeriod): ReturnType<typeof historyBefore> {
  return historyBefore(view.start, Math.max(view.end - view.start, end - start));
}

/** True while the counts before the view are still to come, so that an estimate would not last. */
function isAwaited({ compared, history, due }: NoiseOf): boolean {
  if (!compared) return false;
  const { phase = 'idle', outdated = false, curve = null } = history ?? {};
  if (due !== null && outdated) return true;
  if (!due && phase !== 'reading' && (due === null || phase !== 'fetching')) return false;
  const { span, unit } = historyOf(compared);
  const there =
    curve &&
    historyUnit(curve) === unit &&
    (curve.bounds[0] ?? Infinity) <= span.start &&
    (curve.bounds.at(-1) ?? 0) >= span.end;
  return !there || (due !== null && curve.states.includes(STATE.never));
}

/** More buckets than this say nothing new. */
const MOST_BUCKETS = 2000;

function lastOf(curve: Curve): Curve {
  const size = curve.counts.length;
  return sliceOf(curve, { first: Math.max(0, size - MOST_BUCKETS), end: size });
}

/** The variation of single buckets, from the buckets shown and the earlier ones. */
function bucketNoise(
  before: Curve,
  shown: Curve,
  unit: Resolution,
  aligned: Int32Array,
  table: ZoneTable,
): Dispersion {
  const first = aligned.findIndex((at) => at >= 0);
  const apart = before.counts.length + first - (aligned[first] ?? 0);
  const curves = [lastOf(before), lastOf(shown)];
  const found = dispersionOf(recordedOf(curves, unit, [], table), 1, apart);
  return found ?? { ...COUNTING, stretches: 0 };
}

/**
 * The variation of the sums of a series' spans, by the length of the spans and their distance.
 *
 * @returns Null while the counts before the view are still to come.
 */
export function noiseOf(of: NoiseOf, table: ZoneTable): DispersionBy | null {
  if (isAwaited(of)) return null;
  const { curve, basis, earlier, compared, history } = of;
  const start = compared?.view.start ?? curve.bounds[0] ?? 0;
  const left = [{ start, end: Infinity }, ...(compared ? [compared.span] : [])];
  const past = history?.curve ?? null;
  const by = past && historyUnit(past);
  const unit = basis?.unit ?? compared?.resolution ?? 'minute';
  const own = basis?.curve ?? curve;
  const before = basis ? earlier?.basis?.curve : earlier?.curve;
  const buckets = before ? [before, own] : [own];
  return dispersionBy({
    earlier: past && by && { recorded: recordedOf([past], by, left, table), unit: by },
    compared: recordedOf(buckets.map(lastOf), unit, [], table),
  });
}

/**
 * The counts before a view from which the noise of its change is estimated. Own Posts cost nothing and are counted for
 * it; on the platform it is whatever the cache holds.
 */
export function historyNeed(need: BoardNeed, compared: ComparedPeriod): ExtraNeed {
  const { span, unit } = historyOf(compared);
  return {
    need: { ...need, span, resolution: unit, unit: null },
    ask: need.policy.terms === null,
  };
}

/** The time before a view that its changes need: the earlier periods, and the counts that the noise comes from. */
export function timeBefore(periods: readonly ComparedPeriod[]): Span[] {
  const [compared] = periods;
  return compared ? [...periods.map(({ span }) => span), historyOf(compared).span] : [];
}

type Given = Figured & { readonly curve: Curve };

/** The time before a view in a series that is never fetched. */
export interface GivenBefore {
  readonly earlier: Given;
  readonly history: NonNullable<NoiseOf['history']>;
}

/** The time before a view in a file or bundle; null if nothing is known of the earlier period. */
export function givenBefore(
  fixed: FixedSeries,
  compared: ComparedPeriod,
  { zone, weekStart, now }: Pick<LayoutNeed, 'zone' | 'weekStart'> & { readonly now: number },
): GivenBefore | null {
  const origin = fixed.origin as CarriedSeries | undefined;
  const by = (need: Pick<LayoutNeed, 'span' | 'resolution' | 'unit'>): Given => {
    const { edges, span, cut, basis } = viewOf({ ...need, zone, weekStart });
    const given = origin ? flattened(origin, span) : fixed;
    const curve = refit(given, edges.all, cut);
    return { curve, basis: basis && basisOfGiven(given, basis.unit, basis.edges.all, now) };
  };
  const earlier = by(compared);
  if (earlier.curve.counts.every(Number.isNaN)) return null;
  const { span, unit } = historyOf(compared);
  const { curve } = by({ span, resolution: unit, unit: null });
  return { earlier, history: { curve, phase: 'done', outdated: false } };
}

/** The bases from which the change of a range is computed: its own and that of the earlier period. */
export interface ComparedBases {
  readonly now: Basis | null;
  readonly before: Basis | null;
}

/**
 * Aligns earlier counts with the buckets of a curve and compares the two. The change is computed from the bases if
 * both use the compared unit, so it is the same at every resolution.
 */
export function compareWith(
  shown: Curve,
  before: Curve,
  { from, to, earlier, back, resolution, unit }: ComparedPeriod,
  table: ZoneTable,
  now: number,
  bases: ComparedBases = { now: null, before: null },
  dispersion?: DispersionBy,
): Before {
  const of = { now, zone: table, pairs: isChosen(earlier), ...(dispersion && { dispersion }) };
  const bounds = shown.bounds.subarray(from, to + 1);
  const aligned = alignEarlier(bounds, before.bounds, earlier, resolution, table, back);
  const spread = (values: Curve['counts']): Float64Array => {
    const out = new Float64Array(shown.counts.length).fill(Number.NaN);
    out.set(placed(values, aligned), from);
    return out;
  };
  const states = new Uint8Array(shown.counts.length);
  for (const [i, index] of aligned.entries())
    states[from + i] = before.states[index] ?? STATE.never;
  const curve = {
    bounds: shown.bounds,
    counts: spread(before.counts),
    states,
    fetchedAt: spread(before.fetchedAt),
  };
  const [starts, ends] = [spread(before.bounds.subarray(0, -1)), spread(before.bounds.subarray(1))];
  const { now: own, before: past } = bases;
  const noise = bucketNoise(before, shown, resolution, aligned, table);
  if (unit && own?.unit === unit && past?.unit === unit) {
    const change = changeOf(own.curve, past.curve, { earlier, back }, unit, table, of);
    return { curve, starts, ends, change, noise, unit };
  }
  const inView = sliceOf(shown, { first: from, end: to });
  const change = changeAgainst(inView, before, aligned, of);
  return { curve, starts, ends, change, noise, unit: resolution };
}
