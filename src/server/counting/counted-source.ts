import type { SourceInfo } from '#contract/counts/source.ts';
import { formatInstant } from '#contract/instant.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import type { Counter, StoredSource } from './counter.ts';

/** A source as the program of reports needs it; null without Posts. */
export async function countedSource(
  counter: Pick<Counter, 'coverage'>,
  id: StoredSource,
): Promise<SourceInfo | null> {
  const found = await counter.coverage(id);
  if (!found) return null;
  const textOf = (at: number | null): string | null =>
    at === null || at === Infinity ? null : formatInstant(at);
  const { store, revision, mark, first, last, posts, covered } = found;
  const coverage = covered.map(({ start, end }) => ({
    start: formatInstant(start),
    end: textOf(end),
  }));
  const ends = { first: textOf(first), last: textOf(last) };
  return { id, store, revision, mark, posts, ...ends, coverage };
}

/** The platform, which reports neither its number of Posts nor the newest one. */
export function platformSource(host: string): SourceInfo {
  const first = formatInstant(ARCHIVE_START);
  const coverage = [{ start: first, end: null }];
  return { id: 'platform', store: host, revision: 0, posts: null, first, last: null, coverage };
}
