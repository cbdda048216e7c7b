import type { CellRecord } from '#core/counts/ledger.ts';
import type { CellSummary } from '#core/counts/summary.ts';
import { STATE, type Series } from '#core/series/series.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';

/** The newest counts of a series, up to the moment they were given. */
export interface LiveAnswer {
  /** Start of the first bucket, epoch ms. */
  readonly start: number;
  /** The end of what was counted, epoch ms. */
  readonly end: number;
  readonly counts: readonly number[];
  /** Of the store's revision. */
  readonly generation: number;
}

interface Bucket {
  readonly count: number;
  /** The end of what was counted, epoch ms. */
  readonly to: number;
  readonly generation: number;
}

/** Counts that are newer than those of the cache, by bucket. They are only shown: the next load fetches and stores them. */
export class LiveBuckets {
  readonly #width: number;
  readonly #buckets = new Map<number, Bucket>();
  /** The end of the newest counts, epoch ms. */
  end = 0;

  constructor(granularity: Granularity) {
    this.#width = BUCKET_MS[granularity];
  }

  /** @returns True if it has other counts than before. */
  take({ start, end, counts, generation }: LiveAnswer): boolean {
    let isOther = false;
    for (const [i, count] of counts.entries()) {
      const at = start + i * this.#width;
      const before = this.#buckets.get(at);
      if (before && before.generation > generation) continue;
      isOther ||= before?.count !== count;
      this.#buckets.set(at, { count, to: Math.min(end, at + this.#width), generation });
    }
    this.end = Math.max(this.end, end);
    return isOther;
  }

  /** Drops what cells of the cache know as late or later. */
  drop(cells: Iterable<CellRecord | CellSummary>): void {
    for (const { segments, receipts } of cells) {
      for (const { from, to, receipt } of segments) {
        const { generation = -1 } = receipts[receipt] ?? {};
        for (const [at, bucket] of this.#buckets) {
          const isKnown = from <= at && to >= bucket.to && generation >= bucket.generation;
          if (isKnown) this.#buckets.delete(at);
        }
      }
    }
  }

  /** Writes the counts over those of a series of the same granularity. */
  show(series: Series): Series {
    const { start, counts, states } = series;
    const fetched = [...series.fetched];
    for (const [at, { count, to }] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      const i = (at - start) / this.#width;
      if (i < 0 || i >= counts.length || states[i] === STATE.uncovered) continue;
      counts[i] = count;
      const whole = Math.max(states[i] ?? 0, STATE.provisional);
      states[i] = to < at + this.#width ? STATE.partial : whole;
      if ((fetched.at(-1)?.to ?? 0) <= at) fetched.push({ from: at, to: at + this.#width, at: to });
    }
    return { ...series, fetched };
  }
}
