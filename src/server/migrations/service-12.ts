/**
 * Subscriptions of apps to events. `stream` is the source whose events they are about, `type` the canonical name of the
 * type and `name` the spelling that the app uses. `direction` is null if both match, `direction_name` as the app wrote it.
 * `subject` is the user or the keyword of the filter. Instants in epoch ms.
 */
export const SERVICE_12 = `
CREATE TABLE subscription (
  id INTEGER PRIMARY KEY, stream TEXT NOT NULL, app TEXT NOT NULL, type TEXT NOT NULL, name TEXT NOT NULL,
  subject TEXT NOT NULL, direction TEXT, direction_name TEXT, tag TEXT, webhook TEXT, private INTEGER NOT NULL,
  created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX subscription_by_filter ON subscription (stream, app, type, subject, coalesce(direction, ''));
CREATE INDEX subscription_by_app ON subscription (stream, app, id);
CREATE INDEX subscription_by_event ON subscription (stream, type, subject);
`;
