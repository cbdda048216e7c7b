import { plainProblem } from '#contract/fault.ts';
import { formatInstant } from '#contract/instant.ts';
import {
  MOST_LISTED,
  RULES_ON_PAGE,
  STREAMS,
  type ConnectionInfo,
  type StreamSource,
  type StreamsAnswer,
} from '#contract/streams/streams.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import type { ConnectionEntry } from '#server/streams/connection-table.ts';
import { streamApps } from './apps.ts';
import { subscriptionRoutes } from './subscriptions.ts';

/** `/streams`: rules, subscriptions and connections of all apps. */
export function streamsRoutes(context: ServiceContext): Route[] {
  const { http, service, streams } = context;
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
      const all = streamApps(service);
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
    ...subscriptionRoutes(context),
    http.serve(STREAMS.end, ({ params: { id } }) => {
      const entry = table.find(id);
      if (entry && streams.connections.end(entry.app, id, 'operator_disconnect'))
        return { ended: true };
      throw plainProblem(404, 'Not Found', `There is no open connection with the id [${id}].`);
    }),
  ];
}
