import { plainProblem, type Fault } from '#contract/fault.ts';
import { ClockError } from '#core/import/id.ts';
import { ClusterError } from '#server/cluster/error.ts';
import { StoreError, type StoreReason } from '#server/db/store-error.ts';

/** The reason a store does not answer, by reason, without the path of its file. */
const UNAVAILABLE: Partial<Readonly<Record<StoreReason, string>>> = {
  busy: 'The store is busy; try again.',
  full: 'The disk is full.',
  'index-damaged':
    'The index of the Posts is damaged, so they cannot be counted: groundswell check says where, groundswell reindex rebuilds it.',
  'row-damaged':
    'A Post is not as it was written: groundswell check says which. Restore the store from a backup.',
  damaged:
    'The file of the Posts is damaged: groundswell check says where. Restore it from a backup, or import the Posts again into a new data folder.',
};

/** The fault of a store that cannot be used, or of a clock without ids; null for an error of another kind. */
export function storeFault(error: unknown): Fault | null {
  if (error instanceof ClusterError) {
    return error.reason === 'unsupported'
      ? plainProblem(501, 'Not Implemented', error.message)
      : plainProblem(503, 'Service Unavailable', error.message);
  }
  if (error instanceof ClockError) return plainProblem(503, 'Service Unavailable', error.message);
  const why = error instanceof StoreError ? UNAVAILABLE[error.reason] : undefined;
  return why === undefined ? null : plainProblem(503, 'Service Unavailable', why);
}
