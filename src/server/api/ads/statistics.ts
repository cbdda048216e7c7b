import { HOUR_MS, MINUTE_MS, type Span } from '#core/time/span.ts';
import type { Descendant, MetricSums } from '#server/ads/figures.ts';
import type { AdEntity } from '#server/ads/entity-row.ts';
import type { AdsStore } from '#server/ads/store.ts';
import { readId } from '#core/import/id.ts';
import { object } from '#core/import/json.ts';
import { NEVER, type Due, type Steps } from '#server/index/steps.ts';
import { allFacts } from '#server/posts/json/facts.ts';
import type { CountSource, Slice } from '#server/posts/index/source.ts';
import {
  METRICS,
  UNKNOWN_METRICS,
  type Metric,
  type MetricGroup,
  type Placement,
} from '#contract/ads/ad-metrics.ts';

/** Before and after all figures. */
const EVER: Span = { start: -Infinity, end: Infinity };

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
  const isHourly = buckets.every(
    (bucket) => bucket.start % HOUR_MS === 0 && bucket.end % HOUR_MS === 0,
  );
  const step = isHourly ? HOUR_MS : MINUTE_MS;
  const condition = { kind: 'term', term } as const;
  const counts = index.histogram(condition, { start, end }, isHourly ? 'hour' : 'minute');
  return buckets.map((bucket) =>
    counts
      .subarray((bucket.start - start) / step, (bucket.end - start) / step)
      .reduce((sum, count) => sum + count, 0),
  );
}

/** The figures from which statistics come, and their times. */
interface Asked {
  readonly groups: readonly string[];
  readonly placement: Placement;
  /** In the order of time, each beginning where the one before ends. */
  readonly buckets: readonly Span[];
  /** Epoch ms. */
  readonly now: number;
}

/**
 * Figures of a Post that have no time, in all: its likes, and its views as imported. They are known of a bucket only if
 * the Post's whole life so far lies in it.
 */
function lifetimeFigures(
  { posts }: CountSource,
  id: bigint,
  { buckets, now }: Asked,
): { readonly at: number; readonly metrics: Readonly<Partial<Record<Metric, number>>> } | null {
  const [row] = posts.rows([id]);
  if (!row) return null;
  const at = buckets.findIndex(({ start, end }) => start <= row.createdAt && now < end);
  if (at === -1) return null;
  const imported = row.rest === null ? null : object(object(JSON.parse(row.rest))?.public_metrics);
  const given = (name: string): number => Number(imported?.[name] ?? 0);
  const likes = Number(imported?.like_count ?? allFacts(row).likes ?? 0);
  const { made } = posts.relations.count('like', 'target', id);
  return {
    at,
    metrics: { likes: Math.max(likes + made, 0), impressions: given('impression_count') },
  };
}

/**
 * The figures of a promoted Post that is one of this service's Posts: its replies and reposts by their time, its likes and
 * views as far as their time is known. What this service does not count has no figures.
 */
function ownFigures(
  { fields }: AdEntity,
  source: CountSource,
  names: readonly Metric[],
  asked: Asked,
): Metrics {
  const { buckets } = asked;
  const id = readId(String(fields['tweet_id']));
  const isHere = id !== null && source.posts.rows([id]).length > 0;
  const lifetime = isHere ? lifetimeFigures(source, id, asked) : null;
  const valuesOf = (name: Metric): number[] => {
    const term = COUNTED[name];
    if (!isHere) return [];
    if (term !== undefined) return countsOf(source, `${term}:${id}`, buckets);
    return buckets.map((_, i) => (i === lifetime?.at ? (lifetime.metrics[name] ?? 0) : 0));
  };
  return Object.fromEntries(
    names.map((name) => {
      const values = valuesOf(name);
      return [name, values.some((value) => value > 0) ? values : null];
    }),
  );
}

/** Adds what is known; what is not known of both stays unknown. */
function addSums(sums: MetricSums[], more: readonly MetricSums[]): void {
  for (const [i, row] of more.entries()) {
    sums[i] = row.map((value, j) => {
      const before = sums[i]?.[j] ?? null;
      return value === null ? before : value + (before ?? 0);
    });
  }
}

/** Entities whose figures are summed at once: enough to save time, few enough for a slice of it. */
const AT_ONCE = 25;

