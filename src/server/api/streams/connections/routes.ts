import {
  CONNECTIONS,
  CONNECTION_FIELDS,
  type ConnectionField,
  type ConnectionsAnswer,
  type EndedAnswer,
} from '#contract/streams/connections.ts';
import { formatInstant } from '#contract/instant.ts';
import { packCursor } from '#core/cursor.ts';
import { callingApp } from '#server/auth/calling-app.ts';
import { readPageToken, sealBy } from '#server/http/page-token.ts';
import type { ServiceContext } from '#server/context.ts';
import type { Route } from '#server/http/serve.ts';
import type { ConnectionEntry } from '#server/streams/connection-table.ts';

/** The members of the platform's object by their names, without those that are unknown. */
function jsonOf(entry: ConnectionEntry, fields: ReadonlySet<ConnectionField>) {
  const { id, stream, connectedAt, disconnectedAt, ip, reason } = entry;
  return {
    // The two that every answer has (platform-openapi, Connection).
    endpoint_name: stream,
    connected_at: formatInstant(connectedAt),
    ...(fields.has('id') && { id }),
    ...(fields.has('client_ip') && ip !== null && { client_ip: ip }),
    ...(fields.has('disconnected_at') &&
      disconnectedAt !== null && { disconnected_at: formatInstant(disconnectedAt) }),
    ...(fields.has('disconnect_reason') && reason !== null && { disconnect_reason: reason }),
  };
}

/** `GET`, `DELETE /2/connections`: open and past connections to streams. */
export function connectionRoutes({
  http,
  streams: { connections },
  service: { connections: table },
  pageKey,
}: ServiceContext): Route[] {
  const seal = sealBy(pageKey);
  const ended = (app: string, ids: readonly string[]): EndedAnswer => {
    const results = [...new Set(ids)].map((uuid) =>
      connections.end(app, uuid, 'operator_disconnect')
        ? { uuid, success: true }
        : {
            uuid,
            success: false,
            error_message: `The app has no open connection with the id [${uuid}].`,
          },
    );
    const { length: successful } = results.filter(({ success }) => success);
    return {
      data: {
        successful_kills: successful,
        failed_kills: results.length - successful,
        results,
      },
    };
  };
  return [
    http.serve(CONNECTIONS.list, ({ caller, query }): ConnectionsAnswer => {
      const app = callingApp(caller).id;
      const { status, endpoints, max_results: most, pagination_token } = query;
      const bound = `connections ${app} ${status} ${String(endpoints)}`;
      const [at, id] = readPageToken({ pagination_token }, bound, seal) ?? [];
      const after = at === undefined || id === undefined ? null : { connectedAt: Number(at), id };
      const found = table.of(app, { status, streams: endpoints }, after, most + 1);
      const page = found.slice(0, most);
      const last = page.at(-1);
      const fields = new Set(
        (query['connection.fields'] ?? CONNECTION_FIELDS) as ConnectionField[],
      );
      return {
        ...(page.length > 0 && { data: page.map((entry) => jsonOf(entry, fields)) }),
        meta: {
          result_count: page.length,
          ...(last &&
            found.length > most && {
              next_token: packCursor([String(last.connectedAt), last.id], bound, seal),
            }),
        },
      };
    }),
    http.serve(CONNECTIONS.end, ({ caller, body }) => ended(callingApp(caller).id, body.uuids)),
    http.serve(CONNECTIONS.endAll, ({ caller }) => {
      const app = callingApp(caller).id;
      return ended(app, connections.of(app));
    }),
    http.serve(CONNECTIONS.endStream, ({ caller, params }) => {
      const app = callingApp(caller).id;
      return ended(app, connections.of(app, params.endpoint_id));
    }),
  ];
}
