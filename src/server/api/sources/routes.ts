import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { SOURCE_IDS } from '#contract/counts/source-ids.ts';
import {
  ofSource,
  SOURCES,
  type ChangesAnswer,
  type ChangesRequest,
  type Coverage,
  type SourceId,
  type SourceInfo,
} from '#contract/counts/source.ts';
import type { Span } from '#core/time/span.ts';
import type { StoreInfo } from '#server/cluster/posts.ts';
import { platformSource } from '#server/counting/counted-source.ts';
import { currentSource } from '#server/http/current-source.ts';
import { setStore } from '#server/http/headers.ts';
import type { Route } from '#server/http/serve.ts';
import { noteProtection } from '#server/users/hidden.ts';
import type { ServiceContext } from '#server/context.ts';

function instantOrNull(instant: number | null): string | null {
  return instant === null ? null : formatInstant(instant);
}

function coverageAnswer({ covered }: StoreInfo): Coverage {
  return covered.map(({ start, end }) => ({
    start: formatInstant(start),
    end: end === Infinity ? null : formatInstant(end),
  }));
}

function infoAnswer(id: SourceId, info: StoreInfo): SourceInfo {
  const { store, revision, mark, posts, first, last } = info;
  const ends = { first: instantOrNull(first), last: instantOrNull(last) };
  return { id, store, revision, mark, posts, ...ends, coverage: coverageAnswer(info) };
}

/** Describes a source; null if it is not open. */
async function infoOf(id: SourceId, deps: ServiceContext): Promise<SourceInfo | null> {
  const { source: find, connection, cluster } = deps;
  if (id === 'platform') {
    const host = connection.relay?.host;
    return host === undefined ? null : platformSource(host);
  }
  if (id === 'posts') await noteProtection(deps);
  if (cluster && id === 'posts') return { ...infoAnswer(id, await cluster.info()), cluster: true };
  const source = find(id);
  if (!source) return null;
  source.refresh();
  const making = id === 'sample' ? deps.making() : null;
  return { ...infoAnswer(id, source.index), ...(making !== null && { making }) };
}

/** The answer about spans whose counts may have changed since a revision; null means all. */
function changesAnswer(
  info: StoreInfo,
  spans: readonly Span[] | null,
  { since, mark }: ChangesRequest,
): ChangesAnswer {
  if (!spans) {
    const detail =
      `The store does not know revision ${since} with the mark ${mark ?? '(none)'}: ` +
      `everything may have changed.`;
    throw plainProblem(410, 'Gone', detail);
  }
  return {
    store: info.store,
    revision: info.revision,
    mark: info.mark,
    spans: spans.map(({ start, end }) => ({
      start: formatInstant(start),
      end: formatInstant(end),
    })),
    coverage: coverageAnswer(info),
  };
}

/** `GET /sources`, and `GET {prefix}/changes` of Your posts and of the sample. */
export function sources(deps: ServiceContext): Route[] {
  const { http, source, cluster } = deps;
  return [
    http.serve(SOURCES.list, async () => {
      const infos = await Promise.all(SOURCE_IDS.map((id) => infoOf(id, deps)));
      return { data: infos.filter((info) => info !== null) };
    }),
    ...(['posts', 'sample'] as const).map((id) =>
      http.serve(ofSource(SOURCES.changes, id), async ({ c, query }) => {
        if (id === 'posts') await noteProtection(deps);
        if (cluster && id === 'posts') {
          const { info, spans } = await cluster.changes(query.since, query.mark ?? null);
          setStore(c, info);
          return changesAnswer(info, spans, query);
        }
        const { index } = currentSource(c, source, id);
        return changesAnswer(index, index.changesSince(query.since, query.mark ?? null), query);
      }),
    ),
  ];
}
