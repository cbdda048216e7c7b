/**
 * Rules of streams, by app. `stream` is the source whose Posts they match. Ids increase with every rule of any app. An app
 * has a value once per stream.
 */
export const SERVICE_9 = `
CREATE TABLE rule (
  id INTEGER PRIMARY KEY, stream TEXT NOT NULL, app TEXT NOT NULL, value TEXT NOT NULL, tag TEXT,
  created_at INTEGER NOT NULL
);
CREATE INDEX rule_by_app ON rule (stream, app);
CREATE UNIQUE INDEX rule_by_value ON rule (stream, app, value);
`;
