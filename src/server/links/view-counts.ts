import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { ViewCounts, ViewQuestion } from '#contract/links/view-link.ts';
import { bucketEdges } from '#core/time/bucket.ts';

/** A question of a view as sources answer it. */
export function sourceQuestion(
  source: SourceId,
  { query, start, buckets, granularity }: ViewQuestion,
): ReportQuestion {
  return { source, query, bounds: bucketEdges(start, buckets, granularity) };
}

/** Counts, and their states and times in stretches. */
function written({ counts, states, fetchedAt }: CountedBuckets): ViewCounts {
  const runs: ViewCounts['runs'] = [];
  const known: (number | null)[] = [];
  let last = runs.at(-1);
  for (let i = 0; i < counts.length; i += 1) {
    const [count, state, at] = [counts[i]!, states[i]!, fetchedAt[i]!];
    known.push(Number.isNaN(count) ? null : count);
    const fetched = Number.isNaN(at) ? null : at;
    if (last?.state === state && last.fetched_at === fetched) last.buckets += 1;
    else runs.push((last = { buckets: 1, state, fetched_at: fetched }));
  }
  return { counts: known, runs };
}

/** The answer of a view to its questions, as JSON: it may take a tenth of a second. */
export function writtenCounts(found: readonly CountedBuckets[]): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ answers: found.map(written) }));
}
