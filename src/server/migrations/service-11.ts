/**
 * Connections to the streams of apps. `reason` is null while a connection is open. `disconnected_at` stays null where
 * the service ended before it could write it. Instants in epoch ms.
 */
export const SERVICE_11 = `
CREATE TABLE stream_connection (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, source TEXT NOT NULL, stream TEXT NOT NULL, ip TEXT,
  connected_at INTEGER NOT NULL, disconnected_at INTEGER, reason TEXT
) WITHOUT ROWID;
CREATE INDEX stream_connection_by_app ON stream_connection (app, connected_at, id);
`;
