import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { SOURCE_IDS } from '#contract/source-ids.ts';
import { ofSource, SOURCES } from '#contract/source.ts';
import type {
  ChangesAnswer,
  ChangesRequest,
  Coverage,
  SourceId,
  SourceInfo,
} from '#contract/source.ts';
import { ARCHIVE_START } from '#core/time/span.ts';
import { currentSource } from '#server/http/current-source.ts';
import type { FindSource } from '#server/http/current-source.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { Relay } from '#server/platform/relay.ts';
import type { CountSource } from '#server/posts/source.ts';
import { coverageOf } from '#server/posts/coverage.ts';

function instantOrNull(instant: number | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

/** The platform reports neither its number of Posts nor the newest one. */
function platformInfo(host: string): SourceInfo {
  const first = formatInstant(ARCHIVE_START);
  const coverage = { start: first, end: null };
  return { id: 'platform', store: host, revision: 0, posts: null, first, last: null, coverage };
}

function coverageAnswer(index: CountSource['index']): Coverage | null {
  const covered = coverageOf(index);
  return covered && { start: formatInstant(covered.start), end: instantOrNull(covered.end) };
}

export interface SourcesDeps {
  readonly http: Http;
  readonly source: FindSource;
  /** Gives null while the platform is not connected. */
  readonly relay: () => Relay | null;
}

/** Describes a source; null if it is not open. */
function infoOf(id: SourceId, { source: find, relay }: SourcesDeps): SourceInfo | null {
  if (id === 'platform') {
    const host = relay()?.host;
    return host === undefined ? null : platformInfo(host);
  }
  const source = find(id);
  if (!source) return null;
  source.refresh();
  const { store, revision, mark, posts, first, last } = source.index;
  const coverage = coverageAnswer(source.index);
  const ends = { first: instantOrNull(first), last: instantOrNull(last) };
  return { id, store, revision, mark, posts, ...ends, coverage };
}

/** Spans whose counts may have changed since a revision. */
function changesOf({ index }: CountSource, { since, mark }: ChangesRequest): ChangesAnswer {
  const spans = index.changesSince(since, mark ?? null);
  if (!spans) {
    const detail =
      `The store does not know revision ${since} with the mark ${mark ?? '(none)'}: ` +
      `everything may have changed.`;
    throw plainProblem(410, 'Gone', detail);
  }
  return {
    store: index.store,
    revision: index.revision,
    mark: index.mark,
    spans: spans.map(({ start, end }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
    })),
    coverage: coverageAnswer(index),
  };
}

/** `GET /sources`, and `GET {prefix}/changes` of Your posts and of the sample. */
export function sources(deps: SourcesDeps): Route[] {
  const { http, source } = deps;
  return [
    http.serve(SOURCES.list, () => ({
      data: SOURCE_IDS.flatMap((id) => infoOf(id, deps) ?? []),
    })),
    ...(['posts', 'sample'] as const).map((id) =>
      http.serve(ofSource(SOURCES.changes, id), ({ c, query }) =>
        changesOf(currentSource(c, source, id), query),
      ),
    ),
  ];
}
