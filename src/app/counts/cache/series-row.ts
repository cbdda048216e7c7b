import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import type { Span } from '#core/time/span.ts';
import type { SeriesRow } from './records.ts';
import { invalidate } from '#core/counts/invalidation.ts';

/** Makes the row of a series from its key. @param usedAt - The time at which it was last opened, epoch ms. */
export function seriesRowOf(key: string, usedAt: number): SeriesRow {
  let parts: unknown = null;
  try {
    parts = JSON.parse(key);
  } catch {
    // A key of another format is shown unchanged.
  }
  const [source, store, query] = Array.isArray(parts) ? (parts as unknown[]) : [];
  return {
    key,
    source: SOURCE_IDS.find((id) => id === source) ?? 'posts',
    store: typeof store === 'string' ? store : '',
    query: typeof query === 'string' ? query : key,
    usedAt,
    fullHead: 0,
    invalidated: [],
  };
}

/** The row of a series when it is opened. @param stored - The stored row, if there is one. */
export function withUse(stored: SeriesRow | null, row: SeriesRow): SeriesRow {
  return stored ? { ...stored, usedAt: row.usedAt, query: row.query } : row;
}

/** Notes a head in full length. @param day - The UTC day, in days since 1970. */
export function withFullHead(row: SeriesRow, day: number): SeriesRow {
  return { ...row, fullHead: Math.max(row.fullHead, day) };
}

/** Invalidates spans under a generation above all others. */
export function withInvalidated(row: SeriesRow, spans: readonly Span[]): SeriesRow {
  const highest = Math.max(0, ...row.invalidated.map(({ generation }) => generation));
  return { ...row, invalidated: invalidate(row.invalidated, spans, highest + 1) };
}
