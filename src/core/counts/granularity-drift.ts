import { BUCKET_MS, ceilTo } from '#core/time/bucket.ts';
import { cellSpan } from '#core/time/span.ts';
import type { PageFault } from './check.ts';
import { SETTLE_MS, type CellRecord } from './ledger.ts';
import { knownOf, settledOf } from './known-counts.ts';
import type { Revision } from './count-revisions.ts';

/** The buckets in which sums of finer counts differ from settled coarser ones; `was` is the coarser, `now` the sum. */
export interface Drift {
  /** Differences that deletions explain. */
  readonly noted: readonly Revision[];
  /** Differences that mean one of the two answers is wrong. */
  readonly contradicted: readonly Revision[];
}

/** A zero where the other count has this many Posts is a contradiction. */
const BUSY = 10;

/** A difference that needs no explanation: up to two Posts or 2 %. */
const SMALL = { posts: 2, part: 0.02 } as const;

function contradicts(coarse: number, sum: number): boolean {
  const [less, more] = coarse < sum ? [coarse, sum] : [sum, coarse];
  if (more - less <= Math.max(SMALL.posts, SMALL.part * coarse)) return false;
  return less === 0 ? more >= BUSY : more >= 2 * less;
}

/**
 * Compares counts with coarser ones of the same cell, bucket by bucket, where both are whole, settled
 * and of one generation (ledger rule 15). A contradiction is a zero against ten Posts or more, or a
 * factor of two; any other difference is drift.
 *
 * @throws {RangeError} if the records are not of one series and cell, or `finer` is not finer.
 */
export function driftOf(finer: CellRecord, coarser: CellRecord, settleMs = SETTLE_MS): Drift {
  const [fine, coarse] = [BUCKET_MS[finer.key[1]], BUCKET_MS[coarser.key[1]]];
  if (finer.key[0] !== coarser.key[0] || finer.key[2] !== coarser.key[2] || fine >= coarse) {
    const got = `${finer.key.join(' ')} and ${coarser.key.join(' ')}`;
    throw new RangeError(`expected finer and coarser counts of one cell, got ${got}`);
  }
  const { start } = cellSpan(finer.key[2]);
  const per = coarse / fine;
  const noted: Revision[] = [];
  const contradicted: Revision[] = [];
  const others = settledOf(knownOf([coarser]), settleMs);
  for (const own of settledOf(knownOf([finer]), settleMs)) {
    for (const other of others) {
      if (other.generation !== own.generation) continue;
      const from = ceilTo(Math.max(own.from, other.from), coarser.key[1]);
      const to = Math.min(own.to, other.to);
      for (let at = from; at + coarse <= to; at += coarse) {
        const bucket = (at - start) / coarse;
        let now = 0;
        for (let i = bucket * per; i < (bucket + 1) * per; i += 1) now += finer.counts[i] ?? 0;
        const was = coarser.counts[bucket] ?? 0;
        if (was === now) continue;
        (contradicts(was, now) ? contradicted : noted).push({ start: at, was, now });
      }
    }
  }
  return { noted, contradicted };
}

function faultOf(kind: 'drift' | 'contradicts-coarser', list: readonly Revision[]): PageFault[] {
  const [first] = list;
  if (!first) return [];
  const { start: at, was: expected, now: got } = first;
  return [{ kind, at, expected, got, times: list.length }];
}

/** Drift as faults of the page with the finer counts: one to note, one that needs another request. */
export function driftFaults({ noted, contradicted }: Drift): PageFault[] {
  return [...faultOf('drift', noted), ...faultOf('contradicts-coarser', contradicted)];
}
