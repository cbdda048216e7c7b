import * as v from 'valibot';
import { endpoint } from './endpoint.ts';
import type { Endpoint } from './endpoint.ts';
import { NO_PARAMETERS } from './parameters.ts';
import { SOURCE_IDS } from './source-ids.ts';

export type SourceId = (typeof SOURCE_IDS)[number];

/** Path before `/2/…` and `/changes` of each source. */
export const SOURCE_PREFIX: Readonly<Record<SourceId, string>> = {
  posts: '',
  sample: '/sample',
  platform: '/platform',
};

/** Answers about own posts (Sample and Your posts) carry these. */
export const STORE_ID_HEADER = 'x-store-id';
export const STORE_REVISION_HEADER = 'x-store-revision';
export const STORE_MARK_HEADER = 'x-store-mark';

const instant = v.pipe(v.string(), v.isoTimestamp());

/**
 * The time of which a source has data, in whole minutes. Outside it the interface counts zeros, as the platform
 * does, and the dashboard shows no data. A null end is now: the source takes in every new Post.
 */
export const Coverage = v.object({ start: instant, end: v.nullable(instant) });
export type Coverage = v.InferOutput<typeof Coverage>;

/** One element of `GET /sources`. */
export const SourceInfo = v.object({
  id: v.picklist(SOURCE_IDS),
  /** Store id; a new store (another file) has another id. */
  store: v.string(),
  /** Rises by one with every change of the store. */
  revision: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /**
   * Random, of this revision: a file put back from a backup gives the number out again with another mark. Absent
   * for the platform, which has no revisions.
   */
  mark: v.optional(v.string()),
  /** Posts held; null of the platform, which does not tell. */
  posts: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Instants of the oldest and newest Post; null where the source is empty. */
  first: v.nullable(instant),
  last: v.nullable(instant),
  /** Null where the source is empty. */
  coverage: v.nullable(Coverage),
});
export type SourceInfo = v.InferOutput<typeof SourceInfo>;

/** `GET /sources`: what this service can answer from. */
export const SourcesAnswer = v.object({ data: v.array(SourceInfo) });

/**
 * `GET {prefix}/changes?since=REVISION&mark=MARK`: spans whose counts may differ from what they were at that
 * revision. 410 where the store does not know the revision by that mark: everything may differ.
 */
export const ChangesAnswer = v.object({
  store: v.string(),
  revision: v.number(),
  mark: v.string(),
  spans: v.array(v.object({ start: instant, end: instant })),
  /** As of this revision; null where the source is empty. */
  coverage: v.nullable(Coverage),
});
export type ChangesAnswer = v.InferOutput<typeof ChangesAnswer>;

/** Parameters of `GET {prefix}/changes`. */
export const ChangesRequest = v.strictObject(
  {
    since: v.pipe(
      v.string(),
      v.regex(
        /^\d{1,15}$/,
        (issue) => `The \`since\` query parameter value [${String(issue.input)}] is not a revision`,
      ),
      v.transform(Number),
    ),
    /** As the store gave it with the revision; without one nothing is known of what changed. */
    mark: v.optional(v.pipe(v.string(), v.maxLength(64))),
  },
  (issue) =>
    issue.expected === 'never'
      ? `The query parameter [${String(issue.path?.at(-1)?.key)}] is not one of [since,mark]`
      : 'The `since` query parameter can not be empty',
);
export type ChangesRequest = v.InferOutput<typeof ChangesRequest>;

export const SOURCES = {
  /** What the service can answer from. */
  list: endpoint('GET', '/sources', {
    authentication: ['app', 'user', 'session'],
    query: NO_PARAMETERS,
    answer: SourcesAnswer,
  }),
  /** What changed in Your posts; `ofSource` gives the changes of another source. */
  changes: endpoint('GET', '/changes', {
    authentication: ['app', 'user', 'session'],
    query: ChangesRequest,
    answer: ChangesAnswer,
  }),
};

/** An endpoint of Your posts as another source has it, under the prefix of that source. */
export function ofSource<E extends Endpoint>(one: E, source: SourceId): E {
  return { ...one, path: SOURCE_PREFIX[source] + one.path };
}
