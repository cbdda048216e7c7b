import type { Context } from 'hono';
import type * as v from 'valibot';
import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { ChangesRequest } from '#contract/source.ts';
import { SOURCE_IDS } from '#contract/source-ids.ts';
import type {
  ChangesAnswer,
  Coverage,
  SourceId,
  SourceInfo,
  SourcesAnswer,
} from '#contract/source.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import type { CountSource } from '#server/posts/source.ts';
import { coverageOf } from './coverage.ts';
import type { RouteDeps } from '#server/api/route-deps.ts';
import { callerOf, openedSource, UNCACHED } from '#server/http/context.ts';
import { NoParameters, readParameters } from '#server/http/params.ts';

function instantOrNull(instant: number | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

/** The platform tells neither how many Posts it has nor of when the newest is. */
function platformInfo(host: string): SourceInfo {
  const first = formatInstant(ARCHIVE_START);
  const coverage = { start: first, end: null };
  return { id: 'platform', store: host, revision: 0, posts: null, first, last: null, coverage };
}

function coverageAnswer(index: CountSource['index']): Coverage | null {
  const covered = coverageOf(index);
  return covered && { start: formatInstant(covered.start), end: instantOrNull(covered.end) };
}

/** `GET /sources`: what this service can answer from. */
export function sources(deps: RouteDeps) {
  return (c: Context): Response => {
    callerOf(c, deps.gate);
    readParameters(c.req.url, NoParameters);
    const data = SOURCE_IDS.flatMap((id): SourceInfo[] => {
      if (id === 'platform') return deps.relay ? [platformInfo(deps.relay.host)] : [];
      const source = deps.source(id);
      if (!source) return [];
      source.refresh();
      const { store, revision, mark, posts, first, last } = source.index;
      const coverage = coverageAnswer(source.index);
      const ends = { first: instantOrNull(first), last: instantOrNull(last) };
      return [{ id, store, revision, mark, posts, ...ends, coverage }];
    });
    const answer: v.InferInput<typeof SourcesAnswer> = { data };
    return c.json(answer, 200, { 'cache-control': UNCACHED });
  };
}

/** `GET {prefix}/changes?since=REVISION&mark=MARK`: where counts may differ from what they were at a revision. */
export function changes(deps: RouteDeps, id: SourceId) {
  return (c: Context): Response => {
    callerOf(c, deps.gate);
    const { request } = readParameters(c.req.url, ChangesRequest);
    const { index } = openedSource(c, deps, id);
    const spans = index.changesSince(request.since, request.mark ?? null);
    if (!spans) {
      const detail =
        `What changed since revision ${request.since} with the mark ` +
        `${request.mark ?? '(none)'} is not known: everything may have.`;
      throw plainProblem(410, 'Gone', detail);
    }
    const answer: ChangesAnswer = {
      store: index.store,
      revision: index.revision,
      mark: index.mark,
      spans: spans.map(({ start, end }) => ({
        start: formatInstant(start),
        end: formatInstant(end),
      })),
      coverage: coverageAnswer(index),
    };
    return c.json(answer, 200, { 'cache-control': UNCACHED });
  };
}
