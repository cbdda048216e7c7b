import { METRICS } from '#contract/ad-statistics.ts';
import type { Metric, MetricGroup, Placement } from '#contract/ad-statistics.ts';
import { MINUTE_MS, HOUR_MS } from '#core/time/span.ts';
import type { Span } from '#core/time/span.ts';
import { readId } from '#server/import/id.ts';
import type { AdEntity, AdsStore } from '#server/advertising/store.ts';
import type { CountSource } from '#server/posts/source.ts';

/** Values of a metric, one for each bucket; null if nothing is known of any. */
export type Metrics = Readonly<Record<string, readonly number[] | null>>;

/** The metrics that this service can count of its own Posts, and the term of the Posts that they count. */
const COUNTED: Readonly<Partial<Record<Metric, string>>> = {
  replies: 'in_reply_to_tweet_id',
  retweets: 'retweets_of_tweet_id',
};

/** Counts the Posts of a term in each bucket. Buckets follow each other without gaps. */
function countsOf({ index }: CountSource, term: string, buckets: readonly Span[]): number[] {
  const [start = 0, end = 0] = [buckets[0]?.start, buckets.at(-1)?.end];
  const isHourly = buckets.every((one) => one.start % HOUR_MS === 0 && one.end % HOUR_MS === 0);
  const step = isHourly ? HOUR_MS : MINUTE_MS;
  const condition = { kind: 'term', term } as const;
  const counts = index.histogram(condition, { start, end }, isHourly ? 'hour' : 'minute');
  return buckets.map((bucket) =>
    counts
      .subarray((bucket.start - start) / step, (bucket.end - start) / step)
      .reduce((sum, count) => sum + count, 0),
  );
}

/**
 * The figures of a promoted Post that is one of this service's Posts: its replies and reposts. What this service does not
 * count has no figures.
 */
function ownFigures(
  { fields }: AdEntity,
  source: CountSource,
  names: readonly Metric[],
  buckets: readonly Span[],
): Metrics {
  const id = readId(String(fields['tweet_id']));
  const isHere = id !== null && source.posts.rows([id]).length > 0;
  return Object.fromEntries(
    names.map((name) => {
      const term = COUNTED[name];
      if (!isHere || term === undefined) return [name, null];
      const counts = countsOf(source, `${term}:${id}`, buckets);
      return [name, counts.some((count) => count > 0) ? counts : null];
    }),
  );
}

interface Asked {
  readonly groups: readonly string[];
  readonly placement: Placement;
  readonly buckets: readonly Span[];
}

/**
 * The metrics of an entity: the imported figures; for a promoted Post without any, what this service counted of the Post.
 *
 * @param source - The Posts of this service; null if they are not open.
 */
export function metricsOf(
  { figures }: AdsStore,
  source: CountSource | null,
  entity: AdEntity,
  { groups, placement, buckets }: Asked,
): Metrics {
  const known = (Object.keys(METRICS) as MetricGroup[]).filter((group) => groups.includes(group));
  const names: Metric[] = known.flatMap((group) => METRICS[group]);
  const sums = buckets.map((bucket) => figures.sums(entity.seq, placement, bucket, names));
  const isEmpty = sums.every((row) => row.every((value) => value === null));
  if (isEmpty && source && entity.kind === 'PROMOTED_TWEET' && placement === 'ALL_ON_TWITTER') {
    return ownFigures(entity, source, names, buckets);
  }
  return Object.fromEntries(
    names.map((name, i) => {
      const values = sums.map((row) => row[i] ?? null);
      return [name, values.every((value) => value === null) ? null : values.map((one) => one ?? 0)];
    }),
  );
}
