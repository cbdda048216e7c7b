import type { Page } from '#core/counts/check.ts';
import { BUCKET_MS, type Granularity } from '#core/time/bucket.ts';

/** A bucket of a page, to be spoilt. */
export interface Bucket {
  start: number;
  end: number;
  count: number;
}

/** Buckets of a correct page of a span, with small counts. */
export function buckets(start: number, end: number, granularity: Granularity = 'hour'): Bucket[] {
  const width = BUCKET_MS[granularity];
  const out: Bucket[] = [];
  for (let t = start; t < end;) {
    const to = Math.min(end, Math.floor(t / width) * width + width);
    out.push({ start: t, end: to, count: out.length % 5 });
    t = to;
  }
  return out;
}

/** Buckets as a page; the total is their sum. */
export function pageOf(list: readonly Bucket[], over: Partial<Page> = {}): Page {
  return {
    starts: Float64Array.from(list, ({ start }) => start),
    ends: Float64Array.from(list, ({ end }) => end),
    counts: Float64Array.from(list, ({ count }) => count),
    total: list.reduce((sum, { count }) => sum + count, 0),
    token: null,
    ...over,
  };
}
