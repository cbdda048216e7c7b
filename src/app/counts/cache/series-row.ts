import { SOURCE_IDS } from '#contract/source-ids.ts';
import { invalidate } from '#core/counts/ledger.ts';
import type { Span } from '#core/time/span.ts';
import type { SeriesRow } from './records.ts';

/** The row of a series, read from its key. @param usedAt - When it was last opened, epoch ms. */
export function seriesRowOf(key: string, usedAt: number): SeriesRow {
  let parts: unknown = null;
  try {
    parts = JSON.parse(key);
  } catch {
    // Not a key of this format: shown as it is.
  }
  const [source, store, query] = Array.isArray(parts) ? (parts as unknown[]) : [];
  return {
    key,
    source: SOURCE_IDS.find((id) => id === source) ?? 'posts',
    store: typeof store === 'string' ? store : '',
    query: typeof query === 'string' ? query : key,
    usedAt,
    fullHead: 0,
    raised: [],
  };
}

/** The row of a series that is opened. @param stored - The row so far, if there is one. */
export function withUse(stored: SeriesRow | null, row: SeriesRow): SeriesRow {
  return stored ? { ...stored, usedAt: row.usedAt, query: row.query } : row;
}

/** With a head in full length on a UTC day, in days since 1970. */
export function withFullHead(row: SeriesRow, day: number): SeriesRow {
  return { ...row, fullHead: Math.max(row.fullHead, day) };
}

/** With spans invalidated, under a generation above all others. */
export function withInvalidated(row: SeriesRow, spans: readonly Span[]): SeriesRow {
  const highest = Math.max(0, ...row.raised.map(({ generation }) => generation));
  return { ...row, raised: invalidate(row.raised, spans, highest + 1) };
}
