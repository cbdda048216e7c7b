import type { View } from '#core/series/bucket-layout.ts';
import { rollup } from '#core/series/rollup.ts';
import type { Curve } from '#core/series/series.ts';
import type { Granularity } from '#core/time/bucket.ts';
import { cellOf, type Span } from '#core/time/span.ts';
import { knownOf, merge, recordsOf, type CellRecord, type ReportedCounts } from './ledger.ts';
import { lastHead } from './plan.ts';
import { stitch, stitchCell, type StitchedCell } from './stitch.ts';

/** Limits of what answers can say about buckets. */
export interface AnswerLimits {
  /** The time that the source can be asked about. */
  readonly reach: Span;
  /** The time for which the source has data; an empty span if it has none. */
  readonly covered: Span;
  /** Requested in vain. */
  readonly failed: readonly Span[];
  /** How long after the end of a day its counts are settled, ms. */
  readonly settleMs: number;
}

/** The answers of one series as records by cell. Of two answers for a bucket, the better one stays. */
export function recordsOfAnswers(
  answers: readonly ReportedCounts[],
  granularity: Granularity,
  settleMs: number,
): ReadonlyMap<number, CellRecord> {
  const cells = new Map<number, CellRecord>();
  for (const record of answers.flatMap((answer) => recordsOf('', granularity, answer))) {
    const [, , cell] = record.key;
    const before = cells.get(cell);
    cells.set(cell, before ? merge(before, record, settleMs) : record);
  }
  return cells;
}

/**
 * The curve of one series from answers of a source, by the rules of the dashboard's cache (docs/ledger.md): a bucket
 * is settled, provisional or partial by when its parts were fetched, uncovered outside the source's data, and unknown,
 * never zero, where no answer is.
 *
 * @param answers - At one granularity, which is at most as wide as that of the view; each begins on its grid.
 * @throws {RangeError} if an answer is off the grid, or has another number of counts than buckets.
 */
export function answeredCurve(
  view: Pick<View, 'edges' | 'span' | 'granularity' | 'cut'>,
  answers: readonly ReportedCounts[],
  answered: Granularity,
  { reach, covered, failed, settleMs }: AnswerLimits,
): Curve {
  const { span, granularity, edges, cut } = view;
  const records = recordsOfAnswers(answers, answered, settleMs);
  const cells = new Map<number, StitchedCell>();
  const end = Math.max(span.start, Math.min(span.end, reach.end));
  for (let cell = cellOf(span.start); cell <= cellOf(end); cell += 1) {
    const record = records.get(cell);
    if (!record) continue;
    const { counts, segments, receipts } = record;
    const part = { granularity: answered, width: answered, counts, segments, receipts };
    cells.set(cell, stitchCell(cell, granularity, [part], { settleMs, raised: [] }));
  }
  const limits = { failed, reach: reach.start, covered };
  const series = stitch({ start: span.start, end }, granularity, cells, limits);
  const head = lastHead([knownOf(records.values())]);
  const until = head ? Math.min(head.to, reach.end) : reach.end;
  return rollup(series, edges.all, until, cut);
}
