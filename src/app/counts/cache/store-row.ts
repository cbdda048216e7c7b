import { invalidate } from '#core/counts/ledger.ts';
import type { Span } from '#core/time/span.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import type { RevisionPoint, StoreRow } from './records.ts';

/** To the last instant of a Date. */
const EVERYTHING: Span = { start: ARCHIVE_START, end: 8.64e15 };

/** Generations of one epoch: more than a store will ever have revisions. */
const EPOCH_GENERATIONS = 2 ** 40;

export function newStoreRow(key: string, { revision, mark }: RevisionPoint): StoreRow {
  return { key, revision, mark, raised: [] };
}

/**
 * The generation of counts that a store gave at a revision. A store that was put back from a backup gives its
 * revision numbers out again, so those of a later epoch are above all those of an earlier one.
 */
export function generationOf({ epoch = 0 }: StoreRow, revision: number): number {
  return epoch * EPOCH_GENERATIONS + revision;
}

export function samePoint(a: RevisionPoint, b: RevisionPoint): boolean {
  return a.revision === b.revision && a.mark === b.mark;
}

/** Whether a store at this revision cannot be the one that gave what is known of it: it was put back from a backup. */
export function contradicts(row: StoreRow, now: RevisionPoint): boolean {
  return now.revision < row.revision || (now.revision === row.revision && now.mark !== row.mark);
}

/** Whether a row is as it was when the store was asked about it. */
export function isAsBefore(row: StoreRow, before: StoreRow): boolean {
  return row.epoch === before.epoch && samePoint(row, before);
}

/**
 * With spans that changed up to a revision.
 *
 * @param before - The row about which the store was asked; all its revisions are known to it.
 */
export function withChanges(
  row: StoreRow,
  before: StoreRow,
  { revision, mark }: RevisionPoint,
  spans: readonly Span[],
): StoreRow {
  // Another tab may have been here first, and know more.
  if (row.epoch !== before.epoch || row.revision > revision) return row;
  const confirmed = before.named ?? [];
  const named = row.named?.filter((one) => !confirmed.some((other) => samePoint(one, other)));
  const { named: _, ...rest } = row;
  return {
    ...rest,
    ...(named && named.length > 0 && { named }),
    revision,
    mark,
    raised: invalidate(row.raised, spans, generationOf(row, revision)),
  };
}

/** Of a store that does not know what was known of it: everything is to be asked again. */
export function ofNextEpoch(row: StoreRow, { revision, mark }: RevisionPoint): StoreRow {
  const { named: _, ...rest } = row;
  const next = { ...rest, epoch: (row.epoch ?? 0) + 1, revision, mark };
  return { ...next, raised: invalidate([], [EVERYTHING], generationOf(next, 0)) };
}
