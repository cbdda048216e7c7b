import * as v from 'valibot';
import { Time, Whole } from '#contract/members.ts';
import { endpoint, sessionEndpoint } from '#contract/endpoint.ts';
import { GRANULARITIES } from '#core/time/bucket.ts';
import { ChangesAnswer, SourceInfo } from './source.ts';

/** A change of a source of Posts. The first lines of a stream say which revisions the sources have. */
export const LiveLine = v.object({
  source: SourceInfo.entries.id,
  store: ChangesAnswer.entries.store,
  revision: ChangesAnswer.entries.revision,
  mark: ChangesAnswer.entries.mark,
  /** The spans whose counts changed since the last line about the source; null if any may have. */
  spans: v.nullable(ChangesAnswer.entries.spans),
});
export type LiveLine = v.InferOutput<typeof LiveLine>;

/** A line follows the last one, if only an empty one, within this time. */
export const LIVE_SILENCE_MS = 15_000;

/** Most queries of one request, and most counts in its answer. */
export const MOST_LIVE = { queries: 200, counts: 100_000 } as const;

const LiveRequest = v.strictObject({
  source: LiveLine.entries.source,
  queries: v.pipe(
    v.array(v.pipe(v.string(), v.maxLength(4096))),
    v.minLength(1),
    v.maxLength(MOST_LIVE.queries),
  ),
  granularity: v.picklist(GRANULARITIES),
  /** Of the first bucket, on the grid. */
  start: Time,
});

/** Counts of one state of a source, from a start up to the whole second after now. */
export const LiveCounts = v.object({
  store: v.string(),
  revision: v.number(),
  mark: v.string(),
  /** The end of what was counted. It may cut the last bucket. */
  end: Time,
  /** Of each query, in order, each bucket. */
  counts: v.array(v.array(Whole)),
});

/** Changes of Your posts and of the sample, as they are made. */
export const LIVE = {
  changes: sessionEndpoint('GET', '/live', { response: LiveLine, streams: true }),
  /** The newest counts of all topics of a board. It changes nothing. */
  counts: endpoint('POST', '/live/counts', {
    authentication: ['session'],
    ownData: true,
    body: LiveRequest,
    maxBody: 2 ** 20,
    answer: LiveCounts,
  }),
};
