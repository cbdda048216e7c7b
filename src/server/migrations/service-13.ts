/**
 * Webhooks that receive a filtered stream. `stream` is the source of its Posts. `parameters` are those of the request
 * that made the link, as JSON, and `host` is the name that it was sent to, without the port. Posts whose entries in the
 * log have a number above `after` are delivered. `created_at` is epoch ms.
 */
export const SERVICE_13 = `
CREATE TABLE stream_link (
  id TEXT PRIMARY KEY, webhook TEXT NOT NULL UNIQUE, app TEXT NOT NULL, stream TEXT NOT NULL,
  parameters TEXT NOT NULL, host TEXT NOT NULL, after INTEGER NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID;
`;
