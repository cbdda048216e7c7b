import { DAY_MS, HOUR_MS, MINUTE_MS } from './span.ts';

/** Width of a bucket in requests; buckets are cut at UTC boundaries (platform-facts 1.3). */
export type Granularity = 'minute' | 'hour' | 'day';

/** All granularities, finest first. */
export const GRANULARITIES: readonly Granularity[] = ['minute', 'hour', 'day'];

/** The granularities whose counts serve another: it and the finer ones, finest first. */
export function asFineAs(granularity: Granularity): readonly Granularity[] {
  return GRANULARITIES.slice(0, GRANULARITIES.indexOf(granularity) + 1);
}

/** Length of a whole bucket in milliseconds. */
export const BUCKET_MS: Readonly<Record<Granularity, number>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
};

/** Start of the bucket that contains an instant. */
export function floorTo(instant: number, granularity: Granularity): number {
  const width = BUCKET_MS[granularity];
  return Math.floor(instant / width) * width;
}

/** First bucket boundary at or after an instant. */
export function ceilTo(instant: number, granularity: Granularity): number {
  const width = BUCKET_MS[granularity];
  return Math.ceil(instant / width) * width;
}

/** The edges of so many buckets from the start of one on. */
export function bucketEdges(
  start: number,
  buckets: number,
  granularity: Granularity,
): Float64Array {
  const width = BUCKET_MS[granularity];
  // Filled in a loop: a function for each edge takes ten times as long.
  const edges = new Float64Array(buckets + 1);
  for (let i = 0; i <= buckets; i += 1) edges[i] = start + i * width;
  return edges;
}

/** The number of buckets, whole or cut, that cover `[start, end)`. Zero if start is not before end. */
export function bucketCount(start: number, end: number, granularity: Granularity): number {
  if (start >= end) return 0;
  return (ceilTo(end, granularity) - floorTo(start, granularity)) / BUCKET_MS[granularity];
}
