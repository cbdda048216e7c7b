import { errorMessage } from '#core/thrown.ts';
import { openAnalyst } from '#server/api/breakdown/analyst-thread.ts';
import { openAlerts } from '#server/alerts/alerts.ts';
import { openPlatformWatch } from '#server/alerts/platform-watch.ts';
import { openChannels } from '#server/channels/channels.ts';
import type { Defer } from '#server/closings.ts';
import { causeRows } from '#core/causes/cause-words.ts';
import { countingNow } from '#server/counting/counter.ts';
import { hiddenFrom } from '#server/users/hidden.ts';
import type { StoredDeps } from './parts-deps.ts';
import type { SourceFiles } from './sources.ts';

/** Opens the alerts of all sources. */
export function openAlertParts(
  deps: StoredDeps,
  sources: SourceFiles,
  analyst: ReturnType<typeof openAnalyst>,
  defer: Defer,
) {
  const { service, cluster, now, log } = deps;
  const countNow = countingNow(
    (id) => sources.get(id),
    cluster?.posts ?? null,
    { now, elapsed: deps.elapsed },
    service,
  );
  const platform = openPlatformWatch({ ...deps, login: service.logins.byId });
  const alerts = openAlerts({
    ...deps,
    table: service.alerts,
    count: (id, questions, stop) =>
      id === 'platform' ? platform.count(questions, stop) : countNow(id, questions, stop),
    platform,
    revision: (id) => {
      if (cluster && id === 'posts') return null;
      const source = sources.get(id);
      source?.refresh();
      if (!source) return null;
      const { revision, mark } = source.index;
      return {
        revision,
        mark,
        since: (earlier) => source.index.changesSince(earlier.revision, earlier.mark),
      };
    },
    channels: openChannels(deps),
    isLogin: (id) => service.logins.byId(id) !== undefined,
    causes: async ({ query, source }, span, signal) => {
      // An alert buys no Posts.
      if (source === 'platform') return [];
      const posts = cluster && source === 'posts' ? null : sources.get(source)?.posts;
      if (!posts) return [];
      const compared = { start: span.start - (span.end - span.start), end: span.start };
      const question = { what: 'causes', query, span, compared, limit: 0 } as const;
      const hidden = hiddenFrom(null, source, service, posts);
      try {
        const found = await analyst.ask(source, question, hidden, signal);
        return found ? causeRows(found.result) : [];
      } catch (error) {
        // A message without its causes is better than none.
        log(errorMessage(error));
        return [];
      }
    },
  });
  defer(() => alerts.close());
  return alerts;
}
