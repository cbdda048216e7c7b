/**
 * `changed` is the number of the last change of an entity, 0 for a new one. `moved` has the values by which an entity was
 * sorted before a change, so that a walk of a listing sees all entities where they were when it began; rows older than a
 * day are removed. `amount` repeats the bid of a line item and the funds of a funding instrument. `due` says when a
 * scheduled Post is published, epoch ms; NULL for all that is not to be published.
 *
 * `activity` has the longest spans in which the figures of an entity and a placement follow each other without a gap, in
 * minutes since 1970. `reach` has how many users a campaign reached in an hour or a day, and how often each on average:
 * these do not add up.
 */
export const ADS_3 = `
ALTER TABLE entity ADD COLUMN changed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE entity ADD COLUMN amount INTEGER NOT NULL DEFAULT -1;
ALTER TABLE entity ADD COLUMN due INTEGER;
UPDATE entity SET amount = coalesce(
  json_extract(fields, '$.bid_amount_local_micro'), json_extract(fields, '$.funded_amount_local_micro'), -1);
CREATE INDEX entity_amount ON entity (holder, kind, amount, seq, deleted, draft);
CREATE INDEX entity_due ON entity (due) WHERE due IS NOT NULL;
CREATE INDEX entity_key ON entity (kind, source) WHERE source IS NOT NULL;
CREATE TABLE moved (
  seq INTEGER NOT NULL, holder TEXT NOT NULL, kind TEXT NOT NULL, change INTEGER NOT NULL, at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL, deleted INTEGER NOT NULL, name TEXT NOT NULL, start_time TEXT NOT NULL,
  end_time TEXT NOT NULL, daily INTEGER NOT NULL, total INTEGER NOT NULL, standard INTEGER NOT NULL,
  amount INTEGER NOT NULL
);
CREATE INDEX moved_since ON moved (holder, kind, change, seq);
CREATE INDEX moved_entity ON moved (seq, change);
CREATE TABLE activity (
  entity INTEGER NOT NULL, placement INTEGER NOT NULL, start INTEGER NOT NULL, until INTEGER NOT NULL,
  holder TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (entity, placement, start)
) WITHOUT ROWID;
CREATE INDEX activity_until ON activity (holder, kind, until, start, entity, placement);
CREATE TABLE reach (
  entity INTEGER NOT NULL, start INTEGER NOT NULL, minutes INTEGER NOT NULL, reach INTEGER, frequency REAL,
  PRIMARY KEY (entity, start, minutes)
) WITHOUT ROWID;
INSERT INTO activity (entity, placement, start, until, holder, kind)
SELECT entity, placement, min(start), max(start + minutes), CASE kind WHEN 'ACCOUNT' THEN id ELSE holder END, kind FROM (
  SELECT entity, placement, start, minutes, sum(fresh) OVER (PARTITION BY entity, placement ORDER BY start) AS run FROM (
    SELECT entity, placement, start, minutes,
      start IS NOT lag(start + minutes) OVER (PARTITION BY entity, placement ORDER BY start) AS fresh FROM figure
  )
) JOIN entity ON entity.seq = entity GROUP BY entity, placement, run;
`;
