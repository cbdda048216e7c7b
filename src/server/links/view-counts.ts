import type { CountedBuckets, ReportQuestion } from '#contract/counts/report.ts';
import type { SourceId } from '#contract/counts/source.ts';
import type { ViewCounts, ViewQuestion } from '#contract/links/view-link.ts';
import { BUCKET_MS } from '#core/time/bucket.ts';

/** A question of a view as sources answer it. */
export function sourceQuestion(
  source: SourceId,
  { query, start, buckets, granularity }: ViewQuestion,
): ReportQuestion {
  const width = BUCKET_MS[granularity];
  const bounds = new Float64Array(buckets + 1);
  for (let i = 0; i <= buckets; i += 1) bounds[i] = start + i * width;
  return { source, query, bounds };
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