/** Puts entities together that have the same entities with figures above them. */
function together(
  below: readonly Descendant[],
): { readonly entities: readonly number[]; readonly above: readonly number[] }[] {
  const groups = new Map<
    string,
    { readonly entities: number[]; readonly above: readonly number[] }
  >();
  const full: { readonly entities: number[]; readonly above: readonly number[] }[] = [];
  for (const { entity, above } of below) {
    const key = above.join(',');
    const group = groups.get(key) ?? { entities: [], above };
    group.entities.push(entity);
    groups.set(key, group);
    if (group.entities.length < AT_ONCE) continue;
    full.push(group);
    groups.delete(key);
  }
  return [...full, ...groups.values()];
}

/** The names of the metrics of groups. */
function namesOf(groups: readonly string[]): Metric[] {
  const known = (Object.keys(METRICS) as MetricGroup[]).filter((group) => groups.includes(group));
  return known.flatMap((group) => METRICS[group]);
}

/** Steps as slices, which share the thread with other requests. */
export function inSlices<T>(work: (due: Due) => Steps<T>): Slice<T> {
  let due: Due = NEVER;
  const steps = work(() => due());
  return (pauseIsDue) => {
    due = pauseIsDue;
    return steps.next();
  };
}

/** The statistics of an entity in an answer. */
export interface EntityStatistics {
  readonly id: string;
  readonly id_data: readonly { readonly segment: null; readonly metrics: Metrics }[];
}

/** The statistics of an entity in steps, see {@link metricsOf}. Metrics that this service does not know are null. */
export function* statisticsOf(
  ads: AdsStore,
  account: string,
  source: CountSource | null,
  entity: AdEntity,
  asked: Asked,
  due: Due,
): Steps<EntityStatistics> {
  const known = yield* metricsOf(ads, account, source, entity, asked, due);
  const unknown = asked.groups
    .flatMap((group) => UNKNOWN_METRICS[group] ?? [])
    .map((name) => [name, null] as const);
  const metrics = { ...known, ...Object.fromEntries(unknown) };
  return { id: entity.id, id_data: [{ segment: null, metrics }] };
}

/**
 * The sums of an entity by bucket, in steps, in the order of {@link namesOf}: the imported figures of the entity itself,
 * and those of all that belongs to it. Null if none has figures.
 */
function* sumsOf(
  { figures }: AdsStore,
  account: string,
  entity: AdEntity,
  { groups, placement, buckets }: Asked,
  due: Due,
): Steps<MetricSums[] | null> {
  const span = { start: buckets[0]?.start ?? 0, end: buckets.at(-1)?.end ?? 0 };
  let sums: MetricSums[] | null = null;
  for (const { entities, above } of together(figures.below(entity.seq, account, placement, span))) {
    const more = figures.sums(entities, placement, buckets, namesOf(groups), above);
    if (sums) addSums(sums, more);
    else sums = more;
    if (due()) yield;
  }
  return sums;
}

/** The metrics of an entity in each bucket, as {@link metricsOf}, but null in those of which nothing is known. */
export function* knownMetricsOf(
  ads: AdsStore,
  account: string,
  entity: AdEntity,
  asked: Asked,
  due: Due,
): Steps<Readonly<Partial<Record<Metric, number | null>>>[]> {
  const sums = yield* sumsOf(ads, account, entity, asked, due);
  const names = namesOf(asked.groups);
  return asked.buckets.map((_, i) =>
    Object.fromEntries(names.map((name, j) => [name, sums?.[i]?.[j] ?? null])),
  );
}

/**
 * The metrics of an entity, in steps: the imported figures of the entity itself, and those of all that belongs to it. A
 * figure replaces the figures of everything below its entity that it overlaps, so nothing counts twice. A promoted Post
 * without imported figures has what this service counted of the Post.
 *
 * @param account - Id of the ad account.
 * @param source - The Posts of this service; null if they are not open.
 */
export function* metricsOf(
  ads: AdsStore,
  account: string,
  source: CountSource | null,
  entity: AdEntity,
  asked: Asked,
  due: Due,
): Steps<Metrics> {
  const { groups, placement } = asked;
  const names = namesOf(groups);
  const sums = yield* sumsOf(ads, account, entity, asked, due);
  if (!sums && source && entity.kind === 'PROMOTED_TWEET' && placement === 'ALL_ON_TWITTER') {
    // Figures of any time, so that parts of a time agree with the whole.
    const isImported = ads.figures.time([entity.seq], placement, EVER) !== null;
    if (!isImported) return ownFigures(entity, source, names, asked);
  }
  return Object.fromEntries(
    names.map((name, i) => {
      const values = (sums ?? []).map((row) => row[i] ?? null);
      return [
        name,
        values.every((value) => value === null) ? null : values.map((each) => each ?? 0),
      ];
    }),
  );
}
