import { SOURCE_IDS } from '#contract/source.ts';
import type { SeriesRow } from './cache-port.ts';

/** What the key of a series says of it. @param usedAt - When it was last looked at, epoch ms. */
export function seriesRowOf(key: string, usedAt: number): SeriesRow {
  let parts: unknown = null;
  try {
    parts = JSON.parse(key);
  } catch {
    // No key of ours: told as it is.
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
