import { ARCHIVE_START, type Span } from '#core/time/span.ts';
import type { RevisionPoint, StoreRow } from './records.ts';
import { invalidate } from '#core/counts/invalidation.ts';

/** Ends at the last instant of a Date. */
const EVERYTHING: Span = { start: ARCHIVE_START, end: 8.64e15 };

/** Generations of one epoch: more than a store will ever have revisions. */
const EPOCH_GENERATIONS = 2 ** 40;

export function newStoreRow(key: string, { revision, mark }: RevisionPoint): StoreRow {
  return { key, revision, mark, invalidated: [] };
}

/**
 * The generation of counts at a revision of a store. A store that is restored from a backup repeats revision numbers,
 * so the generations of an epoch are above all those of earlier epochs.
 */
export function generationOf({ epoch = 0 }: StoreRow, revision: number): number {
  return epoch * EPOCH_GENERATIONS + revision;
}

/** The revision of {@link generationOf}. */
export const revisionOf = (generation: number): number => generation % EPOCH_GENERATIONS;

export function samePoint(a: RevisionPoint, b: RevisionPoint): boolean {
  return a.revision === b.revision && a.mark === b.mark;
}

/** True if a revision shows that the store was restored from a backup. */
export function contradicts(row: StoreRow, now: RevisionPoint): boolean {
  return now.revision < row.revision || (now.revision === row.revision && now.mark !== row.mark);
}

/** True if a row has not changed since the request about it was sent. */
export function isAsBefore(row: StoreRow, before: StoreRow): boolean {
  return row.epoch === before.epoch && samePoint(row, before);
}

/**
 * Invalidates spans that changed up to a revision.
 *
 * @param before - The row that the request was about. The store knows all its revisions.
 */
export function withChanges(
  row: StoreRow,
  before: StoreRow,
  { revision, mark }: RevisionPoint,
  spans: readonly Span[],
): StoreRow {
  // Another tab may have been faster and noted a later revision.
  if (row.epoch !== before.epoch || row.revision > revision) return row;
  const confirmed = before.named ?? [];
  const named = row.named?.filter((point) => !confirmed.some((other) => samePoint(point, other)));
  const { named: _, ...rest } = row;
  return {
    ...rest,
    ...(named && named.length > 0 && { named }),
    revision,
    mark,
    invalidated: invalidate(row.invalidated, spans, generationOf(row, revision)),
  };
}

/** The row of a store after it was restored: everything has to be requested again. */
export function ofNextEpoch(row: StoreRow, { revision, mark }: RevisionPoint): StoreRow {
  const { named: _, ...rest } = row;
  const next = { ...rest, epoch: (row.epoch ?? 0) + 1, revision, mark };
  return { ...next, invalidated: invalidate([], [EVERYTHING], generationOf(next, 0)) };
}
