import { FILTERED_STREAM } from '#contract/streams/filtered-stream.ts';
import { ofSource } from '#contract/counts/source.ts';
import { originOf } from '#server/http/origin.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import { openPostStream } from '#server/streams/post-stream.ts';
import { filteredLines } from './lines.ts';

/** `GET /2/tweets/search/stream`: the Posts that match the rules of the app, from when it connects. */
export function filteredStream({ http, ...deps }: ServiceContext): Route[] {
  return (['posts', 'sample'] as const).map((source) => {
    const endpoint = ofSource(FILTERED_STREAM.connect, source);
    return http.serve(endpoint, ({ c, caller, query }) => {
      const lines = filteredLines(query.selection, originOf(c), deps.now);
      return openPostStream(deps, { c, caller }, { source, endpoint, period: query, lines });
    });
  });
}
