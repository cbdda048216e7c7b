import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import { POWER_LIMITS } from '#contract/powerstream.ts';
import { ruleLimits } from '#contract/stream.ts';
import { MOST_LISTED, RULES_ON_PAGE, STREAMS } from '#contract/streams.ts';
import type { ConnectionInfo, RuleApp, StreamSource, StreamsAnswer } from '#contract/streams.ts';
import type { Service } from '#server/auth/store.ts';
import type { Http, Route } from '#server/http/serve.ts';
import type { ConnectionEntry } from '#server/stream/connection-table.ts';
import type { RuleTable } from '#server/stream/rules/rule-table.ts';
import type { Connections } from '#server/stream/connections.ts';

export interface StreamsRoutesDeps {
  readonly http: Http;
  readonly service: Pick<Service, 'apps' | 'rules' | 'powerRules' | 'connections'>;
  readonly connections: Pick<Connections, 'end'>;
}

const NO_RULES = { posts: 0, sample: 0 };

/** How many rules of a kind each app has for each source, by the id of the app. */
function countsIn(rules: RuleTable): ReadonlyMap<string, Record<StreamSource, number>> {
  const counts = new Map<string, Record<StreamSource, number>>();
  for (const { stream, app, count } of rules.counts()) {
    counts.set(app, { ...(counts.get(app) ?? NO_RULES), [stream]: count });
  }
  return counts;
}

/** Apps that have rules, those with the most first. */
function appsWithRules({ apps, rules, powerRules }: StreamsRoutesDeps['service']): RuleApp[] {
  const [filtered, power] = [countsIn(rules), countsIn(powerRules)];
  const all = ({ filtered_stream, powerstream }: RuleApp): number =>
    [filtered_stream, powerstream].reduce((sum, of) => sum + of.rules.posts + of.rules.sample, 0);
  return [...new Set([...filtered.keys(), ...power.keys()])]
    .flatMap((id) => {
      const app = apps.byId(id);
      if (!app) return [];
      const { access, stream_rules } = app.settings;
      const limit = ruleLimits(access, stream_rules).rules;
      return {
        id,
        name: app.name,
        access,
        filtered_stream: { limit, rules: filtered.get(id) ?? NO_RULES },
        powerstream: { limit: POWER_LIMITS.rules, rules: power.get(id) ?? NO_RULES },
      };
    })
    .sort((a, b) => all(b) - all(a) || a.name.localeCompare(b.name, 'en'));
}

/** `GET /streams`, `GET /streams/rules`, `DELETE /streams/connections/:id`: rules and connections of all apps. */
export function streamsRoutes({ http, service, connections }: StreamsRoutesDeps): Route[] {
  const { apps, rules, powerRules, connections: table } = service;
  const tables = { filtered_stream: rules, powerstream: powerRules };
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
    http.serve(STREAMS.rules, ({ query: { app, source, stream, after = '-1' } }) => {
      const found = tables[stream].page({ stream: source, app }, BigInt(after), RULES_ON_PAGE + 1);
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
