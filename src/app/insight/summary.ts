import { combineCounts, isQuotient, type Operation } from '#core/series/combine.ts';
import type { Pyramid } from '#core/series/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { statistics, type Extreme, type Statistics } from '#core/series/statistics.ts';
import { basisBuckets, basisFigures, type Basis } from '#core/series/basis.ts';
import { bucketsIn, sameBounds, type Buckets } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';

/** What a computed curve is computed of, at any remove. */
export interface Computed {
  readonly operation: Operation;
  readonly a: Parts;
  readonly b: Parts;
}
export type Parts = Curve | Computed;

/** What a value is: Posts, a ratio of two counts, or a part of all. */
export type Unit = 'posts' | 'ratio' | 'part';

/** What a curve comes to. Buckets that begin after now are no part of anything. */
export interface Summary {
  /** Sum over what is known; of a computed quotient that of its parts' sums. NaN where that has no value. */
  readonly total: number;
  readonly unit: Unit;
  /** Buckets known and buckets that there are up to now. */
  readonly known: number;
  readonly buckets: number;
  /**
   * Known part of the time up to now that the source covers, 0 to 1; 1 only where all of it is known, be it to have
   * no value. NaN where it covers none.
   */
  readonly share: number;
  /** Part of the time up to now that the source covers, 0 to 1; 1 only where that is all. */
  readonly covered: number;
  /**
   * The highest known bucket, the first of equals; null where no Post is known. Of a quotient the highest whole one:
   * a part of a bucket has no less of a quotient than all of it.
   */
  readonly peak: Extreme | null;
  /** The same at length. */
  readonly of: Statistics;
}

function leavesOf(parts: Parts): Curve[] {
  return 'operation' in parts ? [...leavesOf(parts.a), ...leavesOf(parts.b)] : [parts];
}

/**
 * The total of what is computed: its formula over the sums of what it is made of, over the buckets that are known
 * in all of these. So a quotient's total is the quotient of sums, also within another formula.
 *
 * @returns NaN where nothing is known or a divisor is zero.
 * @throws {RangeError} if the curves differ in their bounds.
 */
export function computedTotal(of: Computed, now: number, window: Span | null = null): number {
  const leaves = leavesOf(of);
  const bounds = sameBounds(leaves);
  const { first, end } = bucketsIn(
    bounds,
    window?.start ?? -Infinity,
    Math.min(now, window?.end ?? now),
  );
  const sums = new Map(leaves.map((leaf) => [leaf, 0]));
  const each = [...sums.keys()];
  let known = 0;
  for (let i = first; i < end; i += 1) {
    if (each.some(({ states }) => (states[i] ?? 0) < STATE.partial)) continue;
    known += 1;
    for (const leaf of each) sums.set(leaf, (sums.get(leaf) ?? 0) + (leaf.counts[i] ?? NaN));
  }
  const valueOf = (parts: Parts): number =>
    'operation' in parts
      ? combineCounts(parts.operation, valueOf(parts.a), valueOf(parts.b))
      : (sums.get(parts) ?? NaN);
  return known > 0 ? valueOf(of) : NaN;
}

function unitOf(parts: Parts | null): Unit {
  if (!parts || !('operation' in parts)) return 'posts';
  if (parts.operation === 'part') return 'part';
  if (isQuotient(parts.operation)) return 'ratio';
  return unitOf(parts.a) === 'posts' && unitOf(parts.b) === 'posts' ? 'posts' : 'ratio';
}

/** Below this part of the time, what a source does not cover goes without saying: its newest Post is always some time ago. */
const SMALL = 0.01;

/** Part of the time up to now that the source covers, as it is said in words. */
export function coveredPart({ covered }: Pick<Summary, 'covered'>): number {
  return covered > 1 - SMALL ? 1 : covered;
}

/** Part of the time up to now of which counts are known, covered by the source or not: what a total is of. */
export function knownPart({ share, covered }: Summary): number {
  return Number.isNaN(share) ? 0 : share * coveredPart({ covered });
}

