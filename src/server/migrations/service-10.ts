/**
 * Webhooks of apps. `valid` is the result of the last check that decided. `checked_at` is when the last check began,
 * `validated_at` when the last one succeeded, in epoch ms; `fault` says why the last one failed.
 */
export const SERVICE_10 = `
CREATE TABLE webhook (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, url TEXT NOT NULL, valid INTEGER NOT NULL, created_at INTEGER NOT NULL,
  checked_at INTEGER NOT NULL, validated_at INTEGER NOT NULL, fault TEXT, UNIQUE (app, url)
) WITHOUT ROWID;
`;
