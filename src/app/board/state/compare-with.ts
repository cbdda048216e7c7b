import { sliceOf, type Basis, type BasisUnit } from '#core/series/basis.ts';
import { changeAgainst, type Change } from '#core/series/change.ts';
import { alignEarlier, placed } from '#core/series/align-comparison.ts';
import { isChosen, type Alignment } from '#core/series/comparison.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import type { Result } from '#core/series/statistics.ts';
import type { ZoneTable } from '#core/time/zone.ts';
import type { Before, ComparedPeriod } from './comparison.ts';

function changeOf(
  view: Curve,
  past: Curve,
  earlier: Alignment,
  unit: BasisUnit,
  table: ZoneTable,
  now: number,
): Result<Change> {
  const aligned = alignEarlier(view.bounds, past.bounds, earlier, unit, table);
  return changeAgainst(view, past, aligned, now, isChosen(earlier));
}

/** What the change of a range is computed from: its basis and that of the earlier period. */
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
  { from, to, earlier, resolution, unit }: ComparedPeriod,
  table: ZoneTable,
  now: number,
  bases: ComparedBases = { now: null, before: null },
): Before {
  const bounds = shown.bounds.subarray(from, to + 1);
  const aligned = alignEarlier(bounds, before.bounds, earlier, resolution, table);
  const spread = (values: Float64Array): Float64Array => {
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
  if (unit && own?.unit === unit && past?.unit === unit) {
    const change = changeOf(own.curve, past.curve, earlier, unit, table, now);
    return { curve, starts, ends, change, unit };
  }
  const inView = sliceOf(shown, { first: from, end: to });
  const change = changeAgainst(inView, before, aligned, now, isChosen(earlier));
  return { curve, starts, ends, change, unit: resolution };
}
