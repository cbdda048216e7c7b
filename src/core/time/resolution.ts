/** Width of a displayed bucket; minute to day are also granularities of requests. */
export const RESOLUTIONS = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** First day of the week: 1 is Monday (ISO 8601), 7 is Sunday. */
export type WeekStart = 1 | 7;

/** True if buckets are shorter than a day. */
export function isTimed(resolution: Resolution): boolean {
  return resolution === 'minute' || resolution === 'hour';
}
