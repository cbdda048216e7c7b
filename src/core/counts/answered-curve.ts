import type { BucketView } from '#core/series/bucket-layout.ts';
import { rollup } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import { GRANULARITIES, type Granularity } from '#core/time/bucket.ts';
import { cellOf, type Span } from '#core/time/span.ts';
import { recordsOf, type CellRecord, type ReportedCounts } from './ledger.ts';
import { lastHead } from './plan.ts';
import { stitch, stitchCell, type CellPart, type StitchedCell } from './stitch.ts';
import { knownOf, type Known } from './known-counts.ts';
import { mergedByCell } from './merge-records.ts';

/** Limits of what answers can say about buckets. */
export interface AnswerLimits {
  /** The time that the source can be asked about. */
  readonly reach: Span;
  /** The times for which the source has data, ascending, disjoint. */
  readonly covered: readonly Span[];
  /** Requested in vain. */
  readonly failed: readonly Span[];
  /** The time from the end of a day until its counts are settled, ms. */
  readonly settleMs: number;
}

/** The answers of one series, by granularity; each begins on its grid. */
type Answers = ReadonlyMap<Granularity, readonly ReportedCounts[]>;

/** Answers as records, by granularity and cell. Of two answers for a bucket, the better one stays. */
function recordsOfAnswers(
  answers: Answers,
  settleMs: number,
): ReadonlyMap<Granularity, ReadonlyMap<number, CellRecord>> {
  return new Map(
    [...answers].map(([granularity, reported]) => {
      const records = reported.flatMap((counts) => recordsOf('', granularity, counts));
      return [granularity, mergedByCell(records, settleMs)];
    }),
  );
}

/** The counts that answers make known, by granularity, finest first. */
export function knownByAnswers(answers: Answers, settleMs: number): Known[][] {
  const records = recordsOfAnswers(answers, settleMs);
  return GRANULARITIES.flatMap((granularity) => {
    const cells = records.get(granularity);
    return cells ? [knownOf(cells.values())] : [];
  });
}

/**
 * The curve of one series from answers of a source, by the rules of the dashboard's cache (docs/ledger.md): a bucket
 * is settled, provisional or partial by when its parts were fetched, uncovered outside the source's data, and unknown,
 * never zero, where no answer is.
 *
 * @param answers - None wider than the buckets of the view's granularity.
 * @throws {@link RangeError} if an answer is off its grid or too wide, or has another number of counts than buckets.
 */
export function answeredCurve(
  view: Pick<BucketView, 'edges' | 'span' | 'granularity' | 'cut'>,
  answers: Answers,
  { reach, covered, failed, settleMs }: AnswerLimits,
): Curve {
  const { span, granularity, edges, cut } = view;
  const records = recordsOfAnswers(answers, settleMs);
  const cells = new Map<number, StitchedCell>();
  const end = Math.max(span.start, Math.min(span.end, reach.end));
  for (let cell = cellOf(span.start); cell <= cellOf(end); cell += 1) {
    const parts = [...records].flatMap(([width, by]): CellPart[] => {
      const record = by.get(cell);
      if (!record) return [];
      const { counts, segments, receipts } = record;
      return [{ granularity: width, width, counts, segments, receipts }];
    });
    if (parts.length === 0) continue;
    cells.set(cell, stitchCell(cell, granularity, parts, { settleMs, invalidated: [] }));
  }
  const limits = { failed, reach: reach.start, covered };
  const series = stitch({ start: span.start, end }, granularity, cells, limits);
  const head = lastHead([...records.values()].map((by) => knownOf(by.values())));
  const until = head ? Math.min(head.to, reach.end) : reach.end;
  return rollup(series, edges.all, until, cut);
}
