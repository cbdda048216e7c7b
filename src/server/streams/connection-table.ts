import type {
  ConnectionStatus,
  DisconnectReason,
  StreamName,
} from '#contract/streams/connections.ts';
import type { SourceId } from '#contract/counts/source.ts';
import { column, columns, type RowOf } from '#server/db/columns.ts';
import type { Db } from '#server/db/driver.ts';

const CONNECTION = columns({
  /** UUID. */
  id: column.text,
  /** Id of the app. */
  app: column.text,
  source: column.word<SourceId>(),
  stream: column.word<StreamName>(),
  /** Address of the client; null if it is unknown. */
  ip: column.textOrNull,
  /** Epoch ms. */
  connectedAt: column.number,
  /** Epoch ms; null while it is open, and where the service ended before it could write it. */
  disconnectedAt: column.numberOrNull,
  /** Null while it is open. */
  reason: column.wordOrNull<DisconnectReason>(),
});

/** A connection to a stream, open or past. */
export type ConnectionEntry = RowOf<typeof CONNECTION>;

/** Position after which a page of {@link ConnectionTable.of} begins. */
export type ConnectionPlace = Pick<ConnectionEntry, 'connectedAt' | 'id'>;

/** Connections to the streams of apps. */
export type ConnectionTable = ReturnType<typeof connectionTable>;

/** True if a connection has the status that is parameter `n`. */
const hasStatus = (n: number): string => `(?${n} = 'all' OR (reason IS NULL) = (?${n} = 'active'))`;

export function connectionTable(db: Db) {
  const add = CONNECTION.insert(db, 'stream_connection');
  const end = db.prepare(
    'UPDATE stream_connection SET disconnected_at = ?, reason = ? WHERE id = ? AND reason IS NULL',
  );
  const list = CONNECTION.select(
    db,
    `stream_connection
     WHERE app = ?1 AND ${hasStatus(2)}
       AND (?3 IS NULL OR stream IN (SELECT value FROM json_each(?3)))
       AND (?4 IS NULL OR (connected_at, id) < (?4, ?5))
     ORDER BY connected_at DESC, id DESC LIMIT ?6`,
  );
  const newest = CONNECTION.select(
    db,
    `stream_connection WHERE ${hasStatus(1)} ORDER BY connected_at DESC, id DESC LIMIT ?2`,
  );
  const count = db.prepare(`SELECT count(*) FROM stream_connection WHERE ${hasStatus(1)}`);
  const apps = db.prepare('SELECT DISTINCT app FROM stream_connection');
  const find = CONNECTION.select(db, 'stream_connection WHERE id = ?');
  const interrupt = db.prepare(
    "UPDATE stream_connection SET reason = 'service_interrupted' WHERE reason IS NULL",
  );
  const forget = db.prepare(
    'DELETE FROM stream_connection WHERE reason IS NOT NULL AND coalesce(disconnected_at, connected_at) < ?',
  );
  return {
    add: (connection: ConnectionEntry): void => void db.write('connect', () => add(connection)),
    /** Records the end of a connection. @param at - epoch ms. */
    end: (id: string, reason: DisconnectReason, at: number): void =>
      void db.write('disconnect', () => end.run([at, reason, id])),
    /** Connections of an app, the newest first; at most `limit`. */
    of: (
      app: string,
      {
        status,
        streams,
      }: { readonly status: ConnectionStatus; readonly streams: readonly string[] | undefined },
      after: ConnectionPlace | null,
      limit: number,
    ): ConnectionEntry[] =>
      list.all([
        app,
        status,
        streams ? JSON.stringify(streams) : null,
        after?.connectedAt ?? null,
        after?.id ?? null,
        limit,
      ]),
    /** Connections of all apps, the newest first; at most `limit`. */
    newest: (status: ConnectionStatus, limit: number): ConnectionEntry[] =>
      newest.all([status, limit]),
    /** The number of connections of all apps. */
    count: (status: ConnectionStatus): number => Number(count.get([status])?.[0]),
    /** Ids of the apps that have any. */
    apps: (): string[] => apps.all([]).map(([app]) => String(app)),
    find: (id: string): ConnectionEntry | null => find.get([id]) ?? null,
    /** Marks connections as interrupted that an earlier process did not end. */
    interrupt: (): void => void db.write('interrupt', () => interrupt.run([])),
    /** Forgets connections that ended before an instant (epoch ms). */
    forget: (before: number): void => void db.write('forget', () => forget.run([before])),
  };
}
