import type { SourceId } from '#contract/source.ts';
import type { EmptyPolicy } from '#core/counts/doubt.ts';
import { SETTLE_MS } from '#core/counts/ledger.ts';

/** How a source is asked and how far it is trusted. */
export interface Policy {
  /** How long after its end a day's counts are settled. */
  readonly settleMs: number;
  /** Requests of one series under way at a time. */
  readonly parallel: number;
  readonly empty: EmptyPolicy;
  /** Whether its answers carry a store and a revision, and it tells what changed since one. */
  readonly tellsChanges: boolean;
}

const OWN: Policy = {
  settleMs: SETTLE_MS,
  parallel: 4,
  empty: { confirmAbsentMs: null },
  tellsChanges: true,
};

/** By ledger rules 10, 17 and 21. */
export const POLICIES: Readonly<Record<SourceId, Policy>> = {
  sample: OWN,
  posts: OWN,
  platform: {
    settleMs: SETTLE_MS,
    parallel: 1,
    empty: { confirmAbsentMs: 60_000 },
    tellsChanges: false,
  },
};
