import * as v from 'valibot';
import { endpoint } from '#contract/endpoint.ts';
import { NO_PARAMETERS } from '#contract/parameters.ts';
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

/** Changes of Your posts and of the sample, as they are made. */
export const LIVE = {
  changes: endpoint('GET', '/live', {
    authentication: ['session'],
    query: NO_PARAMETERS,
    response: LiveLine,
    streams: true,
  }),
};
