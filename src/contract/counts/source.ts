import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { endpoint, type Endpoint } from '#contract/endpoint.ts';
import { about, NO_PARAMETERS, onlyParameters } from '#contract/parameters.ts';
import { SOURCE_IDS } from './source-ids.ts';

export type SourceId = (typeof SOURCE_IDS)[number];

/** The beginning of the paths of a source. */
export const SOURCE_PREFIX: Readonly<Record<SourceId, string>> = {
  posts: '',
  sample: '/sample',
  platform: '/platform',
};

/** Answers about Your posts and the sample name the state of the store in these headers. */
export const STORE_ID_HEADER = 'x-store-id';
export const STORE_REVISION_HEADER = 'x-store-revision';
export const STORE_MARK_HEADER = 'x-store-mark';

/**
 * The times that a source has data for, in whole minutes: ascending, disjoint, none if it has none. Outside them the
 * interface counts zeros, as the platform does, and the dashboard shows no data. A null end means now: the source
 * receives every new Post.
 */
export const Coverage = v.array(v.object({ start: Time, end: v.nullable(Time) }));
export type Coverage = v.InferOutput<typeof Coverage>;

/** One source that the service can answer from. */
export const SourceInfo = v.object({
  id: v.picklist(SOURCE_IDS),
  /** Store id; a new file has a new one. */
  store: v.string(),
  /** Increases by one with every change to the store. */
  revision: Whole,
  /**
   * Random, per revision: a file restored from a backup uses the number again with another mark. Absent for the
   * platform, which has no revisions.
   */
  mark: v.optional(v.string()),
  /** Number of Posts; null for the platform, which does not say. */
  posts: v.nullable(Whole),
  /** Instants of the oldest and newest Post; null if the source is empty. */
  first: v.nullable(Time),
  last: v.nullable(Time),
  coverage: Coverage,
  /** Percentage of the sample made so far, while it is being made. */
  making: v.optional(v.number()),
  /** True if its Posts are in a cluster, which answers no breakdowns and rankings and lists no collections. */
  cluster: v.optional(v.boolean()),
});
export type SourceInfo = v.InferOutput<typeof SourceInfo>;

export const SourcesAnswer = v.object({ data: v.array(SourceInfo) });

/**
 * Spans whose counts may differ from what they were at a revision. The answer is 410 where the store does not
 * know the revision by that mark: everything may differ.
 */
export const ChangesAnswer = v.object({
  store: v.string(),
  revision: v.number(),
  mark: v.string(),
  spans: v.array(v.object({ start: Time, end: Time })),
  /** As of this revision. */
  coverage: Coverage,
});
export type ChangesAnswer = v.InferOutput<typeof ChangesAnswer>;

export const ChangesRequest = onlyParameters({
  since: v.pipe(
    v.string(),
    v.regex(/^\d{1,15}$/, ({ input }) => `${about('since', input)} is not a revision`),
    v.transform(Number),
  ),
  /** The mark that the store gave with the revision. Without it the service cannot say what changed. */
  mark: v.optional(v.pipe(v.string(), v.maxLength(64))),
});
export type ChangesRequest = v.InferOutput<typeof ChangesRequest>;

export const SOURCES = {
  list: endpoint('GET', '/sources', {
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    query: NO_PARAMETERS,
    answer: SourcesAnswer,
  }),
  /** Changes to Your posts; `ofSource` gives the endpoints of other sources. */
  changes: endpoint('GET', '/changes', {
    authentication: ['app', 'oauth1', 'oauth2', 'session'],
    query: ChangesRequest,
    answer: ChangesAnswer,
  }),
};

/** The same endpoint of another source, with that source's prefix in its path. */
export function ofSource<E extends Endpoint>(endpoint: E, source: SourceId): E {
  return { ...endpoint, path: SOURCE_PREFIX[source] + endpoint.path };
}