/** A part below 1 never reads as all. */
function part(of: number, all: number, whole: boolean): number {
  return whole ? 1 : Math.min(of / all, 0.9999);
}

/** How much of a window is known, of a curve without a basis. */
function shareOf(of: Statistics): Pick<Summary, 'share' | 'covered'> {
  const { known, buckets, missing, uncovered, knownMs, uncoveredMs, elapsedMs } = of;
  const covered = buckets - uncovered;
  const told =
    of.undefined > 0
      ? part(known + of.undefined, covered, missing === 0)
      : part(knownMs, elapsedMs - uncoveredMs, missing === 0);
  return {
    share: covered === 0 ? Number.NaN : told,
    covered: part(elapsedMs - uncoveredMs, elapsedMs, uncovered === 0),
  };
}

/** The buckets of a basis that a window of a curve touches; null without one, or where its edges are none of it. */
export function basisWindow(
  { bounds }: Curve,
  basis: Basis | null,
  window: Span | null,
): Buckets | null {
  if (!basis) return null;
  const { first, end } = window
    ? bucketsIn(bounds, window.start, window.end)
    : { first: 0, end: bounds.length - 1 };
  const [start, stop] = [bounds[first], bounds[end]];
  return start === undefined || stop === undefined || first === end
    ? null
    : basisBuckets(basis, { start, end: stop });
}

/**
 * Sums up a curve, or its buckets that a window touches, in one pass.
 *
 * @param window - The whole curve where null.
 * @param parts - What it is computed of, where it is computed.
 * @param fractions - Whether its values, or those that it is computed of, are no counts, as those of a file of
 *   quotients: they have no sum.
 * @param pyramid - Of the curve: spares looking at most of a long one.
 * @param basis - What its total and completeness are computed from, whatever it is cut into; the curve where null.
 * @param basisParts - What the basis is computed of, where the curve is computed.
 */
export function summarize(
  curve: Curve,
  now: number,
  window: Span | null = null,
  parts: Parts | null = null,
  fractions = false,
  pyramid: Pyramid | null = null,
  basis: Basis | null = null,
  basisParts: Parts | null = null,
): Summary {
  const of = statistics(curve, now, window, fractions ? null : pyramid);
  const { known, buckets } = of;
  const units = unitOf(parts);
  const unit = fractions && units === 'posts' ? 'ratio' : units;
  const within = basisWindow(curve, basis, window);
  const figures = basis && within && basisFigures(basis, within);
  const computed = parts && 'operation' in parts ? parts : null;
  const finer = figures && basisParts && 'operation' in basisParts ? basisParts : null;
  const total = computed
    ? computedTotal(finer ?? computed, now, window)
    : (figures?.total ?? of.total);
  // Of a quotient by zero there is nothing to know.
  const exact = figures && of.undefined === 0 && figures.elapsedMs > 0;
  const { coveredMs = 0, knownMs = 0, elapsedMs = 0 } = figures ?? {};
  const shares = exact
    ? {
        share: coveredMs === 0 ? Number.NaN : part(knownMs, coveredMs, knownMs >= coveredMs),
        covered: part(coveredMs, elapsedMs, coveredMs >= elapsedMs),
      }
    : shareOf(of);
  return {
    total: fractions ? Number.NaN : total,
    unit,
    known,
    buckets,
    ...shares,
    peak: unit === 'posts' ? of.peak : of.highest,
    of,
  };
}

/** A value by its unit: Posts are whole, a ratio has three digits, a part is told per cent. */
export function valueWords(
  value: number,
  unit: Unit,
  words: {
    count(value: number): string;
    mean(value: number): string;
    share(value: number): string;
  },
): string {
  if (!Number.isFinite(value)) return '–';
  if (unit === 'part') return words.share(value);
  return unit === 'ratio' ? words.mean(value) : words.count(value);
}
