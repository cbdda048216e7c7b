import * as v from 'valibot';
import { answerWith, PostObject } from '#contract/answers.ts';
import { endpoint } from '#contract/endpoint.ts';
import { quarterHour } from '#contract/paging.ts';
import { instant, onlyParameters, wholeBetween } from '#contract/parameters.ts';
import { POST_READ } from '#contract/counts/prices.ts';
import { POST_PARAMETERS, withSelection } from '#contract/posts/selection.ts';

/** Longest backfill of a stream, minutes (platform-openapi, streamPosts). */
export const MOST_BACKFILL = 5;

/** The parameters of a stream that say where in the log it begins and ends. */
export const STREAM_PARAMETERS = {
  backfill_minutes: v.optional(wholeBetween('backfill_minutes', 0, MOST_BACKFILL), '0'),
  start_time: instant('start_time'),
  end_time: instant('end_time'),
};

const PARAMETERS = { ...STREAM_PARAMETERS, ...POST_PARAMETERS };

const StreamRequest = v.pipe(onlyParameters(PARAMETERS), withSelection());

/** One line of the stream. */
const StreamLine = v.object({
  ...answerWith(PostObject).entries,
  matching_rules: v.optional(v.array(v.object({ id: v.string(), tag: v.string() }))),
});

/** The Posts of Your posts that match the rules of an app, as they are created; `ofSource` gives those of the sample. */
export const FILTERED_STREAM = {
  connect: endpoint('GET', '/2/tweets/search/stream', {
    source: 'platform-facts, sections 5 and 12; platform-facts-additions, section 5',
    authentication: ['app'],
    level: 'read',
    limits: { app: quarterHour(50) },
    price: POST_READ,
    query: StreamRequest,
    response: StreamLine,
    streams: true,
  }),
};
