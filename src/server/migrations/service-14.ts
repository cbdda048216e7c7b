/** Rules of two kinds: those of the filtered stream, as all were before, and those of powerstream. */
export const SERVICE_14 = `
ALTER TABLE rule ADD COLUMN kind TEXT NOT NULL DEFAULT 'filtered_stream';
DROP INDEX rule_by_app;
DROP INDEX rule_by_value;
CREATE INDEX rule_by_app ON rule (kind, stream, app);
CREATE UNIQUE INDEX rule_by_value ON rule (kind, stream, app, value);
`;
