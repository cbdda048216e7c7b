import { combinedTotal } from '#core/series/combine.ts';
import type { Formula, Unit } from '#core/series/formula.ts';
import type { Cut } from '#core/series/rollup.ts';
import type { Pyramid } from '#core/series/pyramid/pyramid.ts';
import { STATE, type Curve } from '#core/series/series.ts';
import { begun, statistics, type Extreme, type Statistics } from '#core/series/statistics.ts';
import { basisBuckets, basisFigures, type Basis } from '#core/series/basis.ts';
import { bucketsIn, type Buckets } from '#core/series/window.ts';
import type { Span } from '#core/time/span.ts';

/** The formula from which a series is computed: its own curve, or one over those of other series. */
export type CurveFormula = Formula<Curve>;

/** The quantity that a value measures: Posts, a ratio of two counts, or a part of a whole. */
export type FigureUnit = 'posts' | 'ratio' | 'part';

/** The figures of a curve. Buckets that begin after now are ignored. */
export interface Summary {
  /** Sum of the known counts; for a quotient the quotient of its parts' sums. NaN if that has no value. */
  readonly total: number;
  readonly unit: FigureUnit;
  /** Known buckets, and all buckets up to now. */
  readonly known: number;
  readonly buckets: number;
  /**
   * Known part of the covered time up to now, 0 to 1; 1 only if all of it is known, even as having no value. NaN if the
   * source covers none of it.
   */
  readonly share: number;
  /** Part of the time up to now that the source covers, 0 to 1; 1 only if it covers all. */
  readonly covered: number;
  /**
   * The highest known bucket, the first of equals; null if no Post is known. The highest whole bucket for a quotient, and
   * for a computed series without a value above zero: partial buckets can have values as high as whole ones.
   */
  readonly peak: Extreme | null;
  /** All statistics. */
  readonly of: Statistics;
}

/** A smaller uncovered part is not worth reporting: a source's newest Post is always some time ago. */
const SMALL = 0.01;

/** Part of the time up to now that the source covers, as reported to the user. */
export function coveredPart({ covered }: Pick<Summary, 'covered'>): number {
  return covered > 1 - SMALL ? 1 : covered;
}

/** Part of the time up to now with known counts, which is what a total covers. */
export function knownPart({ share, covered }: Summary): number {
  return Number.isNaN(share) ? 0 : share * coveredPart({ covered });
}

/**
 * The number of buckets that a mean leaves out although neither the range nor now cuts them: those covered in part, and
 * where that is worth reporting, those not covered.
 *
 * @param cut - The outer buckets that the range cuts; absent: it may cut both.
 */
export function leftOut(
  curve: Curve,
  summary: Pick<Summary, 'of' | 'covered'>,
  {
    now,
    window,
    cut,
  }: { readonly now: number; readonly window: Span | null; readonly cut?: Cut | undefined },
): number {
  const { bounds, states } = curve;
  const { of } = summary;
  const { first, end } = begun(curve, now, window);
  const cuts = [
    cut?.first === false ? -1 : 0,
    cut?.last === false ? -1 : states.length - 1,
    (bounds[end] ?? 0) > now ? end - 1 : -1,
  ];
  const outer = [...new Set(cuts)].filter(
    (i) => i >= first && i < end && states[i] === STATE.partial,
  );
  const all = coveredPart(summary) < 1 ? of.buckets : of.known;
  return all - of.whole - outer.length;
}

/** A part of less than the whole never rounds to 1. */
function part(of: number, all: number, whole: boolean): number {
  return whole ? 1 : Math.min(of / all, 0.9999);
}

/** The part of a window that is known, for a curve without a basis. */
function shareOf(of: Statistics): Pick<Summary, 'share' | 'covered'> {
  const { known, buckets, missing, uncovered, knownMs, uncoveredMs, elapsedMs } = of;
  const covered = buckets - uncovered;
  const knownShare =
    of.undefined > 0
      ? part(known + of.undefined, covered, missing === 0)
      : part(knownMs, elapsedMs - uncoveredMs, missing === 0);
  return {
    share: covered === 0 ? Number.NaN : knownShare,
    covered: part(elapsedMs - uncoveredMs, elapsedMs, uncovered === 0),
  };
}

/** The buckets of a basis that a window of a curve touches; null without a basis, or if the edges do not match. */
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

/** The way a curve is summed up. */
export interface SummaryOf {
  /** The whole curve if null. */
  readonly window?: Span | null;
  /** The formula from which it is computed, if it is computed. */
  readonly parts?: CurveFormula | null;
  /** The unit of its values; counts by default. */
  readonly unit?: Unit;
  /** True if its values, or those of its parts, are fractions, as in a file of quotients: they have no sum. */
  readonly fractions?: boolean;
  /** Summary tree of the curve: avoids reading most of a long curve. */
  readonly pyramid?: Pyramid | null;
  /** The basis from which its total and completeness are computed at any resolution; the curve if null. */
  readonly basis?: Basis | null;
  /** The formula from which the basis is computed, if the curve is computed. */
  readonly basisParts?: CurveFormula | null;
}

/** Sums up a curve, or its buckets that a window touches, in one pass. */
export function summarize(
  curve: Curve,
  now: number,
  {
    window = null,
    parts = null,
    unit: values = 'count',
    fractions = false,
    pyramid = null,
    basis = null,
    basisParts = null,
  }: SummaryOf = {},
): Summary {
  const of = statistics(curve, now, window, fractions ? null : pyramid);
  const { known, buckets } = of;
  const unit = values === 'count' ? 'posts' : values;
  const within = basisWindow(curve, basis, window);
  const figures = basis && within && basisFigures(basis, within);
  const computed = parts && parts.kind !== 'series' ? parts : null;
  const finer = figures && basisParts && basisParts.kind !== 'series' ? basisParts : null;
  const total = computed
    ? combinedTotal(
        finer ?? computed,
        window?.start ?? -Infinity,
        Math.min(now, window?.end ?? now),
      )
    : (figures?.total ?? of.total);
  // Only a computed value is below zero, also in a file, which does not name its formula.
  const isCalculated = unit !== 'posts' || computed !== null || (of.highest?.value ?? 0) < 0;
  // A quotient with a zero divisor has no value to know.
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
    peak: (unit === 'posts' ? of.peak : null) ?? (isCalculated ? of.highest : null),
    of,
  };
}

/** A value by its unit: Posts are whole, a ratio has three digits, a part is knownShare per cent. */
export function valueWords(
  value: number,
  unit: FigureUnit,
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
