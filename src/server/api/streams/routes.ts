import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { ruleLimits } from '#contract/stream.ts';
import { MOST_LISTED, RULES_ON_PAGE, STREAMS } from '#contract/streams.ts';
import type { ConnectionInfo, RuleApp, StreamSource, StreamsAnswer } from '#contract/streams.ts';
import type { Service } from '#server/auth/store.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { ConnectionEntry } from '#server/stream/connection-table.ts';
import type { Connections } from '#server/stream/connections.ts';

export interface StreamsRoutesDeps {
  readonly http: Http;
  readonly service: Pick<Service, 'apps' | 'rules' | 'connections'>;
  readonly connections: Pick<Connections, 'end'>;
}

/** Apps that have rules, those with the most first. */
function appsWithRules({ apps, rules }: StreamsRoutesDeps['service']): RuleApp[] {
  const counts = new Map<string, Record<StreamSource, number>>();
  for (const { stream, app, count } of rules.counts()) {
    const before = counts.get(app) ?? { posts: 0, sample: 0 };
    counts.set(app, { ...before, [stream]: count });
  }
  const all = (app: RuleApp): number => app.rules.posts + app.rules.sample;
  return [...counts]
    .flatMap(([id, of]) => {
      const app = apps.byId(id);
      if (!app) return [];
      const { access, stream_rules } = app.settings;
      return {
        id,
        name: app.name,
        access,
        limit: ruleLimits(access, stream_rules).rules,
        rules: of,
      };
    })
    .sort((a, b) => all(b) - all(a) || a.name.localeCompare(b.name, 'en'));
}

/** `GET /streams`, `GET /streams/rules`, `DELETE /streams/connections/:id`: rules and connections of all apps. */
export function streamsRoutes({ http, service, connections }: StreamsRoutesDeps): Route[] {
  const { apps, rules, connections: table } = service;
  const infoOf = (entry: ConnectionEntry): ConnectionInfo => ({
    id: entry.id,
    app: apps.byId(entry.app)?.name ?? entry.app,
    source: entry.source as StreamSource,
    stream: entry.stream,
    client_ip: entry.ip,
    connected_at: formatInstant(entry.connectedAt),
    disconnected_at: entry.disconnectedAt === null ? null : formatInstant(entry.disconnectedAt),
    reason: entry.reason,
  });
  return [
    http.serve(STREAMS.overview, (): StreamsAnswer => {
      const all = appsWithRules(service);
      const listed = (status: 'active' | 'inactive') => ({
        count: table.count(status),
        newest: table.newest(status, MOST_LISTED).map(infoOf),
      });
      return {
        apps: { count: all.length, most: all.slice(0, MOST_LISTED) },
        open: listed('active'),
        past: listed('inactive'),
      };
    }),
    http.serve(STREAMS.rules, ({ query: { app, source, after = '-1' } }) => {
      const found = rules.page({ stream: source, app }, BigInt(after), RULES_ON_PAGE + 1);
      const page = found.slice(0, RULES_ON_PAGE);
      return {
        rules: page,
        next: found.length > RULES_ON_PAGE ? (page.at(-1)?.id ?? null) : null,
      };
    }),
    http.serve(STREAMS.end, ({ params: { id } }) => {
      const entry = table.find(id);
      if (entry && connections.end(entry.app, id, 'operator_disconnect')) return { ended: true };
      throw plainProblem(404, 'Not Found', `There is no open connection with the id [${id}].`);
    }),
  ];
}
