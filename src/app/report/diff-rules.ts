import { STATE } from '#core/series/series.ts';
import { type CountsReceipt, type FileTopic, shownQueries } from './file-topics.ts';
import type { DiffReason } from '#contract/counts/report-diff.ts';

/** One side of a bucket. */
export interface DiffSide extends CountsReceipt {
  readonly topic: FileTopic;
  readonly count: number;
  readonly state: number | undefined;
  readonly fetchedAt: number;
}

interface Rule {
  readonly reason: DiffReason;
  readonly holds: (old: DiffSide, now: DiffSide) => boolean;
  readonly why: (old: DiffSide, now: DiffSide) => string;
}

const differ = <T>(a: T | null, b: T | null): boolean =>
  a !== null && b !== null && a !== '' && b !== '' && a !== b;

const revisions = (old: DiffSide, now: DiffSide): string =>
  `the store went from revision ${old.revision} to ${now.revision}`;

/** By how many Posts the later revision has more. */
const added = (old: DiffSide, now: DiffSide): number =>
  (now.count - old.count) * ((now.revision ?? 0) > (old.revision ?? 0) ? 1 : -1);

/** True if a later fetch has an earlier revision. */
const isEarlier = (fetchedFirst: DiffSide, fetchedLast: DiffSide): boolean =>
  fetchedFirst.fetchedAt < fetchedLast.fetchedAt &&
  (fetchedFirst.revision ?? -Infinity) > (fetchedLast.revision ?? Infinity);

const either =
  (state: number) =>
  (old: DiffSide, now: DiffSide): boolean =>
    old.state === state || now.state === state;

const lacking = (old: DiffSide, now: DiffSide): DiffSide => (Number.isNaN(old.count) ? old : now);
const nameOf = (side: DiffSide, old: DiffSide): string =>
  `the ${side === old ? 'old' : 'new'} file`;
const withState = (state: number, old: DiffSide, now: DiffSide): string =>
  [old, now]
    .filter((side) => side.state === state)
    .map((side) => nameOf(side, old))
    .join(' and ');

/** The first that holds is the reason. */
export const DIFF_RULES: readonly Rule[] = [
  {
    reason: 'query',
    holds: ({ topic: a }, { topic: b }) => differ(a.canonical, b.canonical),
    why: ({ topic: a }, { topic: b }) =>
      `another query: ${shownQueries(a.query)} → ${shownQueries(b.query)}`,
  },
  {
    reason: 'source',
    holds: ({ topic: a }, { topic: b }) => differ(a.source, b.source),
    why: ({ topic: a }, { topic: b }) =>
      `another source: ${shownQueries(a.source)} → ${shownQueries(b.source)}`,
  },
  {
    reason: 'store',
    holds: ({ topic: a }, { topic: b }) => differ(a.store, b.store),
    why: () => 'another store of Posts',
  },
  {
    reason: 'rules',
    holds: ({ topic: a }, { topic: b }) => differ(a.rules, b.rules),
    why: ({ topic: a }, { topic: b }) =>
      `other rules of queries: ${shownQueries(a.rules ?? '')} → ${shownQueries(b.rules ?? '')}`,
  },
  {
    reason: 'uncovered',
    holds: (old, now) => lacking(old, now).state === STATE.uncovered,
    why: (old, now) => `the source of ${nameOf(lacking(old, now), old)} has no data there`,
  },
  {
    reason: 'uncounted',
    holds: (old, now) => Number.isNaN(lacking(old, now).count),
    why: (old, now) => `${nameOf(lacking(old, now), old)} has no count of it`,
  },
  {
    reason: 'computed',
    holds: ({ topic: a }, { topic: b }) => a.computed || b.computed,
    why: () => 'it is computed from other topics',
  },
  {
    reason: 'index',
    holds: (old, now) => differ(old.index, now.index),
    why: (old, now) => `another index of the platform: version ${old.index} → ${now.index}`,
  },
  {
    reason: 'restored',
    holds: (old, now) =>
      (old.revision === now.revision && differ(old.mark ?? null, now.mark ?? null)) ||
      isEarlier(old, now) ||
      isEarlier(now, old),
    why: () => 'the store was restored from a backup',
  },
  {
    reason: 'import',
    holds: (old, now) => differ(old.revision, now.revision) && added(old, now) > 0,
    why: (old, now) => `Posts were added or included: ${revisions(old, now)}`,
  },
  {
    reason: 'deletion',
    holds: (old, now) => differ(old.revision, now.revision),
    why: (old, now) => `Posts were deleted or excluded, or no longer match: ${revisions(old, now)}`,
  },
  {
    reason: 'unfinished',
    holds: either(STATE.partial),
    why: (old, now) => `cut or not over yet in ${withState(STATE.partial, old, now)}`,
  },
  {
    reason: 'unsettled',
    holds: either(STATE.provisional),
    why: (old, now) => `not settled yet in ${withState(STATE.provisional, old, now)}`,
  },
  { reason: 'unknown', holds: () => true, why: () => 'the files do not tell' },
];
